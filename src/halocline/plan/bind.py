"""Bind the user's steps to a grid: kernels fused, boundaries attached, reductions spelled out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from halocline.errors import GridError
from halocline.language.boundary import boundary_calls, is_on_low_side
from halocline.language.expr import Read
from halocline.language.fuse import fuse, separate
from halocline.language.kernel import FieldType, Kernel, Statement, reads
from halocline.language.mask import masked
from halocline.language.sides import layer
from halocline.language.steps import Call, Callback, Reduction
from halocline.language.tree import Every, Repeat, Swap, mapped, walk
from halocline.language.verify import refuse_past
from halocline.plan.arrangement import HOME
from halocline.plan.checks import check_evaluated, check_sides
from halocline.plan.program import (
    Called,
    Checked,
    Item,
    Launch,
    Program,
    Reduced,
    all_launches,
    beyond,
)
from halocline.plan.reach import moved
from halocline.plan.unroll import swapped_groups, unrolled

if TYPE_CHECKING:
    from collections.abc import Iterable

    from halocline.geometry import Offset
    from halocline.language.fields import Field, Grid
    from halocline.language.steps import Step


@dataclass(frozen=True, slots=True)
class _Context:
    """What binding a step needs to know and leaves behind.

    Attributes:
        prefix: What the names of hidden fields begin with.
        hidden: Fields that reductions need for the values of their expressions.
        changing: Fields that a kernel assigns or a swap renames.
        on_sides: By field the boundary kernels that fill cells of the domain, which lie on a side
            of it: they run before anybody looks.
    """

    prefix: str
    hidden: list[FieldType]
    changing: frozenset[Field]
    on_sides: dict[str, tuple[Launch, ...]]

    @property
    def on_all_sides(self) -> tuple[Launch, ...]:
        """Those of all fields."""
        return tuple(launch for launches in self.on_sides.values() for launch in launches)


def bind(grid: Grid, steps: Iterable[Step], check_every: int, *, prefix: str = "value") -> Program:
    """Bind the user's steps to a grid.

    Args:
        grid: The grid.
        steps: The time step.
        check_every: After how many steps fields are searched for values that are not numbers.
        prefix: What the names of hidden fields begin with.

    Raises:
        PlanError: A kernel reads beyond the domain where nothing provides values.
    """
    steps = tuple(steps)
    on_sides = {name: tuple(_boundary_launches(field, 0)) for name, field in grid.fields.items()}
    context = _Context(prefix, [], _changing(steps), on_sides)
    items = mapped(steps, lambda step: _bind(grid, step, context))
    used = all_launches(items)
    boundaries = _boundaries(grid, used)
    # Boundaries may read other fields beyond the domain, too.
    boundaries = _boundaries(grid, [*used, *(one for all_ in boundaries.values() for one in all_)])
    groups = swapped_groups(items)
    check_sides(grid, items, boundaries, groups)
    declared = [field.type_as(name) for name, field in grid.fields.items()]
    floating = [f.name for f in declared if f.dtype.startswith("float")]
    written = _written(items, set())
    checked = tuple(name for name in floating if name in written)
    items = (*items, *context.on_all_sides)
    if check_every and checked:
        items = (*items, Every(check_every, (Checked(checked),)))
    round_of_steps, ends = unrolled(items)
    arrangements = dict.fromkeys([HOME, *(one.where for one in all_launches(round_of_steps))])
    program = Program(
        extent=grid.extent,
        periodic=grid.periodic,
        fields=(*declared, *context.hidden),
        steps=round_of_steps,
        ends=ends,
        boundaries={
            where: {
                where.storage(name): tuple(one.at(where) for one in launches)
                for name, launches in boundaries.items()
            }
            for where in arrangements
        },
        groups=groups,
        checked=checked,
    )
    check_evaluated(program, program.steps[0], set())
    return program


def launches_of(
    call: Call, *, on_demand: bool = False, is_listed: bool = False
) -> tuple[Launch, ...]:
    """Return a call's kernel as fused kernels.

    On a boundary layer each statement becomes a kernel of its own: a layer is thin, and so each
    can run on just the cells where its result is read.

    Args:
        call: The call.
        on_demand: See 'Launch'.
        is_listed: Whether the cells of the call's mask can be listed once for many steps.
    """
    result = []
    for part in _parts(call):
        used = {s.field for s in part.statements}
        used |= {r.field for r in reads(*(s.value for s in part.statements))}
        plain = replace(part, fields=tuple(f for f in part.fields if f.name in used))
        names = [call.field(field.name).name for field in plain.fields]
        result.append(
            Launch(
                kernel=plain if call.mask is None else masked(plain, call.mask),
                names=tuple(names if call.mask is None else [*names, call.mask.name]),
                scalars=call.scalars,
                region=call.region,
                on_demand=on_demand or _is_for_others(call, plain),
                is_layer=call.is_layer,
                place=call.place,
                plain=None if call.mask is None else plain,
                is_listed=is_listed and call.mask is not None,
            )
        )
    return tuple(result)


def _parts(call: Call) -> tuple[Kernel, ...]:
    """Return a call's kernel as fused kernels, between which boundaries can run."""
    if call.is_layer:
        return separate(call.kernel)

    def is_refilled(name: str, offset: Offset) -> bool:
        field = call.field(name)
        grid = field.grid
        seen = moved(call.region, offset)
        sides = [side for side in field.boundaries if is_on_low_side(field, side)]
        inner = [layer(grid, side, 0, 0) for side in sides]
        return bool(field.boundaries) and (
            bool(seen.subtract(grid.region))
            or any(not seen.intersect(box).is_empty for box in inner)
        )

    parts = fuse(call.kernel, is_refilled)
    refuse_past(parts, call.kernel.name, [call.place] * len(call.kernel.statements))
    return parts


