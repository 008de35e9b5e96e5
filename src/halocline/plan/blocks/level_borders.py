"""The cells of a level of a forest, and those beside them in blocks of other levels.

What lies in a block beside leaves depends on the directions in which these lie from it. So it is
found once for blocks that see leaves in the same directions, and moved to each of them.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from halocline.box_array import BoxArray, enumerated
from halocline.geometry import Box, box_of, codimension, directions, without
from halocline.language.spaces.leaves import places_in
from halocline.plan.blocks.level_corners import corner_cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Direction
    from halocline.language.spaces.leaves import Leaves


class Pieces(NamedTuple):
    """Cells of a level.

    Attributes:
        ranks: Of each box of them (boxes).
        boxes: The cells.
    """

    ranks: NDArray[np.intp]
    boxes: BoxArray


class _Seen(NamedTuple):
    """Blocks beside leaves, once for each leaf and direction.

    Attributes:
        leaves: The number of the leaf on its level (found).
        directions: The number of the direction from the leaf to the block (found).
        places: Where the block lies (found, axes).
    """

    leaves: NDArray[np.intp]
    directions: NDArray[np.intp]
    places: NDArray[np.int64]


class LevelBorder:
    """Finds the cells of a level, and those beside them that lie in blocks of other levels.

    Args:
        leaves: The forest.
        level: The level.
        ranks: For each level the rank of each leaf.
    """

    def __init__(self, leaves: Leaves, level: int, ranks: Sequence[NDArray[np.intp]]) -> None:
        self._leaves, self._level, self._ranks = leaves, level, ranks
        self._ways = list(directions(len(leaves.shape)))

    @cached_property
    def _beside(self) -> _Seen:
        """The places beside leaves where no leaf of the level is, sides first."""
        leaves, level = self._leaves, self._level
        positions = leaves.levels[level]
        found = []
        for way, direction in enumerate(self._ways):
            is_inside, places = leaves.beside(level, positions, direction)
            (numbers,) = np.nonzero(is_inside & (leaves.numbers(level, places) < 0))
            found.append(_Seen(numbers, np.full(len(numbers), way), places[numbers]))
        seen = _Seen(*map(np.concatenate, zip(*found, strict=True)))
        # A cell beside several leaves belongs with one whose side it touches, if there is one.
        sides = np.array([codimension(direction) for direction in self._ways])[seen.directions]
        order = np.lexsort((seen.directions, seen.leaves, sides))
        return _Seen(*(part[order] for part in seen))

    def leaves(self) -> Pieces:
        """Return the cells of the leaves."""
        positions = self._leaves.levels[self._level]
        return Pieces(self._ranks[self._level], self._leaves.cells_at(positions))

    def ghosts(self, depth: int) -> Pieces:
        """Return the cells of coarser blocks that lie so near to leaves."""
        found = self._near(depth, is_finer=False, is_halved=False)
        return Pieces(self._ranks[self._level][found.leaves], found.boxes)

    def covered(self, depth: int) -> Pieces:
        """Return the cells of refined blocks that lie so near to leaves."""
        found = self._near(depth, is_finer=True, is_halved=True)
        if not len(found.leaves):  # as on the finest level
            return self._pieces([])
        halves = places_in(box_of((2,) * len(self._leaves.shape)))
        children = 2 * found.places + halves[found.halves]
        numbers = self._leaves.numbers(self._level + 1, children)
        return Pieces(self._ranks[self._level + 1][numbers], found.boxes)

    def under_finer(self) -> Pieces:
        """Return the cells of all refined blocks."""
        places = self._leaves.refined(self._level)
        return Pieces(
            ranks_in(self._leaves, self._level, places, self._ranks), self._leaves.cells_at(places)
        )

    def parted(self, covered: Pieces) -> tuple[Pieces, Pieces]:
        """Return covered cells beside no edge or corner of the finer level, and the others."""
        if not len(covered.ranks):
            return covered, covered
        corners = corner_cells(self._leaves, self._level)
        cells = np.array(self._leaves.block)[:, np.newaxis]
        places = covered.boxes.lower // cells
        first = places * cells
        boxes = BoxArray(covered.boxes.lower - first, covered.boxes.upper - first).every()
        keys = self._leaves.keys(self._level, places.T).tolist()
        near = [_parted(box, corners.get(key, ())) for box, key in zip(boxes, keys, strict=True)]
        apart, beside = (self._parts(covered, first, parts) for parts in zip(*near, strict=True))
        return apart, beside

    def _parts(
        self, pieces: Pieces, first: NDArray[np.int64], parts: Sequence[Sequence[Box]]
    ) -> Pieces:
        """Return parts of each piece, given from its block's first cell on."""
        which = np.repeat(np.arange(len(parts)), list(map(len, parts)))
        boxes = BoxArray.of([box for some in parts for box in some], len(first))
        return Pieces(pieces.ranks[which], boxes.moved(first[:, which]))

    def _pieces(self, found: Sequence[tuple[int, Box]]) -> Pieces:
        ranks = np.array([rank for rank, _ in found], np.intp)
        return Pieces(ranks, BoxArray.of([box for _, box in found], len(self._leaves.shape)))

    def _near(self, depth: int, *, is_finer: bool, is_halved: bool) -> _Near:
        """Return cells of blocks of another level that lie near to leaves, each once.

        Args:
            depth: How near.
            is_finer: Whether the blocks are refined ones, or under a coarser leaf.
            is_halved: Whether a box lies in one of the halves of a block along every axis.
        """
        seen = self._beside
        is_refined = self._leaves.are_refined(self._level, seen.places)
        (chosen,) = np.nonzero((is_refined == is_finer) & (depth > 0))
        seen = _Seen(*(part[chosen] for part in seen))
        axes = len(self._leaves.shape)
        entries, tables, counts = [], [np.zeros((0, 1 + 2 * axes), np.int64)], []
        for ways, alike in self._kinds(seen):
            nth, table = _near_in(self._leaves.block, depth, ways, is_halved=is_halved)
            entries.append(alike[:, nth].T.reshape(-1))
            tables.append(table)
            counts += [len(alike)] * len(nth)
        halves, *ends = np.repeat(np.concatenate(tables), counts, axis=0).T
        which = np.concatenate([np.zeros(0, np.intp), *entries])
        corners = (seen.places[which] * np.array(self._leaves.block)).T
        boxes = BoxArray(corners + np.array(ends[:axes]), corners + np.array(ends[axes:]))
        return _Near(seen.leaves[which], seen.places[which], halves, boxes)

    def _kinds(self, seen: _Seen) -> Iterator[tuple[tuple[int, ...], NDArray[np.intp]]]:
        """Yield the directions in which blocks see leaves, and where all that see these are.

        The second has the entry of 'seen' for each block and direction (blocks, directions).
        """
        keys = self._leaves.keys(self._level, seen.places)
        order = np.argsort(keys, kind="stable")
        is_first = np.ones(len(order), bool)
        is_first[1:] = keys[order[1:]] != keys[order[:-1]]
        begins = np.flatnonzero(is_first)
        counts = np.diff(begins, append=len(order))
        rows, columns = enumerated(counts)
        ways = np.full((len(begins), len(self._ways)), -1, np.int8)
        ways[rows, columns] = seen.directions[order]
        # As bytes: NumPy sorts them sooner than rows.
        _, first, kind_of = np.unique(
            ways.view(f"V{len(self._ways)}").reshape(-1), return_index=True, return_inverse=True
        )
        by_kind = np.split(np.argsort(kind_of, kind="stable"), np.cumsum(np.bincount(kind_of)))
        kinds = zip(ways[first].tolist(), counts[first].tolist(), strict=True)
        for (kind, count), blocks in zip(kinds, by_kind, strict=False):
            yield tuple(kind[:count]), order[begins[blocks][:, np.newaxis] + np.arange(count)]


