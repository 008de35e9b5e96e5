"""In which cells the values of a program are computed, and what can be read from there."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, lcm

from msgspec.structs import replace
from property.expressions import (
    Expression,
    Offset,
    fields_read,
)
from property.programs import (
    AXES,
    REACH,
    Assignment,
    Field,
    Kernel,
    Program,
    Reduce,
    Space,
    Sweep,
    fields_of,
)


def has_last_faces(space: Space) -> bool:
    return any(space.size[axis] > space.cells[axis] for axis in space.axes)


# Cells from one to before another one.
Region = tuple[Offset, Offset]


def written_for(program: Program, step: Kernel | Sweep | Reduce) -> Space:
    """Return the cells that a step is written for, faces aside.

    Those of what a kernel assigns; for a sweep that assigns nothing and for a reduction, those of
    all that they read: of the finest grid along each axis, with all axes that any has.
    """
    if not isinstance(step, Reduce) and step.assignments:
        return program.space(step.assignments[0].field)
    values = step.handed if isinstance(step, Sweep) else (step.value,)
    return finest(program, sorted(set().union(*map(fields_read, values))))


def finest(program: Program, names: Sequence[str]) -> Space:
    """Return the cells in which an expression has values, of the fields that it reads."""
    if not names:
        first = replace(program, fields=(Field("first", "bool"),))
        return first.space("first")
    spaces = [program.space(name) for name in names]
    scale = tuple(map(max, zip(*(space.scale for space in spaces), strict=True)))
    axes = tuple(sorted(set().union(*(space.axes for space in spaces))))
    cells = tuple(int(n * s) for n, s in zip(program.extent, scale, strict=True))
    # Faces only if all that have the axis have them.
    size = tuple(
        n + min(s.size[axis] - s.cells[axis] for s in spaces if axis in s.axes)
        if axis in axes
        else 1
        for axis, n in enumerate(cells)
    )
    is_replicated = all(space.is_replicated for space in spaces)
    return Space(cells, size, program.periodic, scale, axes, is_replicated)


def regions(program: Program, step: Kernel | Sweep | Reduce) -> list[tuple[Expression, Region]]:
    """Return each value that a step computes with the cells where it does that."""
    here, space = (0,) * len(program.extent), written_for(program, step)
    if isinstance(step, Reduce):
        return [(step.value, (here, space.size))]
    on = step.on if isinstance(step.on, tuple) else None
    result = [(a.value, region(program, a, on)) for a in step.assignments]
    if isinstance(step, Sweep):
        every = result[0][1] if result else boxed(space, on)
        result += [(value, every) for value in step.handed]
    return result


def region(program: Program, to: Assignment, on: Region | None) -> Region:
    """Return the cells that do an assignment: all faces, but for those that do it next door."""
    space = program.space(to.field)
    return boxed(replace(space, size=space.cells) if any(to.place) else space, on)


def boxed(space: Space, on: Region | None) -> Region:
    """Return the cells of a box, or all; one along axes that there are not."""
    lower, upper = on or ((0,) * len(space.size), space.size)
    lower = tuple(n if axis in space.axes else 0 for axis, n in enumerate(lower))
    upper = tuple(n if axis in space.axes else 1 for axis, n in enumerate(upper))
    return lower, upper


def is_filled(
    program: Program, field: Field, offset: Offset, shift: Offset, cells: Region, kernel: Space
) -> bool:
    """Return whether there is something to read, also beyond sides, from some cells of a kernel.

    Any number of layers is filled that mirror what lies within.
    """
    space = program.space(field.name)
    if not set(space.axes) <= set(kernel.axes):
        return False
    sides = {boundary.side for boundary in field.boundaries}
    within = [space.cells[AXES.index(side[0])] for side in sides]
    depth = min((REACH, *within))
    for axis in space.axes:
        ratio = space.scale[axis] / kernel.scale[axis]
        first, last = (
            space.place(end, shift[axis], offset[axis], axis, ratio)
            for end in (cells[0][axis], cells[1][axis] - 1)
        )
        for sign, beyond in (("-", -first), ("+", last + 1 - space.size[axis])):
            reach = depth if AXES[axis] + sign in sides else 0
            if not space.periodic[axis] and beyond > reach:
                return False
        away = offset[axis] + shift[axis] * ratio
        if floor(away) < -REACH or ceil(away) > REACH + max(0, ceil(ratio) - 1):
            return False
    return True


def children(program: Program, step: Kernel | Sweep) -> Offset:
    """Return how many of the cells that it is written for the coarsest cell that it uses spans."""
    space = written_for(program, step)
    names = [*fields_of(step), *([step.on] if isinstance(step.on, str) else [])]
    found = [1] * len(space.size)
    for used in map(program.space, names):
        for axis in used.axes:
            found[axis] = lcm(found[axis], (used.scale[axis] / space.scale[axis]).denominator)
    return tuple(found)
