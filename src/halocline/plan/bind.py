"""Bind the user's steps to a grid: kernels fused, boundaries attached, reductions spelled out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from halocline.errors import GridError, PlanError
from halocline.geometry import AXES, Box
from halocline.language.boundary import boundary_calls
from halocline.language.expr import Read
from halocline.language.fuse import fuse, separate
from halocline.language.kernel import FieldType, Kernel, Statement, reads
from halocline.language.steps import Call, Callback, Every, Reduction, Repeat, Swap
from halocline.plan.program import (
    Called,
    Checked,
    Exchanged,
    Item,
    Launch,
    Looped,
    Program,
    Reduced,
    Sometimes,
    aliases,
    all_launches,
    beyond,
)
from halocline.plan.reach import moved

if TYPE_CHECKING:
    from collections.abc import Iterable

    from halocline.language.fields import Field, Grid
    from halocline.language.steps import Step


@dataclass(frozen=True, slots=True)
class _Hidden:
    """Fields that reductions need for the values of their expressions."""

    prefix: str
    specs: list[FieldType]


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
    hidden = _Hidden(prefix, [])
    items = _bind_all(grid, steps, hidden)
    used = all_launches(items)
    boundaries = {
        name: tuple(_boundary_launches(field, depth))
        for name, field in grid.fields.items()
        if field.boundaries and (depth := _depth_beyond(grid, used, name))
    }
    _check_sides(grid, items, boundaries)
    declared = [FieldType(f.name, f.dtype, f.components) for f in grid.fields.values()]
    floating = [f.name for f in declared if f.dtype.startswith("float")]
    written = _written(items, set())
    checked = tuple(name for name in floating if name in written)
    if check_every and checked:
        items = (*items, Sometimes(check_every, (Checked(checked),)))
    fields = (*declared, *hidden.specs)
    return Program(grid.extent, grid.periodic, fields, items, boundaries)


def launches_of(call: Call, *, on_demand: bool = False) -> tuple[Launch, ...]:
    """Return a call's kernel as fused kernels.

    On a boundary layer each statement becomes a kernel of its own: a layer is thin, and so each
    can run on just the cells where its result is read.
    """
    kernels = separate(call.kernel) if call.is_layer else fuse(call.kernel)
    result = []
    for kernel in kernels:
        used = {s.field for s in kernel.statements}
        used |= {r.field for r in reads(*(s.value for s in kernel.statements))}
        fields = tuple(f for f in kernel.fields if f.name in used)
        result.append(
            Launch(
                kernel=replace(kernel, fields=fields),
                names=tuple(call.field(f.name).name for f in fields),
                scalars=call.scalars,
                region=call.region,
                # What a layer assigns next door is meant for cells of the domain.
                on_demand=on_demand or (call.is_layer and _assigns_next_door(kernel)),
                is_layer=call.is_layer,
                place=call.place,
            )
        )
    return tuple(result)


def _assigns_next_door(kernel: Kernel) -> bool:
    return any(any(statement.offset) for statement in kernel.statements)


def _bind_all(grid: Grid, steps: Iterable[Step], hidden: _Hidden) -> tuple[Item, ...]:
    return tuple(item for step in steps for item in _bind(grid, step, hidden))


def _bind(grid: Grid, step: Step, hidden: _Hidden) -> tuple[Item, ...]:
    match step:
        case Call():
            _same_grid(grid, step.fields, f"kernel '{step.kernel.name}'")
            return launches_of(step)
        case Swap(first, second):
            _same_grid(grid, (first, second), "'swap'")
            return (Exchanged(first.name, second.name),)
        case Repeat(count, steps):
            return (Looped(count, _bind_all(grid, steps, hidden)),)
        case Every(interval, steps):
            return (Sometimes(interval, _bind_all(grid, steps, hidden)),)
        case Callback():
            return (Called(step),)
        case Reduction():
            return _bind_reduction(grid, step, hidden)
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


def _bind_reduction(grid: Grid, reduction: Reduction, hidden: _Hidden) -> tuple[Item, ...]:
    """Return the kernel that evaluates the expression in each cell, and the reduction of it."""
    value = reduction.operand
    found = reads(value)
    for read in found:
        if read.field not in grid.fields:
            raise GridError(
                f"The reduction '{reduction.name}' uses the field '{read.field}', which is not on "
                "the simulation's grid."
            )
    if isinstance(value, Read) and not any(value.offset):
        return (Reduced(reduction.kind, value.field, value.component, reduction),)
    name = f"{hidden.prefix}_{len(hidden.specs)}"
    hidden.specs.append(FieldType(name, "float64", 1))
    names = tuple(dict.fromkeys(read.field for read in found))
    types = tuple(FieldType(n, grid.fields[n].dtype, grid.fields[n].components) for n in names)
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
            continue
        for box in beyond(launch, name, grid.domain, grid.periodic):
            for axis, is_periodic in enumerate(grid.periodic):
                if not is_periodic:
                    depth = max(depth, -box.lower[axis], box.upper[axis] - grid.extent[axis])
    return depth


def _check_sides(
    grid: Grid, items: tuple[Item, ...], boundaries: dict[str, tuple[Launch, ...]]
) -> None:
    """Refuse kernels that read beyond a side where nothing fills the layer."""
    launches = all_launches(items)
    may_hold = aliases(items)
    for launch in launches:
        if launch.is_layer:
            continue
        for name in dict.fromkeys(launch.names):
            group = may_hold.get(name, {name})
            filled = [other.region for n in group for other in boundaries.get(n, ())]
            filled += [moved(w.region, o) for w in launches for f, _, o in w.assigns if f in group]
            rest = beyond(launch, name, grid.domain, grid.periodic)
            for region in filled:
                rest = [piece for box in rest for piece in box.subtract(region)]
            if rest:
                raise PlanError(
                    f"Kernel '{launch.kernel.name}' reads '{name}' beyond side "
                    f"'{_side_of(grid, rest[0])}' of the domain, where no boundary is given.",
                    hint=f"Write {name}.boundary('{_side_of(grid, rest[0])}', …), make the grid "
                    "periodic there, or restrict the kernel to a box.",
                    place=launch.place,
                )


def _written(items: Iterable[Item], before: set[str]) -> set[str]:
    """Return the names under which values written by the items are found after them."""
    names = set(before)
    for item in items:
        if isinstance(item, Launch):
            names |= {name for name, _ in item.writes}
        elif isinstance(item, Looped | Sometimes):
            names |= _written(item.items, names)
        elif isinstance(item, Exchanged):
            swapped = {item.first: item.second, item.second: item.first}
            names = {swapped.get(name, name) for name in names}
    return names


def _side_of(grid: Grid, box: Box) -> str:
    for axis, n in enumerate(grid.extent):
        if not grid.periodic[axis]:
            if box.lower[axis] < 0:
                return f"{AXES[axis]}-"
            if box.upper[axis] > n:
                return f"{AXES[axis]}+"
    raise AssertionError(box)
