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
from halocline.geometry import Box, doubled, halved
from halocline.language.spaces.role import Role
from halocline.plan.blocks.tiling import BlockList

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from halocline.geometry import Offset
    from halocline.language.spaces.leaves import Leaves, Position
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
        split, role, levels = self.decomposition, Role("leaf", level), self.decomposition.levels
        result: BoxesOfRanks = [[] for _ in range(split.ranks)]
        for rank, one, box in zip(split.owners, levels.roles, levels.on(level), strict=True):
            if one == role:
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
        wanted = {p for p in new.levels[level] if old.is_refined(level, p)}
        for position in self._parents(level):
            around = (place for _, place, _ in old.beside(level, position))
            wanted.update(place for place in around if old.is_refined(level, place))
        if not wanted:
            return [[] for _ in range(self.before.decomposition.ranks)]
        places = BlockList([doubled(old.box(position)) for position in sorted(wanted)])
        finer = self.before.own(level + 1)
        return [list(map(halved, _common(boxes, places))) for boxes in finer]

    def _split(self, level: int) -> BoxesOfRanks:
        parents = self._parents(level - 1) if level else []
        places = BlockList([doubled(self.after.leaves.box(position)) for position in parents])
        return [list(_common(boxes, places)) for boxes in self.after.own(level)]

    def _parents(self, level: int) -> list[Position]:
        """Return the leaves of a level that are split."""
        positions, new = self.before.leaves.levels[level], self.after.leaves
        return [position for position in positions if new.is_refined(level, position)]


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
