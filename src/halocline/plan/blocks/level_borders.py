"""The cells of a level of a forest, and those beside them in blocks of other levels.

What lies in a block beside leaves depends on the directions in which these lie from it. So it is
found once for blocks that see leaves in the same directions, and moved to each of them.
"""

from __future__ import annotations

from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from halocline.box_array import BoxArray, joined
from halocline.geometry import Box, box_of, codimension, directions, without
from halocline.plan.blocks.level_corners import corner_cells

if TYPE_CHECKING:
    from collections.abc import Sequence

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
        positions = leaves.positions(level)
        count = np.array(leaves.shape) << level
        closes = np.array(leaves.periodic)
        found = []
        for way, direction in enumerate(self._ways):
            turns, places = np.divmod(positions + np.array(direction), count)
            is_inside = ((turns == 0) | closes).all(axis=1)
            (numbers,) = np.nonzero(is_inside & (leaves.numbers(level, places) < 0))
            found.append(_Seen(numbers, np.full(len(numbers), way), places[numbers]))
        seen = _Seen(*map(np.concatenate, zip(*found, strict=True)))
        # A cell beside several leaves belongs with one whose side it touches, if there is one.
        sides = np.array([codimension(direction) for direction in self._ways])[seen.directions]
        order = np.lexsort((seen.directions, seen.leaves, sides))
        return _Seen(*(part[order] for part in seen))

    def leaves(self) -> Pieces:
        """Return the cells of the leaves."""
        positions = self._leaves.positions(self._level)
        return Pieces(self._ranks[self._level], self._leaves.cells_at(positions))

    def ghosts(self, depth: int) -> Pieces:
        """Return the cells of coarser blocks that lie so near to leaves."""
        found = self._near(depth, [box_of(self._leaves.block)], is_finer=False)
        return Pieces(self._ranks[self._level][found.leaves], found.boxes)

    def covered(self, depth: int) -> Pieces:
        """Return the cells of refined blocks that lie so near to leaves."""
        halves = list(product((0, 1), repeat=len(self._leaves.shape)))
        widths = [n // 2 for n in self._leaves.block]
        parts = [
            Box(tuple(lower), tuple(n + w for n, w in zip(lower, widths, strict=True)))
            for half in halves
            for lower in [[h * w for h, w in zip(half, widths, strict=True)]]
        ]
        found = self._near(depth, parts, is_finer=True)
        if not len(found.leaves):  # as on the finest level
            return self._pieces([])
        children = 2 * found.places + np.array(halves)[found.parts]
        numbers = self._leaves.numbers(self._level + 1, children)
        return Pieces(self._ranks[self._level + 1][numbers], found.boxes)

    def under_finer(self) -> Pieces:
        """Return the cells of all refined blocks."""
        places = self._leaves.refined_positions(self._level)
        return Pieces(
            ranks_in(self._leaves, self._level, places, self._ranks), self._leaves.cells_at(places)
        )

    def parted(self, covered: Pieces) -> tuple[Pieces, Pieces]:
        """Return covered cells beside no edge or corner of the finer level, and the others."""
        corners = corner_cells(self._leaves, self._level)
        apart: list[tuple[int, Box]] = []
        beside: list[tuple[int, Box]] = []
        for rank, box in zip(covered.ranks.tolist(), covered.boxes.every(), strict=True):
            near = corners.get(self._leaves.place_of(box), ())
            apart.extend((rank, part) for part in without([box], near))
            beside.extend((rank, box.intersect(one)) for one in near if one.meets(box))
        return self._pieces(apart), self._pieces(beside)

    def _pieces(self, found: Sequence[tuple[int, Box]]) -> Pieces:
        ranks = np.array([rank for rank, _ in found], np.intp)
        return Pieces(ranks, BoxArray.of([box for _, box in found], len(self._leaves.shape)))

    def _near(self, depth: int, parts: Sequence[Box], *, is_finer: bool) -> _Near:
        """Return cells of blocks of another level that lie near to leaves, each once.

        Args:
            depth: How near.
            parts: Of a block: a box lies in one of them.
            is_finer: Whether the blocks are refined ones, or under a coarser leaf.
        """
        seen = self._beside
        is_refined = self._leaves.are_refined(self._level, seen.places)
        (chosen,) = np.nonzero((is_refined == is_finer) & (depth > 0))
        seen = _Seen(*(part[chosen] for part in seen))
        keys = self._leaves.keys(self._level, seen.places)
        order = np.argsort(keys, kind="stable")
        starts = np.flatnonzero(np.diff(keys[order], prepend=-1))
        lengths = np.diff(starts, append=len(order))
        # For each block the directions from leaves to it, in their order.
        table = np.full((len(starts), int(np.max(lengths, initial=0))), -1)
        rows = np.repeat(np.arange(len(starts)), lengths)
        table[rows, np.arange(len(order)) - np.repeat(starts, lengths)] = seen.directions[order]
        kinds, kind_of = np.unique(table, axis=0, return_inverse=True)
        found = [self._nothing]
        for number, ways in enumerate(kinds.tolist()):
            first = starts[kind_of.reshape(-1) == number]
            for nth, way in enumerate(self._parts_near(depth, parts, tuple(ways))):
                entries = order[first + nth]
                for part, box in way:
                    places = seen.places[entries]
                    found.append(
                        _Near(
                            seen.leaves[entries],
                            places,
                            np.full(len(entries), part),
                            self._leaves.cells_at(places, box),
                        )
                    )
        numbers, places, parts_of, boxes = zip(*found, strict=True)
        return _Near(
            np.concatenate(numbers), np.concatenate(places), np.concatenate(parts_of), joined(boxes)
        )

    @property
    def _nothing(self) -> _Near:
        axes = len(self._leaves.shape)
        none = np.zeros(0, np.intp)
        return _Near(none, np.zeros((0, axes), np.int64), none, BoxArray.of([], axes))

    def _parts_near(
        self, depth: int, parts: Sequence[Box], ways: Sequence[int]
    ) -> list[list[tuple[int, Box]]]:
        """Return what leaves in some directions lie near to, of a block at the origin.

        For each leaf the parts and the cells, without those of leaves before.
        """
        taken: list[Box] = []
        found = []
        for way in ways:
            if way < 0:
                break
            new = without([self._edge(self._ways[way], depth)], taken)
            taken += new
            every = [(n, box.intersect(part)) for box in new for n, part in enumerate(parts)]
            found.append([(n, box) for n, box in every if not box.is_empty])
        return found

    def _edge(self, direction: Direction, depth: int) -> Box:
        """Return the cells of a block at the origin near to a leaf from which it lies this way."""
        ends = zip(direction, self._leaves.block, strict=True)
        lower, upper = zip(
            *((n - depth if way < 0 else 0, depth if way > 0 else n) for way, n in ends),
            strict=True,
        )
        return Box(lower, upper)


class _Near(NamedTuple):
    """Cells near to leaves.

    Attributes:
        leaves: The number of the leaf on its level (boxes).
        places: Where the block lies that has the cells (boxes, axes).
        parts: The number of the part of that block.
        boxes: The cells.
    """

    leaves: NDArray[np.intp]
    places: NDArray[np.int64]
    parts: NDArray[np.intp]
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
