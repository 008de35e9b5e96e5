"""Leaves: the blocks of a forest, each a block of the root grid halved so many times.

A block of level l has as many cells as one of level 0, each 2^l times smaller along every axis. Its
position counts blocks of its own level along each axis. Neighbours, also over edges and corners,
are at most one level apart (2:1 balance).

There may be a million of them, so they lie in arrays; 'regrading.py' splits and merges them.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.box_array import BoxArray, join_all
from halocline.frozen import Frozen
from halocline.geometry import Box, box_of
from halocline.memo import memoised

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Direction

    # Positions of blocks of one level (blocks, axes).
    Places = NDArray[np.int64]

# What an index holds.
_MOST = 2**62
Position = tuple[int, ...]
# The finest level, and the sides of the domain, axis and sign, at which each level is refined.
SeenBySteps = tuple[int, tuple[frozenset[tuple[int, int]], ...]]
# A block, by its level and position.
Leaf = tuple[int, Position]


class Leaves(Frozen, dict=True, eq=False):
    """The blocks of a forest that are not refined any further.

    Attributes:
        shape: Blocks of level 0 along each axis.
        block: Cells of a block along each axis.
        periodic: Whether the domain closes on itself, for each axis.
        levels: The positions of those of each level up to the finest that there may be, in
            ascending order (leaves, axes); none where a level has no leaf.
    """

    shape: tuple[int, ...]
    block: tuple[int, ...]
    periodic: tuple[bool, ...]
    levels: tuple[Places, ...]

    def __iter__(self) -> Iterator[Leaf]:
        """Yield all, level by level."""
        for level, positions in enumerate(self.levels):
            for position in map(tuple, positions.tolist()):
                yield level, position

    def __eq__(self, other: object) -> bool:
        """Return whether others are the same leaves of as many levels."""
        if not isinstance(other, Leaves) or self._form != other._form:
            return False
        return all(map(np.array_equal, self.levels, other.levels))

    def __ne__(self, other: object) -> bool:
        """Return whether others differ."""
        return not self == other

    def __hash__(self) -> int:
        """Return the same for equal leaves."""
        return hash(self._form)

    @property
    def _form(self) -> tuple[Any, ...]:
        return self.shape, self.block, self.periodic, *map(len, self.levels)

    @property
    def count(self) -> int:
        """How many there are."""
        return sum(map(len, self.levels))

    @property
    def cells(self) -> int:
        """How many cells they have."""
        return prod(self.block) * self.count

    @memoised
    def refined(self, level: int) -> Places:
        """Return the positions of a level's refined blocks in ascending order (blocks, axes)."""
        if level + 1 >= len(self.levels):
            return np.zeros((0, len(self.shape)), np.int64)
        return self.united(level, [part >> 1 for part in self._parts(level + 1)])

    def blocks(self, level: int) -> Places:
        """Return the positions of a level's blocks in ascending order, leaves and refined ones."""
        return self.united(level, self._parts(level))

    def _parts(self, level: int) -> tuple[Places, Places]:
        return self.levels[level], self.refined(level)

    def keys(self, level: int, places: Places) -> NDArray[Any]:
        """Return a number for each place of a level (places, axes), in ascending order of these."""
        counts = [n << level for n in self.shape]
        # Numbers of any size where a level is that fine.
        kind = np.int64 if prod(counts) < _MOST else object
        found = np.zeros(len(places), kind)
        for count, along in zip(counts, places.T.astype(kind), strict=True):
            found = found * count + along
        return found

    def united(self, level: int, parts: Sequence[Places]) -> Places:
        """Return the places of a level that are in some parts, each once, in ascending order."""
        places = np.concatenate(parts)
        _, first = np.unique(self.keys(level, places), return_index=True)
        return places[first]

    def are_among(self, level: int, places: Places, others: Places) -> NDArray[np.bool_]:
        """Return which places of a level are some of others, which are in ascending order."""
        return np.asarray(_found(self.keys(level, others), self.keys(level, places)) >= 0)

    def numbers(self, level: int, places: Places) -> NDArray[np.intp]:
        """Return which leaf of a level lies at each of some places, or -1 where none does."""
        return _found(self._keys_of_leaves(level), self.keys(level, places))

    def are_refined(self, level: int, places: Places) -> NDArray[np.bool_]:
        """Return whether there is a refined block of a level at each of some places."""
        return np.asarray(_found(self._keys_of_refined(level), self.keys(level, places)) >= 0)

    @memoised
    def _keys_of_leaves(self, level: int) -> NDArray[Any]:
        return self.keys(level, self.levels[level])

    @memoised
    def _keys_of_refined(self, level: int) -> NDArray[Any]:
        return self.keys(level, self.refined(level))

    def beside(
        self, level: int, places: Places, direction: Direction
    ) -> tuple[NDArray[np.bool_], Places]:
        """Return the places of a level beside some (places, axes), and which of them there are.

        Beyond a periodic side are those across it; beyond other sides there is none.
        """
        beside, is_inside = places.copy(), np.ones(len(places), bool)
        for axis, step in enumerate(direction):
            if step:
                along, count = places[:, axis] + step, self.shape[axis] << level
                is_beyond = (along < 0) | (along >= count)
                beside[:, axis] = np.where(is_beyond, along - step * count, along)
                is_inside &= self.periodic[axis] | ~is_beyond
        return is_inside, beside

    def around(self, level: int, places: Places) -> Places:
        """Return places of a level and all beside them, over edges and corners too, each once."""
        axes = len(self.shape)
        for axis in range(axes):
            both = [
                self.beside(level, places, tuple([step * (a == axis) for a in range(axes)]))
                for step in (-1, 1)
            ]
            places = self.united(level, [places, *(found[inside] for inside, found in both)])
        return places

    def touching(self, chosen: Sequence[Places]) -> tuple[Places, ...]:
        """Return some leaves and all that lie beside them, over edges and corners too.

        Of finer ones those in blocks beside them are taken that do not touch them, too.

        Args:
            chosen: The positions of some leaves of each level.
        """
        around = [self.around(level, places) for level, places in enumerate(chosen)]
        found = []
        for level, leaves in enumerate(self.levels):
            near = [around[level]]
            near += [children_of(around[level - 1])] if level else []
            near += [finer >> 1 for finer in around[level + 1 : level + 2]]
            found.append(leaves[self.are_among(level, leaves, self.united(level, near))])
        return tuple(found)

    def cells_at(self, places: Places) -> BoxArray:
        """Return the cells of the blocks at some places of one level (places, axes)."""
        cells = np.array(self.block)
        return BoxArray((places * cells).T, ((places + 1) * cells).T)

    def is_leaf(self, level: int, position: Position) -> bool:
        """Return whether there is a leaf."""
        return level < len(self.levels) and bool(self.numbers(level, np.array([position]))[0] >= 0)

    def is_refined(self, level: int, position: Position) -> bool:
        """Return whether there was a block that has been refined."""
        return bool(self.are_refined(level, np.array([position]))[0])

    @property
    def finest(self) -> int:
        """The finest level that has some."""
        return max(level for level, positions in enumerate(self.levels) if len(positions))

    @property
    def seen_by_steps(self) -> SeenBySteps:
        """What steps depend on: the finest level, and at which sides blocks are refined."""
        return self.finest, tuple(map(self.sides_reached, range(len(self.levels))))

    def sides_reached(self, level: int) -> frozenset[tuple[int, int]]:
        """Return the sides of the domain, axis and sign, at which a level's blocks are refined."""
        ends = ((-1, np.zeros_like(self.shape)), (1, (np.array(self.shape) << level) - 1))
        return frozenset(
            (axis, sign)
            for sign, end in ends
            for axis in np.flatnonzero((self.refined(level) == end).any(axis=0)).tolist()
        )

    def box(self, position: Position) -> Box:
        """Return the cells of a block, in those of its level."""
        return box_at(position, self.block)

    def boxes(self, level: int) -> list[Box]:
        """Return the cells of the leaves of a level."""
        return self.cells_at(self.levels[level]).every()

    def extent(self, level: int) -> tuple[int, ...]:
        """Return the cells of the whole domain along each axis, in those of a level."""
        return tuple(n * b << level for n, b in zip(self.shape, self.block, strict=True))