class _Near(NamedTuple):
    """Cells near to leaves.

    Attributes:
        leaves: The number of the leaf on its level (boxes).
        places: Where the block lies that has the cells (boxes, axes).
        halves: The number of the half of that block, or 0.
        boxes: The cells.
    """

    leaves: NDArray[np.intp]
    places: NDArray[np.int64]
    halves: NDArray[np.int64]
    boxes: BoxArray


def ranks_in(
    leaves: Leaves, level: int, places: NDArray[np.int64], ranks: Sequence[NDArray[np.intp]]
) -> NDArray[np.intp]:
    """Return the rank of the first leaf in each of some places of a level (places, axes)."""
    found = np.full(len(places), -1, np.intp)
    for finer in range(level, len(leaves.levels)):
        (missing,) = np.nonzero(found < 0)
        numbers = leaves.numbers(finer, places[missing] << (finer - level))
        is_leaf = numbers >= 0
        found[missing[is_leaf]] = ranks[finer][numbers[is_leaf]]
    return found


@lru_cache(maxsize=4096)  # the same after each regrid
def _near_in(
    block: tuple[int, ...], depth: int, ways: tuple[int, ...], *, is_halved: bool
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Return what leaves in some directions lie near to, of a block at the origin.

    Args:
        block: Its cells along each axis.
        depth: How near.
        ways: The numbers of the directions.
        is_halved: Whether each box lies in one of its halves along every axis.

    Returns:
        For each box the leaf that it is near to, and a row: which of the halves it lies in, or 0,
        and its bounds. What is near to several leaves counts for the first one.
    """
    every = list(directions(len(block)))
    parts = _halves(block) if is_halved else [box_of(block)]
    taken: list[Box] = []
    found = []
    for nth, way in enumerate(ways):
        new = without([_edge(block, every[way], depth)], taken)
        taken += new
        cut = [(n, box.intersect(part)) for box in new for n, part in enumerate(parts)]
        found += [(nth, n, *box.lower, *box.upper) for n, box in cut if not box.is_empty]
    table = np.array(found, np.int64).reshape(-1, 2 + 2 * len(block))
    return table[:, 0], table[:, 1:]


def _halves(block: tuple[int, ...]) -> list[Box]:
    """Return the halves of a block at the origin along every axis, as its children lie."""
    corners = product(*((0, n // 2) for n in block))
    return [Box(c, tuple(l + n // 2 for l, n in zip(c, block, strict=True))) for c in corners]


def _edge(block: tuple[int, ...], direction: Direction, depth: int) -> Box:
    """Return the cells of a block at the origin near to a leaf from which it lies this way."""
    ends = zip(direction, block, strict=True)
    lower, upper = zip(
        *((n - depth if way < 0 else 0, depth if way > 0 else n) for way, n in ends),
        strict=True,
    )
    return Box(lower, upper)


@lru_cache(maxsize=4096)
def _parted(box: Box, corners: tuple[Box, ...]) -> tuple[list[Box], list[Box]]:
    """Return the parts of a box outside of others, and inside."""
    return without([box], corners), [box.intersect(one) for one in corners if one.meets(box)]
