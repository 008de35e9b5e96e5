"""Programs as text: the kernels of each step, with the cells that they read and assign."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halocline.geometry import by_axes
from halocline.language.steps.tree import Every, Repeat, Swap, Until
from halocline.plan.program.program import Called, Checked, Computed, Launch, Reduced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from halocline.geometry import Offset
    from halocline.plan.program.program import Program, Uses


def program_text(program: Program) -> str:
    """Return a program as text."""
    lines = [f"program of {len(program.steps)} step(s) on {by_axes(program.extent)} cells"]
    for number, step in enumerate(program.steps, 1):
        lines += [f"step {number}", *nested_lines(step, item_text)]
    return "\n".join(lines)


def nested_lines(
    items: Iterable[Any], text: Callable[[Any], str], indent: str = "  "
) -> Iterator[str]:
    """Yield the lines of nested items; a text is asked for each that is no loop."""
    for item in items:
        if isinstance(item, Repeat | Every | Until):
            yield indent + loop_title(item)
            yield from nested_lines(item.body, text, indent + "  ")
        elif isinstance(item, tuple):
            yield from nested_lines(item, text, indent)
        else:
            yield from (indent + line for line in text(item).splitlines())


def loop_title(loop: Repeat[Any] | Every[Any] | Until[Any]) -> str:
    """Return how often the items in a loop are done."""
    match loop:
        case Repeat(count, _):
            return f"loop    {count} times"
        case Every(interval, _):
            return f"every   {interval} steps"
        case Until(condition, _, most):
            return f"loop    until {condition.name}, at most {most} times"


def item_text(item: object) -> str:
    """Return a line for an item of a program that is no loop."""
    match item:
        case Launch():
            where = f", {item.role}" if item.role.is_in_forest else ""
            return f"kernel  {item.kernel.name}: {_uses(item.reads)} → {_uses(item.assigns)}{where}"
        case Swap(first, second):
            return f"swap    {first}, {second}"
        case Reduced(kind, _, component):
            return f"reduce  {kind} of {item.storage}[{component}]"
        case Computed(parameter, value):
            return f"compute {parameter.name} = {value.name}"
        case Called(callback):
            return f"call    {callback.name}"
        case Checked():
            return f"check   {', '.join(item.storages)}"
        case _:
            raise AssertionError(item)


def _uses(uses: Uses) -> str:
    """Return 'T 5 (-1..1, -1..1)': values of each storage, and how far they lie from the cell."""
    found: dict[str, list[Offset]] = {}
    for access in uses:
        found.setdefault(access.field, []).append(access.offset)
    return ", ".join(f"{name} {len(o)} {span(o)}" for name, o in found.items()) or "nothing"


def span(offsets: Iterable[Offset]) -> str:
    """Return '(-1..1, 0)': the least and the greatest offset along each axis."""
    ends = [(min(along), max(along)) for along in zip(*offsets, strict=True)]
    return f"({', '.join(str(a) if a == b else f'{a}..{b}' for a, b in ends)})"