def _changing(steps: Iterable[Step]) -> frozenset[Field]:
    """Return the fields that kernels assign or swaps rename."""
    result: set[Field] = set()
    for step in walk(steps):
        match step:
            case Call():
                result |= {step.field(s.field) for s in step.kernel.statements}
            case Swap(first, second):
                result |= {first, second}
    return frozenset(result)


def _is_for_others(call: Call, kernel: Kernel) -> bool:
    """Return whether a kernel of few cells assigns next door, where others may own what it assigns.

    Then whoever owns that computes it, and nothing needs to be sent home. Of kernels on masks those
    are meant that do not work in place: these run in most cells.
    """
    if not any(any(s.offset) for s in kernel.statements):
        return False
    read = {(r.field, r.component) for r in reads(*(s.value for s in kernel.statements))}
    written = {(s.field, s.component) for s in kernel.statements}
    return call.is_layer or (call.mask is not None and not read & written)


def _bind(grid: Grid, step: Step, context: _Context) -> tuple[Item, ...]:
    match step:
        case Call():
            _same_grid(grid, step.fields, f"kernel '{step.kernel.name}'")
            return launches_of(step, is_listed=step.mask not in context.changing)
        case Swap(first, second):
            _same_grid(grid, (first, second), "'swap'")
            return (Swap(first.name, second.name),)
        case Callback():
            return (*context.on_all_sides, Called(step))
        case Reduction():
            return _bind_reduction(grid, step, context)
        case _:
            raise AssertionError(step)


def _same_grid(grid: Grid, fields: Iterable[Field], what: str) -> None:
    for field in fields:
        if field.grid is not grid:
            raise GridError(
                f"A step with {what} uses the field '{field.name}' of another grid "
                f"{field.grid.extent}; expected fields of the simulation's grid {grid.extent}.",
                hint="Declare all fields of a simulation with one Grid object.",
            )


def _bind_reduction(grid: Grid, reduction: Reduction, context: _Context) -> tuple[Item, ...]:
    """Return the kernel that evaluates the expression in each cell, and the reduction of it."""
    value = reduction.operand
    found = reads(value)
    for read in found:
        if read.field not in grid.fields:
            raise GridError(
                f"The reduction '{reduction.name}' uses the field '{read.field}', which is not on "
                "the simulation's grid."
            )
    if isinstance(value, Read) and not any(value.offset) and not _is_narrow(grid, value):
        reduced = Reduced(reduction.kind, value.field, value.component, reduction)
        return (*context.on_sides[value.field], reduced)
    name = f"{context.prefix}_{len(context.hidden)}"
    while name in grid.fields:
        name += "_"
    context.hidden.append(FieldType(name, "float64", 1))
    names = tuple(dict.fromkeys(read.field for read in found))
    types = tuple(grid.fields[n].type_as(n) for n in names)
    kernel = Kernel(
        f"evaluate_{reduction.kind}",
        grid.dimensions,
        (*types, FieldType(name, "float64", 1)),
        (),
        (Statement(name, 0, value, (0,) * grid.dimensions),),
    )
    launch = Launch(
        kernel=kernel,
        names=(*names, name),
        scalars=(),
        region=grid.region,
        on_demand=False,
        is_layer=False,
        place=f"reduction '{reduction.name}'",
    )
    return (launch, Reduced(reduction.kind, name, 0, reduction))


def _is_narrow(grid: Grid, read: Read) -> bool:
    """Return whether numbers are only stored as they are read, and must be widened first."""
    return grid.fields[read.field].dtype == "float16"


def _boundaries(grid: Grid, used: list[Launch]) -> dict[str, tuple[Launch, ...]]:
    """Return the boundary kernels of fields that some kernels read beyond the domain."""
    found = {
        name: tuple(_boundary_launches(field, _depth_beyond(grid, used, name)))
        for name, field in grid.fields.items()
    }
    return {name: launches for name, launches in found.items() if launches}


def _boundary_launches(field: Field, depth: int) -> list[Launch]:
    return [
        launch
        for side in field.boundaries
        for call in boundary_calls(field, side, depth)
        for launch in launches_of(call, on_demand=True)
    ]


def _depth_beyond(grid: Grid, launches: list[Launch], name: str) -> int:
    """Return how many layers beyond the domain are read of a field."""
    depth = 0
    for launch in launches:
        if launch.is_layer:
            is_other = name not in {field for field, _ in launch.writes}
            if is_other and beyond(launch, name, grid.domain, grid.periodic):
                # Nearly all of a layer lies beyond other sides only where it meets theirs.
                depth = max(depth, 1)
            continue
        for box in beyond(launch, name, grid.domain, grid.periodic):
            for axis, is_periodic in enumerate(grid.periodic):
                if not is_periodic:
                    depth = max(depth, -box.lower[axis], box.upper[axis] - grid.extent[axis])
    return depth


def _written(items: Iterable[Item], before: set[str]) -> set[str]:
    """Return the names under which values written by the items are found after them."""
    names = set(before)
    for item in items:
        if isinstance(item, Launch):
            names |= {name for name, _ in item.writes}
        elif isinstance(item, Repeat | Every):
            names |= _written(item.body, names)
        elif isinstance(item, Swap):
            swapped = {item.first: item.second, item.second: item.first}
            names = {swapped.get(name, name) for name in names}
    return names
