"""Solid cells: which cells of a flow are no fluid, on its grid or on each level of a forest.

On several levels each says that of its own cells. Beyond them it sees what the other level does: a
cell in the place of a coarser one is what that is; in the place of finer ones it counts as fluid,
since what these send arrives from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.apps.lbm.setup.bodies import numbered
from halocline.frozen import Frozen
from halocline.geometry import Box, bounding_box, directions, doubled, seen_along
from halocline.language.grids.forest import Forest, forest_behind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.apps.lbm.setup.setup import Setup
    from halocline.language.grids.grid import Grid
    from halocline.language.spaces.leaves import Leaves, Places


class SolidCells(Frozen, dict=True):
    """The solid cells of a grid, or of a level around its blocks.

    Attributes:
        grid: The grid.
        window: The cells of which all others are told, on a grid all.
        solid: Where cells are solid (shape of the window).
        owner: The number of the body that has each cell, from 1, and 0; None without bodies.
        own: Where cells are those of the level; others are another level's.
        coarser: Where they are in the place of a coarser one.
    """

    grid: Grid
    window: Box
    solid: NDArray[np.bool_]
    owner: NDArray[np.uint8] | None
    own: NDArray[np.bool_]
    coarser: NDArray[np.bool_]

    @property
    def periodic(self) -> tuple[bool, ...]:
        """Whether the window closes on itself, for each axis."""
        ends = zip(self.grid.periodic, self.window.extent, self.grid.extent, strict=True)
        return tuple(is_periodic and cells == n for is_periodic, cells, n in ends)

    @property
    def fluid(self) -> NDArray[np.bool_]:
        """The level's own fluid cells."""
        return self.own & ~self.solid

    @cached_property
    def inner(self) -> NDArray[np.bool_]:
        """Cells of the level around which all cells are, too, and none lies beyond a side."""
        cells = self.own.copy()
        for direction in directions(self.own.ndim):
            cells &= seen_along(self.own, direction, self.periodic)
        return cells

    @property
    def reaches_border(self) -> bool:
        """Whether solid cells of the level lie within two cells of another level's."""
        near = ~self.own
        for _ in range(2):
            around = (seen_along(near, d, self.periodic) for d in directions(near.ndim))
            near = near | np.any(list(around), axis=0)
        return bool((near & self.own & self.solid).any())


def solid_cells(setup: Setup, grid: Grid) -> tuple[SolidCells, ...]:
    """Return the solid cells of a flow on one grid; nothing if there are none."""
    if setup.solid is None:
        return ()
    own = np.ones(grid.extent, bool)
    return (SolidCells(grid, grid.domain, setup.solid, setup.owner, own, ~own),)


