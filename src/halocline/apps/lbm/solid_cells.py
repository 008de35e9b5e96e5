"""Solid cells: which cells of a flow are no fluid, on its grid or on each level of a forest.

On several levels each says that of its own cells. Beyond them it sees what the other level does: a
cell in the place of a coarser one is what that is; in the place of finer ones it counts as fluid,
since what these send arrives from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.apps.lbm.bodies import numbered
from halocline.geometry import directions, seen_along
from halocline.language.grids.forest import Forest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.apps.lbm.flow import Setup
    from halocline.language.grids.grid import Grid


@dataclass(frozen=True)
class SolidCells:
    """The solid cells of a grid.

    Attributes:
        grid: The grid.
        solid: Where cells are solid (shape of the grid).
        owner: The number of the body that has each cell, from 1, and 0; None without bodies.
        own: Where cells are those of the level; others are another level's.
        coarser: Where they are in the place of a coarser one.
    """

    grid: Grid
    solid: NDArray[np.bool_]
    owner: NDArray[np.uint8] | None
    own: NDArray[np.bool_]
    coarser: NDArray[np.bool_]

    @property
    def fluid(self) -> NDArray[np.bool_]:
        """The level's own fluid cells."""
        return self.own & ~self.solid

    @cached_property
    def inner(self) -> NDArray[np.bool_]:
        """Cells of the level around which all cells are, too, and none lies beyond a side."""
        found = self.own.copy()
        for direction in directions(self.own.ndim):
            found &= seen_along(self.own, direction, self.grid.periodic)
        return found

    @property
    def reaches_border(self) -> bool:
        """Whether solid cells of the level lie within two cells of another level's."""
        near = ~self.own
        for _ in range(2):
            around = (seen_along(near, d, self.grid.periodic) for d in directions(near.ndim))
            near = near | np.any(list(around), axis=0)
        return bool((near & self.own & self.solid).any())


def solid_cells(setup: Setup, grid: Grid) -> tuple[SolidCells, ...]:
    """Return the solid cells of a flow on one grid; nothing if there are none."""
    if setup.solid is None:
        return ()
    own = np.ones(grid.extent, bool)
    return (SolidCells(grid, setup.solid, setup.owner, own, ~own),)


def solid_cells_on_levels(setup: Setup, forest: Forest) -> tuple[SolidCells, ...]:
    """Return the solid cells of a flow on each level; nothing if there are none.

    Raises:
        CaseError: A body has no cell.
    """
    if setup.solid is None and not setup.bodies:
        return ()
    forest.fixed_by = "solid cells"
    found: list[SolidCells] = []
    met: set[int] = set()
    for level in range(forest.levels):
        grid = forest.level(level)
        is_finer = _is_refined(forest, level)
        coarser = np.zeros(grid.extent, bool)
        if level:
            coarser = ~split(_is_refined(forest, level - 1), 2)
        own = ~(is_finer | coarser)
        solid, owner = np.zeros(grid.extent, bool), np.zeros(grid.extent, np.uint8)
        if setup.solid is not None:
            solid |= split(setup.solid, 2**level)
        if setup.bodies:
            inside = [body.shape.inside(grid) for body in setup.bodies]
            met |= {number for number, cells in enumerate(inside) if cells[own].any()}
            owner = numbered(inside)
            solid |= owner > 0
        if found:
            for cells, above in ((solid, found[-1].solid), (owner, found[-1].owner)):
                cells[coarser] = split(above, 2)[coarser]
        for cells in (solid, owner):
            cells[is_finer] = 0
        found.append(SolidCells(grid, solid, owner, own, coarser))
    for number, body in enumerate(setup.bodies):
        if number not in met:
            raise body.nowhere(forest.grid)
    return tuple(found)


def known_field(grid: Any, name: str, values: Sequence[NDArray[Any]], **options: Any) -> Any:
    """Return a field of a grid, or of all levels of a forest, with values that stay.

    Args:
        grid: The grid or forest.
        name: Of the field.
        values: Of all cells, an array for each level.
        options: Those of 'Grid.field'.
    """
    if not isinstance(grid, Forest):
        field = grid.field(name, **options)
        field.set(values[0])
        return field
    field = grid.field(name, coupling="none", **options)
    for level, cells in enumerate(values):
        field.level(level).set(partial(_looked_up, grid, level, cells))
    return field


def _looked_up(
    forest: Forest, level: int, values: NDArray[Any], *coordinates: NDArray[np.float64]
) -> NDArray[Any]:
    places = forest.cells_at(level, coordinates)
    ends = zip(places, forest.level(level).extent, strict=True)
    where: tuple[Any, ...] = (..., *np.ix_(*(c % n for c, n in ends)))
    return np.asarray(values[where])


def _is_refined(forest: Forest, level: int) -> NDArray[np.bool_]:
    """Return where a finer level has the place of a level's cells."""
    return forest.is_refined_at(level, [np.arange(n) for n in forest.level(level).extent])


def split(cells: Any, parts: int) -> NDArray[Any]:
    """Return what so many finer cells along each axis are, as the cell in their place."""
    for axis in range(cells.ndim):
        cells = np.repeat(cells, parts, axis)
    return np.asarray(cells)
