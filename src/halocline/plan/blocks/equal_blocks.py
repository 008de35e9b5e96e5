"""Blocks of equal size, of one level or several: where they lie, and which of them have a face."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from halocline.box_array import distinct
from halocline.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


class EqualBlocks(Frozen, eq=False):
    """Blocks that all have as many cells; those of a level are half as wide as those one below.

    They do not overlap. They need not fill the domain.

    Attributes:
        places: Where each lies (blocks, axes), counted in blocks of its level.
        levels: Of each (blocks), from 0.
        roots: How many blocks of level 0 the domain is wide, along each axis.
        cells: Cells of a block along each axis.
        periodic: Whether the domain closes on itself, for each axis.
    """

    places: NDArray[np.int64]
    levels: NDArray[np.int64]
    roots: tuple[int, ...]
    cells: tuple[int, ...]
    periodic: tuple[bool, ...]

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.places)

    @property
    def finest(self) -> int:
        """The highest level."""
        return int(np.max(self.levels, initial=0))

    @property
    def corners(self) -> NDArray[np.int64]:
        """Where the low corner of each lies (blocks, axes), counted in blocks of the finest."""
        return self.places << (self.finest - self.levels)[:, np.newaxis]

    def some(self, numbers: NDArray[np.intp]) -> EqualBlocks:
        """Return those with some numbers."""
        return replace(self, places=self.places[numbers], levels=self.levels[numbers])

    def as_roots(self) -> EqualBlocks:
        """Return blocks of one level as blocks of level 0."""
        roots = tuple([n << self.finest for n in self.roots])
        return replace(self, levels=np.zeros_like(self.levels), roots=roots)

    def faces(self) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """Return the faces that two blocks have in common.

        Returns:
            The numbers of both blocks (faces, 2), and how many cells lie on a face, on its finer
            side (faces).
        """
        areas = [prod(self.cells) // n for n in self.cells]
        found = [*self._found_faces()]
        pairs = [np.zeros((0, 2), dtype=np.intp), *(pairs for pairs, _ in found)]
        sizes = [np.full(len(pairs), areas[axis]) for pairs, axis in found]
        return np.concatenate(pairs), np.concatenate([np.zeros(0, dtype=np.int64), *sizes])

    def _found_faces(self) -> Iterator[tuple[NDArray[np.intp], int]]:
        """Yield the faces with equal or coarser blocks, axis by axis, and the axis."""
        levels = [_Level(self, level) for level in distinct(self.levels).tolist()]
        for position, level in enumerate(levels):
            for axis in range(len(self.roots)):
                for step in (1, -1):
                    numbers, beside = level.beside(axis, step)
                    # Equal blocks find each other in both directions.
                    for other in levels[: position + (step > 0)]:
                        found = other.at(beside >> (level.level - other.level))
                        is_face = (found >= 0) & (found != numbers)
                        yield np.stack((numbers[is_face], found[is_face]), axis=1), axis


class _Level:
    """The blocks of a level, found by their places."""

    def __init__(self, blocks: EqualBlocks, level: int) -> None:
        self.level = level
        self._extent = tuple(n << level for n in blocks.roots)
        self._periodic = blocks.periodic
        numbers = np.flatnonzero(blocks.levels == level)
        keys = self._keys(blocks.places[numbers])
        in_order = np.argsort(keys)
        self._numbers, self._in_order = numbers[in_order], keys[in_order]
        self._places = blocks.places[self._numbers]

    def _keys(self, places: NDArray[np.int64]) -> NDArray[np.intp]:
        return np.asarray(np.ravel_multi_index(tuple(places.T), self._extent))

    def at(self, places: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return the numbers of the blocks at places, -1 where there is none."""
        keys = self._keys(places)
        positions = np.searchsorted(self._in_order[:-1], keys)
        return np.where(self._in_order[positions] == keys, self._numbers[positions], -1)

    def beside(self, axis: int, step: int) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """Return the blocks with more of the domain beside them, and the places there."""
        n, beside = self._extent[axis], self._places.copy()
        beside[:, axis] += step
        if self._periodic[axis]:
            beside[:, axis] %= n
        is_inside = (beside[:, axis] >= 0) & (beside[:, axis] < n)
        return self._numbers[is_inside], beside[is_inside]
