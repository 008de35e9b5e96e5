"""The step as the planner sees it: fused kernels on named fields, and what stands between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from halocline.errors import GridError, PlanError
from halocline.geometry import AXES, Box
from halocline.language.boundary import boundary_calls
from halocline.language.expr import Read
from halocline.language.fields import UNBOUNDED
from halocline.language.fuse import fuse, separate
from halocline.language.kernel import FieldType, Kernel, Statement, reads
from halocline.language.steps import Call, Callback, Every, Parameter, Reduction, Repeat, Swap

if TYPE_CHECKING:
    from collections.abc import Iterable

    from halocline.geometry import Offset
    from halocline.language.fields import Field, Grid
    from halocline.language.steps import Step


@dataclass(frozen=True, slots=True)
class Launch:
    """A fused kernel bound to fields by name.

    Attributes:
        kernel: What one cell does.
        names: The field of the grid for each of the kernel's, in order.
        scalars: A number or parameter for each of the kernel's scalars.
        region: Where it runs; unbounded on periodic axes that it spans.
        on_demand: Whether only cells that a later kernel reads are worth computing (boundary
            layers); otherwise every cell of the region is.
        is_layer: Whether the region lies beyond a side of the domain.
        place: Where the user wrote it.
    """

    kernel: Kernel
    names: tuple[str, ...]
    scalars: tuple[float | Parameter, ...]
    region: Box
    on_demand: bool
    is_layer: bool
    place: str

    @property
    def names_of(self) -> dict[str, str]:
        """From the kernel's own names of fields to those of the grid."""
        return dict(zip((f.name for f in self.kernel.fields), self.names, strict=True))

    @property
    def writes(self) -> frozenset[tuple[str, int]]:
        """Fields and components assigned."""
        names = self.names_of
        return frozenset((names[s.field], s.component) for s in self.kernel.statements)

    @property
    def reads(self) -> tuple[tuple[str, int, Offset], ...]:
        """Fields, components and offsets read."""
        names = self.names_of
        found = reads(*(s.value for s in self.kernel.statements))
        return tuple((names[r.field], r.component, r.offset) for r in found)


@dataclass(frozen=True, slots=True)
class Exchanged:
    """Two fields exchange their names."""

    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Looped:
    """Items repeated within a step."""

    count: int
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Sometimes:
    """Items at the end of every n-th step."""

    interval: int
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Reduced:
    """One component of a field combined over the domain."""

    kind: str
    field: str
    component: int
    result: Reduction


@dataclass(frozen=True, slots=True)
class Called:
    """A Python function, which may change any field."""

    callback: Callback


@dataclass(frozen=True, slots=True)
class Checked:
    """Fields searched for values that are not numbers."""

    fields: tuple[str, ...]


Item = Launch | Exchanged | Looped | Sometimes | Reduced | Called | Checked


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """What the plan knows of a field."""

    name: str
    dtype: str
    components: int


@dataclass(frozen=True, slots=True)
class Program:
    """A time step bound to a grid.

    Attributes:
        extent: Cells of the domain.
        periodic: Whether the grid closes on itself, for each axis.
        fields: All fields, also the hidden ones that reductions need.
        items: What happens, in order.
        boundaries: For each field its boundary kernels for each number of layers up to the one
            read, in order of declaration.
    """

    extent: tuple[int, ...]
    periodic: tuple[bool, ...]
    fields: tuple[FieldSpec, ...]
    items: tuple[Item, ...]
    boundaries: dict[str, tuple[Launch, ...]]

    @property
    def dimensions(self) -> int:
        """Number of axes."""
        return len(self.extent)


@dataclass(frozen=True, slots=True)
class _Hidden:
    """Fields that reductions need for the values of their expressions."""

    prefix: str
    specs: list[FieldSpec]


def bind(
    grid: Grid, steps: Iterable[Step], check_every: int, *, prefix: str = "value"
) -> Program:
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
    declared = [FieldSpec(f.name, f.dtype, f.components) for f in grid.fields.values()]
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
        kernel = Kernel(kernel.name, kernel.dimensions, fields, kernel.scalars, kernel.statements)
        names = tuple(call.field(f.name).name for f in fields)
        result.append(
            Launch(
                kernel, names, call.scalars, call.region, on_demand, call.is_layer, call.place
            )
        )
    return tuple(result)


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


def _bind_reduction(
    grid: Grid, reduction: Reduction, hidden: _Hidden
) -> tuple[Item, ...]:
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
    hidden.specs.append(FieldSpec(name, "float64", 1))
    names = tuple(dict.fromkeys(read.field for read in found))
    types = tuple(FieldType(n, grid.fields[n].dtype, grid.fields[n].components) for n in names)
    kernel = Kernel(
        f"evaluate_{reduction.kind}",
        grid.dimensions,
        (*types, FieldType(name, "float64", 1)),
        (),
        (Statement(name, 0, value),),
    )
    launch = Launch(
        kernel, (*names, name), (), grid.region, False, False, f"reduction '{reduction.name}'"
    )
    return (launch, Reduced(reduction.kind, name, 0, reduction))


def all_launches(items: Iterable[Item]) -> list[Launch]:
    result: list[Launch] = []
    for item in items:
        if isinstance(item, Launch):
            result.append(item)
        elif isinstance(item, Looped | Sometimes):
            result += all_launches(item.items)
    return result


def _boundary_launches(field: Field, depth: int) -> list[Launch]:
    return [
        launch
        for side in field.boundaries
        for call in boundary_calls(field, side, depth)
        for launch in launches_of(call, on_demand=True)
    ]


def beyond(launch: Launch, field: str, domain: Box, periodic: tuple[bool, ...]) -> list[Box]:
    """Return the cells outside the domain where a kernel reads a field, one box for each offset."""
    inside = domain
    for axis, is_periodic in enumerate(periodic):
        if is_periodic:
            inside = inside.clip(axis, -2 * UNBOUNDED, 2 * UNBOUNDED)
    boxes = [launch.region.shift(o) for f, _, o in launch.reads if f == field]
    return [rest for box in boxes for rest in box.subtract(inside)]


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
            filled += [w.region for w in launches if any(f in group for f, _ in w.writes)]
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


def aliases(items: Iterable[Item]) -> dict[str, set[str]]:
    """Return, for each field that is ever swapped, the fields whose values it may hold."""
    groups: dict[str, set[str]] = {}
    for item in items:
        if isinstance(item, Exchanged):
            union = groups.get(item.first, {item.first}) | groups.get(item.second, {item.second})
            groups.update(dict.fromkeys(union, union))
        elif isinstance(item, Looped | Sometimes):
            for group in aliases(item.items).values():
                union = set(group).union(*(groups.get(name, set()) for name in group))
                groups.update(dict.fromkeys(union, union))
    return groups


def _side_of(grid: Grid, box: Box) -> str:
    for axis, n in enumerate(grid.extent):
        if not grid.periodic[axis]:
            if box.lower[axis] < 0:
                return f"{AXES[axis]}-"
            if box.upper[axis] > n:
                return f"{AXES[axis]}+"
    raise AssertionError(box)


def kernels(program: Program) -> tuple[Kernel, ...]:
    """Return every different kernel of a program once, boundaries included."""
    launches = all_launches(program.items)
    launches += [launch for group in program.boundaries.values() for launch in group]
    return tuple(dict.fromkeys(launch.kernel for launch in launches))
