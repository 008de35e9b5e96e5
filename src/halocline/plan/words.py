"""Parts of a plan in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halocline.geometry import codimension, direction_name
from halocline.language.expressions.parameters import Parameter
from halocline.language.steps.tree import Every, Repeat, Until

if TYPE_CHECKING:
    from halocline.plan.arrangement import Arrangement
    from halocline.plan.message import Part
    from halocline.plan.program import Launch


def loop_title(loop: Repeat[Any] | Every[Any] | Until[Any]) -> str:
    """Return how often the operations in a loop are done."""
    match loop:
        case Repeat(count, _):
            return f"loop    {count} times"
        case Every(interval, _):
            return f"every   {interval} steps"
        case Until(condition, _, most):
            return f"loop    until {condition.name}, at most {most} times"


def told(launch: Launch) -> str:
    """Return ', a = 0.5 * p': what a kernel is told of numbers that may change."""
    pairs = zip(launch.kernel.scalars, launch.scalars, strict=True)
    changing = {
        name: value.name
        for name, value in pairs
        if isinstance(value, Parameter) and value.name != name
    }
    # Which step and pass it is, kernels that draw random numbers know by names of ours.
    shown = (f", {name} = {text}" for name, text in changing.items() if not name.startswith("hc_"))
    return "".join(shown)


def contents(parts: tuple[Part, ...]) -> str:
    """Return 'x- 5 components of f, x-y- 1 of f': what arrives from which side of the target."""
    counts: dict[tuple[tuple[int, ...], str], set[int]] = {}
    for part in sorted(parts, key=lambda p: (codimension(p.direction), p.direction)):
        counts.setdefault((part.direction, part.field), set()).add(part.component)
    return ", ".join(
        f"{field} {direction_name(direction)} {len(components)}"
        for (direction, field), components in counts.items()
    )


def exchanged(before: Arrangement, after: Arrangement) -> str:
    """Return ' with a and b exchanged': in which storages fields lie that lay elsewhere before."""
    names = sorted({storage for one in (before, after) for _, storage in one.away})
    places = {name: after.storage(before.field(name)) for name in names}
    changed = {name: place for name, place in places.items() if place != name}
    if not changed:
        return ""
    if any(changed[place] != name for name, place in changed.items()):
        return " with " + ", ".join(f"{place} for {name}" for name, place in changed.items())
    pairs = (f"{name} and {place}" for name, place in changed.items() if name < place)
    return f" with {', '.join(pairs)} exchanged"