def solid_cells_on_levels(setup: Setup, forest: Forest) -> tuple[SolidCells, ...]:
    """Return the solid cells of a flow on each level; nothing if there are none.

    Raises:
        CaseError: A body has no cell.
    """
    if setup.solid is None and not setup.bodies:
        return ()
    levels: list[SolidCells] = []
    met: set[int] = set()
    for level in range(forest.levels):
        grid = forest.level(level)
        window = _window(forest, level, levels[-1].window if levels else grid.domain)
        places = [np.arange(*ends) for ends in zip(window.lower, window.upper, strict=True)]
        is_finer = forest.is_refined_at(level, places)
        coarser = np.zeros(window.extent, bool)
        if level:
            coarser = ~forest.is_refined_at(level - 1, [place // 2 for place in places])
        own = ~(is_finer | coarser)
        solid, owner = np.zeros(window.extent, bool), np.zeros(window.extent, np.uint8)
        if setup.solid is not None:
            solid |= split_in(window, setup.solid, level)
        if setup.bodies:
            inside = [body.shape.inside(grid, window) for body in setup.bodies]
            met |= {number for number, cells in enumerate(inside) if cells[own].any()}
            owner = numbered(inside)
            solid |= owner > 0
        if levels:
            within = doubled(levels[-1].window).lower
            seen = window.shift(tuple(-n for n in within))
            for cells, above in ((solid, levels[-1].solid), (owner, levels[-1].owner)):
                cells[coarser] = split_in(seen, above, 1)[coarser]
        for cells in (solid, owner):
            cells[is_finer] = 0
        levels.append(SolidCells(grid, window, solid, owner, own, coarser))
    for number, body in enumerate(setup.bodies):
        if number not in met:
            raise body.nowhere(forest.grid)
    forest.kept = _near_solids(forest.leaves, levels)
    return tuple(levels)


def _near_solids(leaves: Leaves, levels: Sequence[SolidCells]) -> tuple[Places, ...]:
    """Return the leaves that have solid cells, and those beside them.

    What is known of solid cells, and of the fluid around them, holds for these as they are.
    """
    with_solids = []
    for level, (places, cells) in enumerate(zip(leaves.levels, levels, strict=True)):
        blocks = (cells.solid[box.slices(cells.window.lower)] for box in leaves.boxes(level))
        with_solids.append(places[[bool(block.any()) for block in blocks]])
    return leaves.touching(with_solids)


def known_field(
    levels: Sequence[SolidCells],
    name: str,
    values: Sequence[NDArray[Any]],
    elsewhere: int = 0,
    **options: Any,
) -> Any:
    """Return a field of a grid, or of all levels of a forest, with values that stay.

    Args:
        levels: The solid cells of the grid, or of each level.
        name: Of the field.
        values: Of their cells, an array for each.
        elsewhere: What cells have that leaves get later: no solid cell is near.
        options: Those of 'Grid.field'.
    """
    forest = forest_behind(levels[0].grid)
    if forest is None:
        field = levels[0].grid.field(name, **options)
        field.set(values[0])
        return field
    field_on_levels = forest.field(name, coupling="none", **options)
    for level, (level_cells, its_values) in enumerate(zip(levels, values, strict=True)):
        field_on_levels.level(level).set(
            partial(_looked_up, forest, level_cells, level, its_values, elsewhere)
        )
    return field_on_levels


def _looked_up(
    forest: Forest,
    cells: SolidCells,
    level: int,
    values: NDArray[Any],
    elsewhere: int,
    *coordinates: NDArray[np.float64],
) -> NDArray[Any]:
    places = forest.cells_at(level, coordinates)
    ends = zip(places, cells.grid.extent, cells.window.lower, strict=True)
    inside = [at % n - low for at, n, low in ends]
    is_told = [(at >= 0) & (at < n) for at, n in zip(inside, cells.window.extent, strict=True)]
    inside_window: tuple[Any, ...] = (..., *np.ix_(*is_told))
    where: tuple[Any, ...] = (
        ...,
        *np.ix_(*(at[of] for at, of in zip(inside, is_told, strict=True))),
    )
    shape = (*values.shape[: -len(inside)], *map(len, inside))
    result = np.full(shape, elsewhere, values.dtype)
    result[inside_window] = values[where]
    return result


def _window(forest: Forest, level: int, above: Box) -> Box:
    """Return a box around the blocks of a level and all cells beyond its borders that it reads.

    Args:
        forest: The forest.
        level: The level.
        above: That of the next coarser level, in its cells, which has this one inside.
    """
    leaves = forest.leaves
    blocks = leaves.cells_at(leaves.blocks(level))
    bounds = bounding_box(blocks.every())
    if bounds is None:  # there is nothing to tell, but of some cell
        low = doubled(above).lower
        return Box(low, tuple(n + 2 for n in low))
    # Levels read no further than a block; links and slopes begin a little further away.
    margin = [2 * cells for cells in leaves.block]
    grown = bounds.grow(margin, margin)
    for axis, (n, is_periodic) in enumerate(
        zip(leaves.extent(level), leaves.periodic, strict=True)
    ):
        lower, upper = max(0, grown.lower[axis]), min(n, grown.upper[axis])
        if is_periodic and (grown.lower[axis] < 0 or grown.upper[axis] > n):
            lower, upper = 0, n
        grown = grown.clip(axis, lower, upper)
    return grown


def split_in(window: Box, cells: Any, finer: int) -> NDArray[Any]:
    """Return what the cells of a window are, as the cells in their place so many levels coarser."""
    ends = zip(window.lower, window.upper, strict=True)
    return np.asarray(cells[np.ix_(*(np.arange(*along) >> finer for along in ends))])