def _found(known: NDArray[Any], keys: NDArray[Any]) -> NDArray[np.intp]:
    """Return where each key lies among known ones in ascending order, or -1."""
    if not len(known):
        return np.full(len(keys), -1, np.intp)
    places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return np.where(known[places] == keys, places, -1)


def joined_places(places: Places) -> list[Box]:
    """Return boxes of places, as few as is easy, that hold some places (places, axes)."""
    owners = np.zeros(len(places), np.intp)
    _, boxes = join_all(owners, BoxArray(places.T, places.T + 1))
    return boxes.every()


def places_in(box: Box) -> Places:
    """Return all places in a box of places in ascending order (places, axes)."""
    return np.asarray(np.indices(box.extent).reshape(len(box.lower), -1).T + box.lower)


def by_block(values: NDArray[Any], block: tuple[int, ...]) -> NDArray[Any]:
    """Return values of the cells of a box of blocks with two axes for each: blocks, cells."""
    pairs = ((n // b, b) for n, b in zip(values.shape, block, strict=True))
    return values.reshape([n for pair in pairs for n in pair])


def cells_of(places: Box, block: tuple[int, ...]) -> Box:
    """Return the cells of a box of blocks, in those of their level."""
    lower, upper = (
        [n * b for n, b in zip(e, block, strict=True)] for e in (places.lower, places.upper)
    )
    return Box(tuple(lower), tuple(upper))


def box_at(position: Position, block: tuple[int, ...]) -> Box:
    """Return the cells of the block at a position, in those of its level."""
    lower = tuple([n * b for n, b in zip(position, block, strict=True)])
    return Box(lower, tuple([l + b for l, b in zip(lower, block, strict=True)]))


def children_of(places: Places) -> Places:
    """Return the halves of blocks along every axis, on the next finer level (blocks, axes)."""
    axes = places.shape[1]
    halves = places_in(box_of((2,) * axes))
    return np.asarray((2 * places[:, np.newaxis] + halves).reshape(-1, axes))


def unrefined(
    shape: tuple[int, ...], block: tuple[int, ...], periodic: tuple[bool, ...], finest: int
) -> Leaves:
    """Return the blocks of level 0, of a forest whose finest level that will be."""
    none = np.zeros((0, len(shape)), np.int64)
    return Leaves(shape, block, periodic, (places_in(box_of(shape)), *[none] * finest))
