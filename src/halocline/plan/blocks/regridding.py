"""Regridding: which cells follow from which when a forest has other leaves than before.

Each place is at most one level finer or coarser than before. What ranks have of a level is what
they had in its leaves, what they make of their finer leaves where these have been merged or lie
beside blocks that are split (merged cells), and what they make of the next coarser level where that
has been split (split cells). Of these all new leaves are filled by a redistribution a level.
"""

from __future__ import annotations

from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from halocline.frozen import Frozen
from halocline.geometry import Box, halved
from halocline.language.spaces.role import Role
from halocline.plan.blocks.tiling import BlockList

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from halocline.geometry import Offset
    from halocline.language.spaces.leaves import Leaves, Places
    from halocline.language.spaces.space import Space
    from halocline.plan.blocks.decomposition import Decomposition
    from halocline.plan.blocks.redistribution import BoxesOfRanks


class Forested(Frozen):
    """The leaves of a forest and who has them.

    Attributes:
        leaves: The leaves.
        decomposition: Blocks and their owners.
    """

    leaves: Leaves
    decomposition: Decomposition

    def own(self, level: int) -> BoxesOfRanks:
        """Return the cells of a level that each rank has, in the order of its blocks."""
        split = self.decomposition
        numbers = split.levels.having(Role("leaf", level).__eq__)
        result: BoxesOfRanks = [[] for _ in range(split.ranks)]
        boxes = split.levels.boxes.take(numbers).every()
        for rank, box in zip(split.ranks_of(numbers).tolist(), boxes, strict=True):
            result[rank].append(box)
        return result


class Image(NamedTuple):
    """Cells that are wanted around some others.

    Attributes:
        box: Where they are in the domain.
        shift: By how much they are moved to be seen around the others, across periodic sides.
    """

    box: Box
    shift: Offset


class Regridding:
    """Says of each level which cells ranks make of other levels'.

    Args:
        before: The forest as it was.
        after: The forest as it is to be.
    """

    def __init__(self, before: Forested, after: Forested) -> None:
        self.before = before
        self.after = after

    @property
    def levels(self) -> range:
        """The levels."""
        return range(len(self.before.leaves.levels))

    @cached_property
    def merged(self) -> list[BoxesOfRanks]:
        """For each level the cells that each rank makes of its own of the next finer one.

        Each lies in one box of 'Forested.own' of that level.
        """
        return [self._merged(level) for level in self.levels]

    @cached_property
    def split(self) -> list[BoxesOfRanks]:
        """For each level the cells that each rank makes of the next coarser one's.

        Each lies in one box of 'Forested.own' of the forest as it is to be.
        """
        return [self._split(level) for level in self.levels]

    def _merged(self, level: int) -> BoxesOfRanks:
        old, new = self.before.leaves, self.after.leaves
        near = old.united(level, [new.levels[level], old.around(level, self._parents(level))])
        wanted = near[old.are_refined(level, near)]
        if not len(wanted):
            return [[] for _ in range(self.before.decomposition.ranks)]
        places = BlockList(old.cells_at(wanted).doubled())
        finer = self.before.own(level + 1)
        return [list(map(halved, _common(boxes, places))) for boxes in finer]

    def _split(self, level: int) -> BoxesOfRanks:
        if not level:
            return [[] for _ in range(self.after.decomposition.ranks)]
        places = BlockList(self.after.leaves.cells_at(self._parents(level - 1)).doubled())
        return [list(_common(boxes, places)) for boxes in self.after.own(level)]

    def _parents(self, level: int) -> Places:
        """Return the leaves of a level that are split."""
        places = self.before.leaves.levels[level]
        return places[self.after.leaves.are_refined(level, places)]


def _common(boxes: Sequence[Box], places: BlockList) -> Iterator[Box]:
    """Yield what boxes have in common with places, box by box."""
    for box, place in places.pairs(boxes):
        yield boxes[box].intersect(places.box(place))


def around(box: Box, space: Space) -> list[Image]:
    """Return the cells of a box and one more on each side, without those beyond closed sides.

    Args:
        box: In the domain.
        space: Of the field.
    """
    ones = (1,) * len(box.lower)
    grown = box.grow(ones, ones)
    turns = [
        (0, -n, n) if closes else (0,)
        for n, closes in zip(space.extent, space.periodic, strict=True)
    ]
    images = []
    for turn in product(*turns):
        there = grown.shift(turn).intersect(space.domain)
        if not there.is_empty:
            images.append(Image(there, tuple(-step for step in turn)))
    return images
