"""Checks of layouts: whether blocks are as wide as halos, and fields stored with what is wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.errors import PlanError
from halocline.geometry import AXES
from halocline.plan.program.program import all_launches
from halocline.plan.schedule.layout import make_layouts
from halocline.plan.schedule.schedule import make_schedule

if TYPE_CHECKING:
    from collections.abc import Iterable

    from halocline.geometry import Offset
    from halocline.plan.blocks.decomposition import Decomposition
    from halocline.plan.cells.strategy import Strategy
    from halocline.plan.program.program import Launch, Program
    from halocline.plan.schedule.layout import FieldLayout

# Deeper halos are checked before they are planned.
_QUICKLY_PLANNED = 4


def check_before_planning(
    program: Program, strategy: Strategy, decomposition: Decomposition
) -> None:
    """Refuse what cannot be planned, and what takes long to plan only to be refused then.

    Raises:
        PlanError: Halos are wider than blocks; or on a forest a kernel assigns next door, or all
            is to be computed again.
    """
    if decomposition.is_forest:
        _check_own_cells(all_launches(program.steps))
    if decomposition.is_forest and strategy.is_widening:
        raise PlanError(
            f"{_asked(strategy)} were asked for on a forest, where cells of other levels have "
            "values that no block can compute again.",
            hint="Use depth=1, steps_in_cache=1 and another recompute than 'all'.",
        )
    if strategy.steps_between_exchanges <= _QUICKLY_PLANNED:
        return
    _check_depth(_extrapolated(program, strategy), decomposition, strategy)
    if strategy.steps_between_exchanges > max(program.extent):
        raise PlanError(
            f"{_asked(strategy)} were asked for, but the grid has at most "
            f"{max(program.extent)} cells along an axis.",
            hint="Use a smaller depth.",
        )


def _check_own_cells(launches: Iterable[Launch]) -> None:
    """Refuse kernels that assign next door: across a border that is another level's cell."""
    for launch in launches:
        found = (a.field for a in launch.assigns if any(a.displacement) and not launch.on_demand)
        if (name := next(found, None)) is not None:
            raise PlanError(
                f"Kernel '{launch.kernel.name}' assigns '{name}' of a neighbour on a forest, where "
                "that cell may be another level's; expected kernels that assign their own cell.",
                hint="Read neighbours instead.",
                place=launch.place,
            )


def check_layouts(
    wanted: tuple[FieldLayout, ...],
    stored: tuple[FieldLayout, ...],
    strategy: Strategy,
    decomposition: Decomposition,
) -> None:
    """Refuse layouts that cannot be.

    Args:
        wanted: The layouts.
        stored: How fields are already stored.
        strategy: What they are for.
        decomposition: The blocks.

    Raises:
        PlanError: A field is of a level without blocks or stored with less, or a halo is wider
            than the grid or a block.
    """
    for space in {layout.space for layout in wanted}:
        decomposition.on(space)
    _check_stored(wanted, stored)
    _check_wrap(wanted, decomposition)
    if strategy.is_widening:
        _check_depth(wanted, decomposition, strategy)


def _asked(strategy: Strategy) -> str:
    depth, steps = strategy.steps_between_exchanges, strategy.steps_in_cache
    if depth == 1:
        return "Halos for which all is computed again"
    return f"Halos of depth {depth}" + (f", for {steps} steps in the caches," if steps > 1 else "")


def _extrapolated(program: Program, strategy: Strategy) -> tuple[FieldLayout, ...]:
    """Return the layouts of deep halos without planning them, which takes the longer the deeper.

    From the second step on, each widens halos by as much as the one before.
    """
    shallow = replace(strategy, depth=1, steps_in_cache=1)
    two, three = (
        make_layouts(program, make_schedule(program, replace(shallow, depth=depth)))
        for depth in (2, 3)
    )
    more = strategy.steps_between_exchanges - 3

    def wider(last: Offset, before: Offset) -> Offset:
        return tuple(w + more * (w - v) for w, v in zip(last, before, strict=True))

    return tuple(
        replace(b, lower=wider(b.lower, a.lower), upper=wider(b.upper, a.upper))
        for a, b in zip(two, three, strict=True)
    )


def _check_stored(wanted: Iterable[FieldLayout], stored: Iterable[FieldLayout]) -> None:
    known = {layout.name: layout for layout in stored}
    for layout in wanted:
        have = known.get(layout.name, layout)
        if layout.fits(have):
            continue
        needed, there = (max(one.lower + one.upper) for one in (layout, have))
        if needed > there:
            found = f"would need a halo of {needed} cells, but is stored with {there}"
        else:
            found = "would be used along borders of levels, where it is not stored"
        raise PlanError(
            f"Field '{layout.name}' {found}.",
            hint="Put the kernel into the steps of the simulation, then its halo is known.",
        )


def _check_depth(
    layouts: Iterable[FieldLayout], decomposition: Decomposition, strategy: Strategy
) -> None:
    """Refuse halos that are wider than the narrowest block."""
    for axis, count in enumerate(decomposition.shape):
        if count == 1 and not decomposition.periodic[axis]:
            continue
        for layout in layouts:
            narrowest = decomposition.on(layout.space).narrowest(axis)
            width = max(layout.lower[axis], layout.upper[axis])
            if width > narrowest:
                raise PlanError(
                    f"{_asked(strategy)} make field '{layout.name}' need {width} cells from "
                    f"its neighbours along {AXES[axis]}, but the narrowest block has only "
                    f"{narrowest} there.",
                    hint="Use a smaller depth, fewer ranks or another decomposition."
                    if strategy.steps_between_exchanges > 1
                    else "Use recompute='rim', fewer ranks or another decomposition.",
                )


def _check_wrap(layouts: Iterable[FieldLayout], decomposition: Decomposition) -> None:
    """Refuse halos that lead more than once around rows along x which are cut or shifted.

    Kernels go around closed rows, exchanges around the other axes, as often as it takes.
    """
    for layout in (one for one in layouts if one.space.periodic[0] and 0 in one.space.axes):
        width, cells = max(layout.lower[0], layout.upper[0]), layout.space.extent[0]
        blocks = decomposition.on(layout.space)
        if width > cells and not all(map(blocks.wrap_of, range(decomposition.blocks))):
            raise PlanError(
                f"Field '{layout.name}' needs a halo of {width} cells along x, but the periodic "
                f"grid is only {cells} wide there, and its rows are cut or shifted.",
                hint="Use blocks that span x, such as decomposition='rows', a grid of at least "
                f"{width} cells there, or shorter offsets: cells come again after {cells}, so "
                f"that the offset {width} is {width % cells}.",
            )
