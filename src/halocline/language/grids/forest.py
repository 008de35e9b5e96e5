"""Forest: a domain of blocks, each refined zero or more times by two, where that is wanted."""

from __future__ import annotations

from functools import reduce
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from halocline.errors import GridError, OutOfMemoryError, described
from halocline.free_memory import free_memory, size_text
from halocline.geometry import AXES, Box, by_axes
from halocline.language.expressions.parameters import Parameter
from halocline.language.grids.composite import CompositeField
from halocline.language.grids.criterion import Criterion, check_arguments, levels_at
from halocline.language.grids.grid import Grid
from halocline.language.numbers import Range, whole_number
from halocline.language.place import user_place
from halocline.language.spaces.leaves import (
    Leaves,
    box_at,
    by_block,
    cells_of,
    joined_places,
    places_in,
    unrefined,
)
from halocline.language.spaces.regrading import refined
from halocline.launched import launched_ranks
from halocline.memo import memoised

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from halocline.language.spaces.leaves import Places

# Cells a thousand million times smaller: more would leave the range of whole numbers.
_MOST_REFINED = 30

# At how many places spots are looked for that lie between the middles of cells, and into how many
# parts these are divided for that.
_MOST_LOOKED_AT, _MOST_PARTS = 2**21, 16

# In how many cells a criterion is asked for levels at once.
_MOST_AT_ONCE = 2**20

# What a number in a cell takes, and on every rank what is known of a leaf [bytes].
_VALUE_BYTES, _LEAF_BYTES = 8, 500


