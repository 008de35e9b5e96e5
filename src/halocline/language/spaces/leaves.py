"""Leaves: the blocks of a forest, each a block of the root grid halved so many times.

A block of level l has as many cells as one of level 0, each 2^l times smaller along every axis. Its
position counts blocks of its own level along each axis. Neighbours, also over edges and corners,
are at most one level apart (2:1 balance).
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.box_array import BoxArray
from halocline.frozen import Frozen
from halocline.geometry import Box, directions
from halocline.memo import memoised

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Direction, Offset

# What an index holds.
_MOST = 2**62
Position = tuple[int, ...]
# A block, by its level and position.
Leaf = tuple[int, Position]


class Leaves(Frozen, dict=True):
    """The blocks of a forest that are not refined any further.

    Attributes:
        shape: Blocks of level 0 along each axis.
        block: Cells of a block along each axis.
        periodic: Whether the domain closes on itself, for each axis.
        levels: The positions of those of each level up to the finest that there may be, in
            ascending order; none where a level has no leaf.
    """

    shape: tuple[int, ...]
    block: tuple[int, ...]
    periodic: tuple[bool, ...]
    levels: tuple[tuple[Position, ...], ...]

    def __iter__(self) -> Iterator[Leaf]:
        """Yield all, level by level."""
        for level, positions in enumerate(self.levels):
            for position in positions:
                yield level, position

    @cached_property
    def _of_level(self) -> list[frozenset[Position]]:
        return list(map(frozenset, self.levels))

    @cached_property
    def _refined(self) -> list[frozenset[Position]]:
        """The blocks of each level that have been refined."""
        found: list[frozenset[Position]] = []
        below: frozenset[Position] = frozenset()
        for leaves in reversed(self._of_level):
            found.append(frozenset(tuple([n // 2 for n in p]) for p in below))
            below = leaves | found[-1]
        return found[::-1]

    @property
    def count(self) -> int:
        """How many there are."""
        return sum(map(len, self.levels))

    @property
    def cells(self) -> int:
        """How many cells they have."""
        cells_of_leaf = 1
        for n in self.block:
            cells_of_leaf *= n
        return cells_of_leaf * self.count

    @memoised
    def positions(self, level: int) -> NDArray[np.int64]:
        """Return the positions of a level's leaves in ascending order (leaves, axes)."""
        return np.array(self.levels[level], np.int64).reshape(-1, len(self.shape))

    @memoised
    def refined_positions(self, level: int) -> NDArray[np.int64]:
        """Return the positions of a level's refined blocks in ascending order (blocks, axes)."""
        if level + 1 >= len(self.levels):
            return np.zeros((0, len(self.shape)), np.int64)
        below = np.concatenate((self.positions(level + 1), self.refined_positions(level + 1)))
        return np.unique(below >> 1, axis=0)

    def keys(self, level: int, places: NDArray[np.int64]) -> NDArray[Any]:
        """Return a number for each place of a level (places, axes), in ascending order of these."""
        counts = [n << level for n in self.shape]
        # Numbers of any size where a level is that fine.
        kind = np.int64 if prod(counts) < _MOST else object
        found = np.zeros(len(places), kind)
        for count, along in zip(counts, places.T.astype(kind), strict=True):
            found = found * count + along
        return found

    def numbers(self, level: int, places: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return which leaf of a level lies at each of some places, or -1 where none does."""
        return _found(self._keys_of_leaves(level), self.keys(level, places))

    def are_refined(self, level: int, places: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return whether there is a refined block of a level at each of some places."""
        return np.asarray(_found(self._keys_of_refined(level), self.keys(level, places)) >= 0)

    @memoised
    def _keys_of_leaves(self, level: int) -> NDArray[Any]:
        return self.keys(level, self.positions(level))

    @memoised
    def _keys_of_refined(self, level: int) -> NDArray[Any]:
        return self.keys(level, self.refined_positions(level))

    def beside_all(
        self, level: int, places: NDArray[np.int64], direction: Direction
    ) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Return the places of a level beside some (places, axes), and which of them there are.

        Beyond a periodic side are those across it; beyond other sides there is none.
        """
        turns, beside = np.divmod(places + np.array(direction), np.array(self.shape) << level)
        return ((turns == 0) | np.array(self.periodic)).all(axis=1), beside

    def cells_at(self, places: NDArray[np.int64]) -> BoxArray:
        """Return the cells of the blocks at some places of one level (places, axes)."""
        cells = np.array(self.block)
        return BoxArray((places * cells).T, ((places + 1) * cells).T)

    def is_leaf(self, level: int, position: Position) -> bool:
        """Return whether there is a leaf."""
        return level < len(self.levels) and position in self._of_level[level]

    def is_refined(self, level: int, position: Position) -> bool:
        """Return whether there was a block that has been refined."""
        return level < len(self.levels) and position in self._refined[level]

    @property
    def finest(self) -> int:
        """The finest level that has some."""
        return max(level for level, positions in enumerate(self.levels) if positions)

    def blocks(self, level: int) -> list[Position]:
        """Return the positions of a level's blocks in ascending order, leaves and refined ones."""
        return sorted(self._of_level[level] | self._refined[level])

    def refined_on(self, level: int) -> list[Position]:
        """Return the blocks of a level that have been refined, in ascending order."""
        return sorted(self._refined[level])

    @cached_property
    def sides_reached(self) -> list[frozenset[tuple[int, int]]]:
        """For each level the sides of the domain, axis and sign, at which blocks are refined."""
        return [
            frozenset(
                (axis, sign)
                for position in refined
                for axis, n in enumerate(position)
                for sign, end in ((-1, 0), (1, (self.shape[axis] << level) - 1))
                if n == end
            )
            for level, refined in enumerate(self._refined)
        ]

    @property
    def seen_by_steps(self) -> tuple[int, list[frozenset[tuple[int, int]]]]:
        """What steps depend on: the finest level, and at which sides blocks are refined."""
        return self.finest, self.sides_reached

    def box(self, position: Position) -> Box:
        """Return the cells of a block, in those of its level."""
        return box_at(position, self.block)

    def place_of(self, box: Box) -> Position:
        """Return the position of the block in which cells lie."""
        return tuple([n // b for n, b in zip(box.lower, self.block, strict=True)])

    def boxes(self, level: int) -> list[Box]:
        """Return the cells of the leaves of a level."""
        return [self.box(position) for position in self.levels[level]]

    def extent(self, level: int) -> tuple[int, ...]:
        """Return the cells of the whole domain along each axis, in those of a level."""
        return tuple(n * b << level for n, b in zip(self.shape, self.block, strict=True))

    def beside(
        self, level: int, position: Position
    ) -> Iterator[tuple[Direction, Position, Offset]]:
        """Yield the places of a level around a block, sides first.

        Each with its direction, its position, and by how many cells it is moved to be seen next to
        the block: not zero across a periodic side. There are none beyond other sides.
        """
        for direction in directions(len(self.shape)):
            found = self._moved(level, position, direction)
            if found is not None:
                yield (direction, *found)

    def touching(self, leaf: Leaf) -> set[Leaf]:
        """Return a leaf and all that lie beside it, also over edges and corners."""
        level, position = leaf
        leaves = {leaf}
        for _, place, _ in self.beside(level, position):
            if self.is_refined(level, place):
                # Those of them that do not touch it do no harm.
                finer = ((level + 1, child) for child in children_of(place))
                leaves.update(child_leaf for child_leaf in finer if self.is_leaf(*child_leaf))
            else:
                is_coarser = not self.is_leaf(level, place)
                leaves.add((level - is_coarser, ancestor(place, is_coarser)))
        return leaves

    def _moved(
        self, level: int, position: Position, direction: Direction
    ) -> tuple[Position, Offset] | None:
        place, shift = [], []
        ends = zip(position, direction, self.shape, self.block, self.periodic, strict=True)
        for n, d, count, cells, is_periodic in ends:
            turns, rest = divmod(n + d, count << level)
            if turns and not is_periodic:
                return None
            place.append(rest)
            shift.append(turns * (count << level) * cells)
        return tuple(place), tuple(shift)


def _found(known: NDArray[Any], keys: NDArray[Any]) -> NDArray[np.intp]:
    """Return where each key lies among known ones in ascending order, or -1."""
    if not len(known):
        return np.full(len(keys), -1, np.intp)
    places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return np.where(known[places] == keys, places, -1)


class _Growing:
    """Leaves while they are split and merged."""

    def __init__(self, leaves: Leaves) -> None:
        self.leaves = leaves
        self.sets = list(map(set, leaves.levels))

    def split(self, level: int, position: Position) -> list[Position]:
        """Put a leaf's children in its place, and return them."""
        self.sets[level].remove(position)
        children = children_of(position)
        self.sets[level + 1].update(children)
        return children

    def merge(self, level: int, position: Position) -> None:
        """Put a block in the place of its children, all of which are leaves."""
        self.sets[level + 1].difference_update(children_of(position))
        self.sets[level].add(position)

    def ensure(self, level: int, position: Position) -> None:
        """Refine until a block exists, as a leaf or refined itself."""
        above = level
        while above >= 0 and ancestor(position, level - above) not in self.sets[above]:
            above -= 1
        # No leaf holds the place: it has been refined further.
        for depth in range(above, level) if above >= 0 else ():
            self.split(depth, ancestor(position, level - depth))

    def balance(self) -> None:
        """Refine until neighbours are at most one level apart; the finest first."""
        for level in range(len(self.sets) - 1, 1, -1):
            parents = {ancestor(position, 1) for position in self.sets[level]}
            for parent in sorted(parents):
                for _, place, _ in self.leaves.beside(level - 1, parent):
                    self.ensure(level - 1, place)

    def frozen(self) -> Leaves:
        levels = tuple(tuple(sorted(positions)) for positions in self.sets)
        return Leaves(self.leaves.shape, self.leaves.block, self.leaves.periodic, levels)


class _Splitting:
    """Tells which leaves may be split though some must stay as they are."""

    def __init__(self, leaves: Leaves, kept: Collection[Leaf]) -> None:
        self._leaves, self._kept = leaves, kept

    @memoised
    def __call__(self, level: int, position: Position) -> bool:
        """Return whether a leaf, and all that the 2:1 balance asks for then, may be split."""
        if not self._kept:
            return True
        leaf = level, position
        coarser = (beside for beside in self._leaves.touching(leaf) if beside[0] < level)
        return leaf not in self._kept and all(self(*beside) for beside in coarser)


def box_at(position: Position, block: tuple[int, ...]) -> Box:
    """Return the cells of the block at a position, in those of its level."""
    lower = tuple([n * b for n, b in zip(position, block, strict=True)])
    return Box(lower, tuple([l + b for l, b in zip(lower, block, strict=True)]))


def children_of(position: Position) -> list[Position]:
    """Return the positions of a block's halves along every axis, on the next finer level."""
    return [
        tuple([2 * n + half for n, half in zip(position, halves, strict=True)])
        for halves in product((0, 1), repeat=len(position))
    ]


def ancestor(position: Position, levels: int) -> Position:
    """Return the position of the block so many levels above that holds a block."""
    return tuple([n >> levels for n in position])


def unrefined(
    shape: tuple[int, ...], block: tuple[int, ...], periodic: tuple[bool, ...], finest: int
) -> Leaves:
    """Return the blocks of level 0, of a forest whose finest level that will be."""
    return Leaves(shape, block, periodic, (tuple(product(*map(range, shape))), *((),) * finest))


def refined(leaves: Leaves, wanted: Callable[[int, Sequence[Position]], Iterable[bool]]) -> Leaves:
    """Return leaves split as long as that is wanted, and as far as the 2:1 balance asks for more.

    Args:
        leaves: Where to begin.
        wanted: Says of leaves of a level which are to be split.
    """
    growing = _Growing(leaves)
    known: list[set[Position]] = [set() for _ in leaves.levels]
    while True:
        new = [(level, sorted(found - known[level])) for level, found in enumerate(growing.sets)]
        split = [
            (level, position)
            for level, asked in new
            for position, is_split in zip(asked, wanted(level, asked), strict=True)
            if is_split
        ]
        for level, asked in new:
            known[level].update(asked)
        for leaf in split:
            growing.split(*leaf)
        growing.balance()
        if not split:
            return growing.frozen()


def regraded(
    leaves: Leaves,
    wanted: Mapping[Leaf, float],
    slack: float,
    kept: Collection[Leaf] = frozenset(),
) -> Leaves:
    """Return leaves each of which is split, merged with its siblings, or kept as it is.

    Each becomes one level finer or coarser at most, also where the 2:1 balance asks for that.

    Args:
        leaves: As they are.
        wanted: The level that is wanted in each.
        slack: They are merged where less is wanted than their level by more than that.
        kept: Those that stay as they are, whatever is wanted: nothing beside them is split if the
            2:1 balance would ask for more of them.
    """
    growing, may_split = _Growing(leaves), _Splitting(leaves, kept)
    for level, found in enumerate(leaves.levels[1:], 1):
        coarse = [
            position
            for position in found
            if wanted[level, position] < level - slack and (level, position) not in kept
        ]
        parents = Counter(ancestor(position, 1) for position in coarse)
        for parent in (p for p, count in parents.items() if count == 2 ** len(leaves.shape)):
            growing.merge(level - 1, parent)
    for level, found in enumerate(leaves.levels[:-1]):
        for position in found:
            if wanted[level, position] >= level + 1 and may_split(level, position):
                growing.split(level, position)
    growing.balance()
    return growing.frozen()
