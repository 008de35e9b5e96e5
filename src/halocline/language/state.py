"""What the next steps of a simulation depend on: fields, and numbers that change between steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.language.boundaries.boundary import boundary_calls
from halocline.language.expressions.kernel import reads
from halocline.language.expressions.parameters import CLOCK, Parameter
from halocline.language.points.at_points import AtPoints
from halocline.language.points.record import Record
from halocline.language.series.series import Series
from halocline.language.steps.numbers_read import numbers_read
from halocline.language.steps.steps import Call, Callback, Reduction
from halocline.language.steps.tree import Every, Repeat, Swap, Until, walk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from halocline.geometry import Offset
    from halocline.language.grids.fields import Field
    from halocline.language.grids.grid import Grid
    from halocline.language.steps.steps import Step


def fields_to_keep(grid: Grid, time_step: Iterable[Step]) -> tuple[Field, ...]:
    """Return the fields of which a step needs the values, or somebody may want to see them.

    All are, but for the other half of a pair that is swapped: what a step overwrites everywhere
    before it reads it, and no side prescribes.
    """
    sequence = tuple(time_step)
    beside = {id(one) for call in _layers(grid) for one in call.fields[1:]}
    return tuple(
        field
        for field in list(grid.fields.values())
        if not field.is_hidden and (id(field) in beside or not _is_scratch(sequence, field))
    )


def _layers(grid: Grid) -> list[Call]:
    """Return the kernels of boundaries: of their field, then of what they read beside it."""
    return [
        call
        for field in list(grid.fields.values())
        for side in field.boundaries
        for call in boundary_calls(field, side, 1)
    ]


def _is_scratch(time_step: Iterable[Step], field: Field) -> bool:
    missing = set(range(field.components))
    for step in time_step:
        if isinstance(step, Swap) and (field is step.first or field is step.second):
            return not missing
        if _may_read(step, field):
            return False
        if isinstance(step, Call):
            missing -= _overwritten(step, field)
    # Never swapped: its values are looked at.
    return False


def _overwritten(call: Call, field: Field) -> set[int]:
    """Return the components to which a kernel gives new values in every cell."""
    if call.is_layer or call.mask is not None:
        return set()
    if call.region is not None and not call.region.contains(call.space.domain):
        return set()
    children: dict[int, set[Offset]] = {}
    for s in call.kernel.statements:
        cell, child = call.kernel.field(s.field).parted(s.offset)
        if call.field(s.field) is field and not any(cell):
            children.setdefault(s.component, set()).add(child)
    return {q for q, found in children.items() if len(found) == call.children_of(field)}


def _may_read(step: Step, field: Field) -> bool:
    match step:
        case Call(kernel):
            found = reads(*(statement.value for statement in kernel.statements))
            return step.mask is field or any(step.field(r.field) is field for r in found)
        case Swap(first, second):
            return field is first or field is second
        case Repeat(_, inner) | Every(_, inner) | Until(_, inner):
            return any(_may_read(each, field) or _may_write(each, field) for each in inner)
        case Callback():
            return True
        case AtPoints():
            return field is step.field
        case Reduction():
            return any(read.field == field.name for read in reads(step.operand))
        case _:
            return False


def _may_write(step: Step, field: Field) -> bool:
    return isinstance(step, Call) and any(field is each for each in step.fields)


def records(time_step: Iterable[Step]) -> tuple[Record, ...]:
    """Return the steps that record at points, in order."""
    return tuple(step for step in walk(time_step) if isinstance(step, Record))


def parameters(
    grid: Grid, time_step: Iterable[Step], dt: float | Parameter = 1.0
) -> tuple[Parameter, ...]:
    """Return the numbers that steps of length 'dt' read or find, but for series: what is kept."""
    return tuple(p for p in numbers(grid, time_step, dt) if not isinstance(p, Series))


def numbers(
    grid: Grid, time_step: Iterable[Step], dt: float | Parameter = 1.0
) -> tuple[Parameter, ...]:
    """Return the numbers that steps of length 'dt' and sides read or find, each once, in order."""
    length = dt.parameters if isinstance(dt, Parameter) else ()
    found = dict.fromkeys((*numbers_read((*time_step, *_layers(grid))), *length))
    return tuple(p for p in found if p not in CLOCK)
