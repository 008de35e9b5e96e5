"""What a series of a forest is filled from: the leaves of a level, where they are, or all as one.

Leaves may change from time to time; values are those of the leaves that there are when written.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.box_array import join
from halocline.geometry import Box
from halocline.io.store import edge_of_piece
from halocline.io.variable import Variable
from halocline.language.grids.grid import Grid
from halocline.language.grids.resampled import resampled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from halocline.io.level_means import LevelMeans
    from halocline.io.quantity import Quantity
    from halocline.io.store import Place
    from halocline.language.grids.forest import Forest
    from halocline.language.grids.resampled import Prolongation
    from halocline.language.spaces.leaves import Leaves


def missing_of(dtype: np.dtype[Any]) -> Any:
    """Return what stands for no value: NaN, the least whole number, or the greatest unsigned."""
    if dtype.kind == "f":
        return dtype.type(np.nan)
    return dtype.type(np.iinfo(dtype).max if dtype.kind == "u" else np.iinfo(dtype).min)


class OnLevel:
    """The leaves of one level of a quantity, piece by piece as they are stored.

    Args:
        quantity: The quantity, of a forest.
        level: The level, which need not have leaves now.
        box: The cells that are stored.
        dtype: As what; truth values as whole numbers, for some may be missing.
        mean: What has its means; None for what it is at each time.
    """

    def __init__(
        self,
        quantity: Quantity,
        level: int,
        box: Box,
        dtype: np.dtype[Any],
        mean: LevelMeans | None = None,
    ) -> None:
        self.quantity = quantity.on(level)
        self.name = quantity.name
        self.dtype = np.dtype("int8") if dtype.kind == "b" else dtype
        self.missing = missing_of(self.dtype)
        self.mean = mean
        self._values = mean or quantity
        self._space = self.quantity.of_grid.space
        self._forest = quantity.of_forest.forest
        self._box = box
        # Those of the blocks that 'found' belongs to.
        self._leaves: Leaves | None = None
        self._found: list[Box] = []

    def variable(self) -> Variable:
        """See 'Source'; of all cells, not those of the box alone."""
        return self.quantity.variable(np.broadcast_to(self.dtype.type(0), self._space.shape))

    def gathered(self) -> Iterator[tuple[Place, NDArray[Any] | None]]:
        """Yield the pieces that have leaves; see 'Source'."""
        for piece in _pieces(self._box):
            boxes = [box.intersect(piece) for box in self._boxes() if box.meets(piece)]
            if boxes:
                yield piece.slices(self._box.lower), self._filled(piece, boxes)

    def _boxes(self) -> list[Box]:
        """Return the cells of the leaves."""
        leaves = self._forest.leaves
        if leaves is not self._leaves:
            joined = join(leaves.boxes(self._space.level))
            self._leaves, self._found = leaves, list(map(self._space.with_closing, joined))
        return self._found

    def _filled(self, piece: Box, boxes: Sequence[Box]) -> NDArray[Any] | None:
        found = self._values.gather_boxes(self._space.level, boxes)
        if found is None:
            return None
        result = np.full(piece.extent, self.missing, self.dtype)
        for box, values in zip(boxes, found, strict=True):
            result[box.slices(piece.lower)] = values
        return result


class LeafMap:
    """Where a level has leaves.

    Args:
        forest: The forest.
        level: The level.
    """

    name = "leaf"
    missing = None
    mean = None

    def __init__(self, forest: Forest, level: int) -> None:
        self._forest = forest
        self._level = level

    def variable(self) -> Variable:
        """See 'Source'; it has values for blocks as if these were the cells of a grid."""
        whole, block = self._forest.level(self._level), self._forest.leaves.block
        spacing = tuple(h * n for h, n in zip(whole.spacing, block, strict=True))
        blocks = Grid(self._shape, whole.periodic, spacing, whole.origin)
        zeros = np.broadcast_to(np.int8(0), self._shape)
        what = "1 where a block of the level is a leaf, else 0"
        return Variable(self.name, zeros, "1", what, grid=blocks)

    @property
    def _shape(self) -> tuple[int, ...]:
        return tuple(n << self._level for n in self._forest.leaves.shape)

    def gathered(self) -> Iterator[tuple[Place, NDArray[Any]]]:
        """Yield the whole map, which all ranks know; see 'Source'."""
        result = np.zeros(self._shape, np.int8)
        result[tuple(self._forest.leaves.levels[self._level].T)] = 1
        yield (), result


class Resampled:
    """A quantity of a forest on the cells of one level.

    Args:
        quantity: The quantity, of a forest.
        how: Whose cells, and what they get where leaves are coarser.
        box: The cells that are stored.
        dtype: As what.
        mean: What has its means; None for what it is at each time.
    """

    missing = None

    def __init__(
        self,
        quantity: Quantity,
        how: tuple[int, Prolongation],
        box: Box,
        dtype: np.dtype[Any],
        mean: LevelMeans | None = None,
    ) -> None:
        self.quantity = quantity
        self.name = quantity.name
        self.mean = mean
        self._values = mean or quantity
        self._how = how
        self._box = box
        self.dtype = dtype

    def variable(self) -> Variable:
        """See 'Source'; of all cells, not those of the box alone."""
        on_level = self.quantity.on(self._how[0])
        shape = on_level.of_grid.space.shape
        return on_level.variable(np.broadcast_to(self.dtype.type(0), shape))

    def gathered(self) -> Iterator[tuple[Place, NDArray[Any] | None]]:
        """Yield all values of the box at once; see 'Source'."""
        whole = resampled(self.quantity.of_forest, [self._values.gather_boxes], *self._how)
        if whole is not None:
            whole = whole[self._box.slices((0,) * whole.ndim)].astype(self.dtype)
        yield (), whole


def _pieces(box: Box) -> Iterator[Box]:
    """Yield the pieces in which a box is stored."""
    edges = [edge_of_piece(n) for n in box.extent]
    for corner in product(*map(range, box.lower, box.upper, edges)):
        upper = (min(c + e, u) for c, e, u in zip(corner, edges, box.upper, strict=True))
        yield Box(corner, tuple(upper))
