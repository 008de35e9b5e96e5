"""Parts of a plan in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.geometry import AXES, codimension, direction_name
from halocline.language.expressions.parameters import Parameter
from halocline.language.steps.tree import Every, Repeat, Swap, Until
from halocline.plan.program.printer import loop_title
from halocline.plan.value.operations import (
    CallFunction,
    Check,
    Compute,
    Poison,
    Poll,
    Reduce,
    Start,
    StepEnd,
    Wait,
    WaitAny,
    Wavefront,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from halocline.plan.blocks.decomposition import Decomposition
    from halocline.plan.cells.block import Block
    from halocline.plan.program.arrangement import Arrangement
    from halocline.plan.program.program import Launch
    from halocline.plan.value.operations import Operation
    from halocline.plan.value.parts import Part


def block_lines(decomposition: Decomposition, blocks: Iterable[Block]) -> list[str]:
    """Return a line for each block; in a forest one with its levels before."""
    levels = decomposition.levels
    if not decomposition.is_forest:
        return [f"block   {block.number:<4d} {block.box}" for block in blocks]
    ghost, covered = levels.depths
    line = (
        f"levels  0 to {levels.finest}; {ghost} cell(s) beyond each and {covered} "
        "in place of the finer one are made of the other level's"
    )
    numbers = [block.number for block in blocks]
    return [line, *(f"block   {n:<4d} {levels.own_box(n)}, {levels.role_of(n)}" for n in numbers)]


def operation_text(op: Operation) -> str:
    """Return a line for an operation that is no run."""
    match op:
        case Start(number) | Wait(number) | Poll(number):
            return f"{type(op).__name__.lower():<7} exchange {number}"
        case WaitAny(number, arrivals):
            return f"wait    any of exchange {number}, {len(arrivals)} pieces of work meanwhile"
        case Swap(first, second):
            return f"swap    {first}, {second}"
        case Repeat() | Every() | Until():
            return loop_title(op)
        case Wavefront(axis=axis, planes=planes, rows=rows):
            tiles = f", in tiles of {rows} rows" if rows else ""
            return f"runs together along {AXES[axis]}, {planes} planes at once{tiles}"
        case StepEnd():
            return "end of a step"
        case _:
            return _beside_steps(op)


def _beside_steps(op: Operation) -> str:
    """Return a line for what looks at fields, or changes numbers."""
    match op:
        case Compute(parameter, value):
            return f"compute {parameter.name} = {value.name}"
        case Reduce(kind, result=result, is_alone=True):
            return f"reduce  {kind} '{result.name}', evaluated before"
        case Reduce(kind, field, component):
            return f"reduce  {kind} of {field}[{component}]"
        case CallFunction(callback):
            return f"call    {callback.name}"
        case Poison(field, components, _):
            return f"poison  {field}, {len(components)} components"
        case Check(field, assigned=assigned):
            return f"check   {field}" + ", where kernels assign it" * bool(assigned)
        case _:
            raise AssertionError(op)


def changing_numbers(launch: Launch) -> str:
    """Return ', level 1, a = 0.5 * p': where in a forest a kernel runs, and numbers that change."""
    pairs = zip(launch.kernel.scalars, launch.scalars, strict=True)
    changing = {
        name: value.name
        for name, value in pairs
        if isinstance(value, Parameter) and value.name != name
    }
    # Which step and pass it is, kernels that draw random numbers know by names of ours.
    shown = (f", {name} = {text}" for name, text in changing.items() if not name.startswith("hc_"))
    where = f", {launch.role}" if launch.role.is_in_forest else ""
    return where + "".join(shown)


def contents(parts: Iterable[Part]) -> str:
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