class Forest:
    """A domain of blocks on several levels; each level's cells are half as wide as those before.

    Blocks have the same number of cells on all levels. Fields of a forest have values on all its
    levels, and a kernel called with them runs on all; neighbours are at most one level apart, also
    over edges and corners. Several simulations may run on one forest, as on a grid.

    Args:
        extent: Cells of the coarsest level along x, y, z; a number for one axis.
        block: Cells of a block, along all axes or along each: even numbers, at least 4, that divide
            the extent.
        finest: How often blocks are refined at most.
        refine: A function of the coordinates x, y, z of cells that returns a level for each. A
            block is refined if that is higher anywhere in it.
        periodic: Whether the domain closes on itself, for all axes or for each.
        spacing: Edge length of a cell of the coarsest level, for all axes or for each.
        origin: Coordinate of the low corner of the domain.
        substeps: How often a level steps while the next coarser one steps once: 2, so that the
            ratio of cell and step stays the same, or 1, so that all levels do the same steps.

    Raises:
        GridError: An argument has no meaning, or the criterion wants the finest level everywhere.
        OutOfMemoryError: There is no memory for one field.

    Example:
        >>> hc.Forest((64, 64), refine=lambda x, y: x + y > 100)
        <forest of 64x64 cells on level 0; blocks of 16x16 cells: 13 on level 0, 12 on level 1>
    """

    def __init__(  # noqa: PLR0913 (what a grid takes, and how it is refined)
        self,
        extent: int | Sequence[int],
        *,
        block: int | Sequence[int] = 16,
        finest: int = 1,
        refine: Criterion,
        periodic: Any = False,
        spacing: Any = 1.0,
        origin: Any = 0.0,
        substeps: int = 2,
    ) -> None:
        self.grid = Grid(extent, periodic, spacing, origin)
        self.finest = whole_number("'finest'", finest, Range(least=0, most=_MOST_REFINED))
        self.substeps = whole_number("'substeps'", substeps, Range(least=1, most=2))
        self.fields: dict[str, CompositeField] = {}
        # What holds for its blocks as they are, so that they must not change; '' for nothing.
        self.fixed_by = ""
        # Leaves of each level that stay as they are: more of them is known than fields can follow.
        self.kept: tuple[Places, ...] = ()
        # By level, of those of which somebody asks when their steps begin; see 'begin_of'.
        self.begins: dict[int, Parameter] = {}
        cells = self._block(block)
        shape = tuple(n // b for n, b in zip(self.grid.extent, cells, strict=True))
        if any(self.grid.is_stretched(axis) for axis in range(self.grid.dimensions)):
            raise GridError(
                "A forest was given cells of different widths; expected one width along each axis.",
                place=user_place(),
            )
        # The blocks as they are now.
        self.leaves = unrefined(shape, cells, self.grid.periodic, self.finest)
        self.leaves = self._refined(self.leaves, refine)
        self.grid.state.forest = self

    @property
    def title(self) -> str:
        """What it is, in words: its cells, and the blocks of each level."""
        counts = map(len, self.leaves.levels)
        cells_of_levels = ", ".join(f"{n} on level {level}" for level, n in enumerate(counts) if n)
        return (
            f"forest of {by_axes(self.grid.extent)} cells on level 0; blocks of "
            f"{by_axes(self.leaves.block)} cells: {cells_of_levels}"
        )

    def __repr__(self) -> str:
        """Return the cells, the blocks of each level and the fields."""
        names = ", ".join(self.fields)
        return f"<{self.title}; fields {names}>" if names else f"<{self.title}>"

    def _block(self, block: int | Sequence[int]) -> tuple[int, ...]:
        extent = self.grid.extent
        cells = tuple(block) if np.iterable(block) else (block,) * len(extent)
        is_fit = len(cells) == len(extent) and all(
            b >= 4 and b % 2 == 0 and n % b == 0  # noqa: PLR2004 (see the message)
            for n, b in zip(extent, cells, strict=False)
        )
        if not is_fit:
            raise GridError(
                f"A forest of {by_axes(extent)} cells was given blocks of {by_axes(cells)}; "
                "expected even numbers of cells, at least 4, that divide those of the domain along "
                "each axis.",
                hint="Blocks of 16 or 32 cells are a good choice.",
                place=user_place(),
            )
        return tuple(map(int, cells))

    @property
    def levels(self) -> int:
        """How many levels there may be."""
        return self.finest + 1

    @property
    def cells(self) -> int:
        """How many cells the leaves have."""
        return self.leaves.cells

    @property
    def updates(self) -> int:
        """How many cells the steps of all levels compute in a step of the coarsest."""
        cells_of_leaf = self.cells // self.leaves.count
        return sum(
            len(positions) * cells_of_leaf * self.substeps**level
            for level, positions in enumerate(self.leaves.levels)
        )

    @property
    def dimensions(self) -> int:
        """Number of axes."""
        return self.grid.dimensions

    @property
    def sides(self) -> tuple[str, ...]:
        """Names of the sides where the domain does not close."""
        return self.grid.sides

    @memoised
    def level(self, level: int) -> Grid:
        """Return the grid of a level's cells, in the whole domain; below 0 for coarser ones."""
        return self.grid.refine(2**level) if level >= 0 else self.grid.coarsen(2**-level)

    def cells_at(
        self, level: int, coordinates: Sequence[NDArray[np.float64]]
    ) -> list[NDArray[np.int64]]:
        """Return the numbers of the cells of a level at some coordinates, along each axis."""
        grid = self.level(level)
        ends = zip(coordinates, grid.origin, grid.spacing, strict=True)
        return [np.floor((at - o) / width).astype(np.int64).ravel() for at, o, width in ends]

    def is_refined_at(self, level: int, cells: Sequence[NDArray[np.int64]]) -> NDArray[np.bool_]:
        """Return where a finer level has the place of cells, given along each axis.

        Beyond a periodic side are those across it; beyond other sides there is none.
        """
        leaves, extent = self.leaves, self.leaves.extent(level)
        inside = [
            np.ones(c.shape, bool) if closes else (c >= 0) & (c < n)
            for c, n, closes in zip(cells, extent, self.grid.periodic, strict=True)
        ]
        places = [c % n // b for c, n, b in zip(cells, extent, leaves.block, strict=True)]
        # A table of the blocks that are met.
        met, numbers = zip(*(np.unique(p, return_inverse=True) for p in places), strict=True)
        blocks = np.stack([at.ravel() for at in np.meshgrid(*met, indexing="ij")], axis=1)
        table = leaves.are_refined(level, blocks).reshape(tuple(map(len, met)))
        is_inside = reduce(np.logical_and, np.meshgrid(*inside, indexing="ij", sparse=True))
        return np.asarray(table[np.ix_(*numbers)] & is_inside)

    def begin_of(self, level: int) -> Parameter:
        """Return when a level's step begins, in steps of the coarsest level after that one's.

        A number that differs from sub-step to sub-step: (hc.step + forest.begin_of(1)) * dt.
        """
        if level not in self.begins:
            self.begins[level] = Parameter(0.0, f"begin_of_level_{level}")
        return self.begins[level]

    def field(self, name: str, **options: Any) -> CompositeField:
        """Declare a field on all levels.

        Args:
            name: Its name in plans, reports and files.
            options: Those of 'Grid.field', and of 'CompositeField'.
        """
        composite = CompositeField(self, name, **options)
        self.fields[name] = composite
        return composite

    def _refined(self, leaves: Leaves, criterion: Criterion) -> Leaves:
        if not callable(criterion):
            raise GridError(
                f"A forest was given refine={described(criterion)}; expected a function of "
                f"the coordinates {', '.join(AXES[: self.grid.dimensions])} that returns the level "
                "wanted.",
                place=user_place(),
            )
        check_arguments(criterion, self.dimensions)

        def wanted(level: int, places: Places) -> NDArray[np.bool_]:
            self._check_memory(level, places)
            lowest, highest = self._wanted(criterion, level, places)
            if level == 0 and self.finest:
                self._check_everywhere(lowest)
                if highest.max() <= 0:
                    self._check_nowhere(criterion, lowest)
            return np.asarray(highest > level)

        return refined(leaves, wanted)

    def _check_memory(self, level: int, places: Places) -> None:
        """Refuse a level that has more cells than there is memory for a field of all ranks."""
        block = self.leaves.block
        cells, ranks = len(places) * prod(block), launched_ranks() or 1
        needed = _VALUE_BYTES * cells / ranks + _LEAF_BYTES * len(places)
        if needed > (free := free_memory()):
            first = box_at(tuple(places[0].tolist()), block)
            where = tuple(float(c.flat[0]) for c in self.level(level).coordinates("center", first))
            raise OutOfMemoryError(
                f"A forest has {len(places)} blocks of level {level}, the first near {where}: "
                f"one number in each of their {cells} cells takes {size_text(needed)} on a rank, "
                f"where {size_text(free)} are free.",
                hint="Refine fewer places or fewer times, or use more ranks on more nodes.",
                place=user_place(),
            )

    def _check_everywhere(self, lowest: int) -> None:
        """Refuse a criterion that wants the finest level in all cells."""
        if lowest < self.finest:
            return
        extent = self.level(self.finest).extent
        raise GridError(
            f"The criterion of a forest wants level {lowest} everywhere, so all {by_axes(extent)} "
            f"cells would be of the finest level, {self.finest}; expected lower levels in some "
            "places.",
            hint="For cells of one size use an hc.Grid; else look at what the criterion is given: "
            f"coordinates from {self.grid.origin} on.",
            place=user_place(),
        )

    def _check_nowhere(self, criterion: Criterion, lowest: int) -> None:
        """Refuse a criterion that refines nothing, but not because it wants level 0 everywhere."""
        if lowest < 0:
            raise GridError(
                f"The criterion of a forest wants levels from {lowest} to 0, so nothing would be "
                "refined; expected higher levels where cells are to be finer.",
                hint="Look at its sign; a forest that is not refined yet wants level 0 everywhere.",
                place=user_place(),
            )
        self._check_between(criterion)

    def _check_between(self, criterion: Criterion) -> None:
        """Refuse a criterion that wants something where no cell of level 0 has its middle."""
        share = (_MOST_LOOKED_AT / self.cells) ** (1 / self.dimensions)
        parts = min(int(share), _MOST_PARTS)
        ends = zip(self.grid.origin, self.grid.spacing, self.grid.extent, strict=True)
        along = [o + width / parts * (np.arange(n * parts) + 0.5) for o, width, n in ends if parts]
        blocks = self.leaves.levels[0].tolist() if along else ()
        for position in blocks:
            box = box_at(position, tuple(n * parts for n in self.leaves.block))
            places = np.ix_(*(a[l:u] for a, l, u in zip(along, box.lower, box.upper, strict=True)))
            values = levels_at(criterion, places)
            at = np.unravel_index(np.argmax(values), values.shape)
            if values[at] < 1:
                continue
            where = tuple(float(c.flat[n]) for c, n in zip(places, at, strict=True))
            raise GridError(
                f"Level {int(values[at])} was requested at {where}, but in so small a spot that no "
                "cell of level 0 has its middle there: nothing would be refined.",
                hint=f"Make the spot as wide as a cell, {by_axes(self.grid.spacing)}.",
                place=user_place(),
            )

    def _wanted(
        self, criterion: Criterion, level: int, places: Places
    ) -> tuple[int, NDArray[np.float64]]:
        """Return the lowest level that is wanted anywhere, and the highest in each block.

        The criterion is asked for all blocks at once that make a box, if that is not too large.
        """
        grid, at_once = self.level(level), max(1, _MOST_AT_ONCE // prod(self.leaves.block))
        boxes = [part for box in joined_places(places) for part in _parts(box, at_once)]
        lowest, highest = zip(
            *(self._wanted_in(criterion, grid, box) for box in boxes), strict=True
        )
        order = np.argsort(self.leaves.keys(level, np.concatenate(list(map(places_in, boxes)))))
        return int(min(lowest)), np.concatenate(highest)[order]

    def _wanted_in(
        self, criterion: Criterion, grid: Grid, blocks: Box
    ) -> tuple[float, NDArray[np.float64]]:
        """Return the lowest level that is wanted in a box of blocks, and the highest in each."""
        width = self.leaves.block
        coordinates = grid.coordinates("center", cells_of(blocks, width))
        values = levels_at(criterion, coordinates)
        cells = by_block(values, width)
        within = tuple(range(1, cells.ndim, 2))
        lowest, highest = np.floor(values.min()), np.floor(cells.max(axis=within))

        def where(wrong: NDArray[np.bool_]) -> tuple[float, ...]:
            first = np.argwhere(wrong)[0] * width
            return tuple(float(c.flat[n]) for c, n in zip(coordinates, first, strict=True))

        if not (np.isfinite(lowest) and np.isfinite(highest).all()):
            is_finite = np.isfinite(cells).all(axis=within)
            raise GridError(
                f"The criterion of a forest returned values near {where(~is_finite)} that are no "
                "finite numbers; expected a level at each place.",
                place=user_place(),
            )
        if (is_too_fine := highest > self.finest).any():
            level = int(highest[is_too_fine][0])
            raise GridError(
                f"Level {level} was requested near {where(is_too_fine)}, but the finest is "
                f"{self.finest}.",
                hint="Give the forest a higher 'finest', or a criterion that asks for less.",
                place=user_place(),
            )
        return float(lowest), highest.ravel()


def _parts(box: Box, most: int) -> Iterator[Box]:
    """Yield parts of a box none of which has more cells than that."""
    if box.cells <= most:
        yield box
        return
    for half in box.split(2):
        yield from _parts(half, most)


class Size(NamedTuple):
    """How much there is to compute.

    Attributes:
        cells: Of the domain; of a forest those of all leaves.
        updates: How many are computed in a step: those of finer levels as often as they step.
    """

    cells: int
    updates: int


def size_of(grid: Grid) -> Size:
    """Return how much there is to compute on a grid, or on the forest of whose levels it is one."""
    forest = grid.state.forest
    cells = grid.first.domain.cells
    return Size(cells, cells) if forest is None else Size(forest.cells, forest.updates)


def forest_behind(grid: Grid | Forest) -> Forest | None:
    """Return a forest, or that of whose levels a grid is one; None if there is none."""
    return grid if isinstance(grid, Forest) else grid.state.forest


def grid_of(domain: Grid | Forest) -> Grid:
    """Return a grid, or that of the coarsest level of a forest."""
    return domain.grid if isinstance(domain, Forest) else domain


def forest_for(grid: Grid, call: str) -> Forest:
    """Return the forest of whose levels a grid is one, for a call that needs one.

    Raises:
        GridError: It is none.
    """
    if grid.state.forest is None:
        raise GridError(
            f"'{call}' was called for a grid of {by_axes(grid.extent)} cells; expected a forest.",
            hint="Make an hc.Forest, and fields of it.",
            place=user_place(),
        )
    return grid.state.forest
