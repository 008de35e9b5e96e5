"""Bind the user's steps to a grid: kernels fused, boundaries attached, reductions spelled out."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from halocline.errors import GridError
from halocline.frozen import Frozen
from halocline.language.expressions.expr import Read
from halocline.language.expressions.kernel import FieldType, reads
from halocline.language.points.at_points import AtPoints, Injection
from halocline.language.series.filling import Fill
from halocline.language.spaces.role import ALL, Role
from halocline.language.steps.steps import Call, Callback, Reduction
from halocline.language.steps.tree import Assign, Every, Repeat, Swap, Until, mapped, walk
from halocline.plan.program.arrangement import INITIAL
from halocline.plan.program.checks import check_carries, check_evaluated, check_sides
from halocline.plan.program.filling import launches_filling
from halocline.plan.program.launches import boundaries_of, boundary_launches, launches_of
from halocline.plan.program.points import check_once, launch_at_points
from halocline.plan.program.program import (
    Called,
    Checked,
    Computed,
    Item,
    Launch,
    Program,
    Reduced,
    all_launches,
)
from halocline.plan.program.reductions import (
    evaluated_as,
    evaluated_in,
    evaluation,
    reduced_field,
)
from halocline.plan.program.unrolling import swapped_groups, unrolled

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from halocline.language.grids.fields import Field
    from halocline.language.grids.grid import Grid
    from halocline.language.spaces.space import Space
    from halocline.language.steps.steps import Step


class _Context(Frozen):
    """What binding a step needs to know and leaves behind.

    Attributes:
        prefix: What the names of hidden fields begin with.
        hidden: Fields that reductions need for the values of their expressions.
        spaces: Their cells.
        changing: Fields that a kernel assigns or a swap renames.
        on_sides: By field the boundary kernels that fill cells of the domain, which lie on a side
            of it: they run before anybody looks.
        only_reduced: Those of the hidden fields that need not be stored.
    """

    prefix: str
    hidden: list[FieldType]
    spaces: dict[str, Space]
    changing: frozenset[Field]
    on_sides: dict[str, tuple[Launch, ...]]
    only_reduced: set[str]

    def hide(self, grid: Grid, space: Space, dtype: str = "float64") -> str:
        """Add a hidden field in some cells, and return its name."""
        # Steps that are done once share their hidden fields, if these have the same cells and type.
        name = f"{self.prefix}_{len(self.hidden)}_{dtype}_{space.label}"
        while name in grid.fields:
            name += "_"
        self.hidden.append(FieldType(name, dtype, 1))
        self.spaces[name] = space
        return name

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
    check_once(steps)
    on_sides = {
        name: tuple(one.on(_looked_at_on(grid, field.space)) for one in boundary_launches(field, 0))
        for name, field in grid.fields.items()
    }
    context = _Context(prefix, [], {}, _changing(steps), on_sides, set())
    items = mapped(steps, lambda step: _bind(grid, step, context))
    items = (*_filled_first(grid, items, context), *items)
    used = all_launches(items)
    boundaries = boundaries_of(grid, used)
    groups = swapped_groups(items)
    spaces = {name: field.space for name, field in grid.fields.items()} | context.spaces
    check_sides(spaces, items, boundaries, groups)
    hidden = frozenset(name for name, field in grid.fields.items() if field.is_hidden)
    written = _written(items, set()) - hidden
    checked = {f.name: f.allowed for f in grid.fields.values() if f.allowed and f.name in written}
    items = (*items, *context.on_all_sides)
    # Hidden fields of other steps, which are done once, are stored when these are planned.
    elsewhere = hidden - _named(items, boundaries)
    declared = [field.type_as(n) for n, field in grid.fields.items() if n not in elsewhere]
    if check_every and checked:
        items = (*items, Every(check_every, (Checked(tuple(checked)),)))
    round_of_steps, ends = unrolled(items)
    arrangements = dict.fromkeys([INITIAL, *(one.where for one in all_launches(round_of_steps))])
    program = Program(
        extent=grid.first.extent,
        periodic=grid.periodic,
        fields=(*declared, *context.hidden),
        spaces=spaces,
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
        limits=checked,
        only_carried=hidden - _read_by_others(used),
        only_assigned=frozenset(n for n in hidden if not grid.fields[n].is_set),
        only_reduced=frozenset(context.only_reduced),
    )
    check_carries(program)
    check_evaluated(program, program.steps[0], set())
    return program


def _changing(steps: Iterable[Step]) -> frozenset[Field]:
    """Return the fields that kernels assign or swaps rename."""
    result: set[Field] = set()
    for step in walk(steps):
        match step:
            case Call():
                result |= {step.field(s.field) for s in step.kernel.statements}
            case Swap(first, second):
                result |= {first, second}
            case Injection() | Fill():
                result.add(step.field)
    return frozenset(result)


def _bind(grid: Grid, step: Step, context: _Context) -> tuple[Item, ...]:
    match step:
        case Call():
            _same_family(grid, step.fields, f"kernel '{step.kernel.name}'")
            return launches_of(step, is_listed=step.mask not in context.changing)
        case Swap(first, second):
            _same_family(grid, (first, second), "'swap'")
            return (Swap(first.name, second.name),)
        case Callback():
            return (*context.on_all_sides, Called(step))
        case Assign(parameter, value):
            return (Computed(parameter, value),)
        case Reduction():
            return _bind_reduction(grid, step, context)
        case AtPoints():
            _same_family(grid, (step.field,), f"points, '{step.name}',")
            if isinstance(step, Injection):
                return (launch_at_points(step),)
            hidden = context.hide(grid, grid.first.space_with(""))
            return (*context.on_sides[step.field.name], launch_at_points(step, (hidden,)))
        case Fill():
            _same_family(grid, (step.field,), f"'{step.name}'")
            return launches_filling(step)
        case _:
            raise AssertionError(step)


def _filled_first(grid: Grid, items: Iterable[Item], context: _Context) -> tuple[Launch, ...]:
    """Return what fills the hidden fields that boundaries read and whose values are series."""
    used = all_launches(items)
    layers = (one for launches in boundaries_of(grid, used).values() for one in launches)
    read = {a.field for one in (*used, *layers, *context.on_all_sides) for a in one.reads}
    steps = [field.filled_by for name, field in grid.fields.items() if name in read]
    return tuple(launch for step in steps if step for launch in launches_filling(step))


def _same_family(grid: Grid, fields: Iterable[Field], what: str) -> None:
    for field in fields:
        if field.grid.first is not grid.first:
            raise GridError(
                f"A step with {what} uses the field '{field.name}' of another grid "
                f"{field.grid.extent}; expected fields of the simulation's grid {grid.extent}.",
                hint="Declare all fields of a simulation with one Grid object, or with grids made "
                "of it by 'coarsen' and 'refine'.",
            )


def _bind_reduction(grid: Grid, reduction: Reduction, context: _Context) -> tuple[Item, ...]:
    """Return the kernel that evaluates the expression in each cell, and the reduction of it."""
    field, value = reduced_field(reduction, grid.fields), reduction.operand
    if field is not None:
        assert isinstance(value, Read)
        reduced = Reduced(reduction.kind, field.name, value.component, reduction)
        return (*context.on_sides[field.name], reduced)
    if grid.state.forest is not None:
        _check_in_leaf(reduction, grid)
    space = evaluated_in(reduction, grid.fields)
    dtype = evaluated_as(reduction, grid.fields)
    hidden = context.hide(grid, space, dtype)
    launch, reduced = evaluation(reduction, grid.fields, hidden, space)
    # Sums are of doubles; blocks in line have the same cells of a field that lacks an axis; a
    # kernel that reads a coarser grid gives several cells their values at once.
    is_alike = all(ratio == 1 for ratio in launch.kernel.field(hidden).ratio)
    if dtype == "float64" and is_alike and not any(space.lacks) and not space.is_replicated:
        context.only_reduced.add(hidden)
    return launch.on(_looked_at_on(grid, space)), reduced


def _looked_at_on(grid: Grid, space: Space) -> Role:
    """Return the role of the blocks whose cells users see: others' cells are those of leaves again.

    These alone are combined by reductions, recorded and searched.
    """
    return ALL if grid.state.forest is None else Role("leaf", space.level)


def _check_in_leaf(reduction: Reduction, grid: Grid) -> None:
    """Refuse a reduction that reads anything else than the cell itself of one level of a forest."""
    found = reads(reduction.operand)
    levels = {grid.fields[one.field].space.level for one in found if one.field in grid.fields}
    beside = next((one.field for one in found if any(one.offset)), None)
    if beside is None and len(levels) <= 1:
        return
    what = f"reads '{beside}' of a neighbour" if beside else f"combines levels {sorted(levels)}"
    raise GridError(
        f"The reduction '{reduction.name}' on a forest {what}; expected the cell itself, of one "
        "level or of all.",
        hint="Assign the expression to a field of the forest in a kernel, and combine that.",
    )


def _read_by_others(launches: Iterable[Launch]) -> set[str]:
    """Return the fields that kernels read otherwise than as the carry of their own sweep."""
    found: set[str] = set()
    for launch in launches:
        carried = {access.field for access in launch.carries}
        found |= {access.field for access in launch.reads} - carried
    return found


def _named(items: tuple[Item, ...], boundaries: Mapping[str, tuple[Launch, ...]]) -> frozenset[str]:
    """Return the fields that items or the kernels of boundaries use or rename."""
    launches = (*all_launches(items), *chain.from_iterable(boundaries.values()))
    used = {name for one in launches for name in one.names}
    reduced = {item.field for item in walk(items) if isinstance(item, Reduced)}
    return frozenset(used | reduced | swapped_groups(items).keys())


def _written(items: Iterable[Item], before: set[str]) -> set[str]:
    """Return the names under which values written by the items are found after them."""
    names = set(before)
    for item in items:
        if isinstance(item, Launch):
            names |= {name for name, _ in item.writes}
        elif isinstance(item, Repeat | Every | Until):
            names |= _written(item.body, names)
        elif isinstance(item, Swap):
            swapped = {item.first: item.second, item.second: item.first}
            names = {swapped.get(name, name) for name in names}
    return names
