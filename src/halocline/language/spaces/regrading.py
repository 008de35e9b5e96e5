"""Regrading: leaves are split and merged where that is wanted, and as the 2:1 balance asks.

Which blocks are refined says it all: leaves are the halves of refined blocks that are not refined
themselves. All blocks of a level are treated at once, in arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from halocline.geometry import directions
from halocline.language.spaces.leaves import children_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from halocline.language.spaces.leaves import Leaves, Places


class _Refined:
    """The refined blocks of each level, while leaves are split and merged."""

    def __init__(self, leaves: Leaves) -> None:
        self._leaves = leaves
        self._blocks = [leaves.refined(level) for level in range(len(leaves.levels))]

    def split(self, level: int, places: Places) -> None:
        """Refine leaves of a level."""
        self._blocks[level] = self._leaves.united(level, [self._blocks[level], places])

    def merge(self, level: int, places: Places) -> None:
        """Make leaves of refined blocks, in ascending order, whose halves are leaves."""
        blocks = self._blocks[level]
        self._blocks[level] = blocks[~self._leaves.are_among(level, blocks, places)]

    def balanced(self) -> Leaves:
        """Return the leaves, refined until neighbours are at most one level apart."""
        leaves, blocks = self._leaves, self._blocks
        # What lies beside a refined block is there as a block: that one level coarser is refined.
        for level in range(len(blocks) - 2, 0, -1):
            around = leaves.around(level, blocks[level])
            self.split(level - 1, around >> 1)
        found = [leaves.blocks(0)]
        found += [leaves.united(n + 1, [children_of(some)]) for n, some in enumerate(blocks[:-1])]
        levels = [
            every[~leaves.are_among(level, every, some)]
            for level, (every, some) in enumerate(zip(found, blocks, strict=True))
        ]
        return replace(leaves, levels=tuple(levels))


def refined(leaves: Leaves, wanted: Callable[[int, Places], NDArray[np.bool_]]) -> Leaves:
    """Return leaves split as long as that is wanted, and as far as the 2:1 balance asks for more.

    Args:
        leaves: Where to begin.
        wanted: Says of one or more leaves of a level which are to be split; asked once of each.
    """
    known = [places[:0] for places in leaves.levels]
    while True:
        growing, is_split = _Refined(leaves), False
        for level, places in enumerate(leaves.levels):
            new = places[~leaves.are_among(level, places, known[level])]
            known[level] = leaves.united(level, [known[level], new])
            split = new[wanted(level, new)] if len(new) else new
            growing.split(level, split)
            is_split |= len(split) > 0
        leaves = growing.balanced()
        if not is_split:
            return leaves


def regraded(
    leaves: Leaves,
    wanted: Sequence[NDArray[np.float64]],
    slack: float,
    kept: Sequence[Places] = (),
) -> Leaves:
    """Return leaves each of which is split, merged with its siblings, or kept as it is.

    Each becomes one level finer or coarser at most, also where the 2:1 balance asks for that.

    Args:
        leaves: As they are.
        wanted: The level that is wanted in each leaf of each level.
        slack: They are merged where less is wanted than their level by more than that.
        kept: The positions of those of each level that stay as they are, whatever is wanted:
            nothing beside them is split if the 2:1 balance would ask for more of them.
    """
    growing = _Refined(leaves)
    free = [np.ones(len(places), bool) for places in leaves.levels]
    for level, places in enumerate(kept):
        free[level] = ~leaves.are_among(level, leaves.levels[level], places)
    for level, places in enumerate(leaves.levels[1:], 1):
        coarse = places[(wanted[level] < level - slack) & free[level]] >> 1
        keys = leaves.keys(level - 1, coarse)
        _, first, count = np.unique(keys, return_index=True, return_counts=True)
        growing.merge(level - 1, coarse[first[count == 2 ** len(leaves.shape)]])
    for level, may_split in enumerate(_may_be_split(leaves, free)[:-1]):
        growing.split(level, leaves.levels[level][(wanted[level] >= level + 1) & may_split])
    return growing.balanced()


def _may_be_split(leaves: Leaves, free: Sequence[NDArray[np.bool_]]) -> list[NDArray[np.bool_]]:
    """Return which leaves may be split, and all that the 2:1 balance asks for then.

    Args:
        leaves: The leaves.
        free: Which of each level need not stay as they are.
    """
    found = [free[0]]
    for level, places in enumerate(leaves.levels[1:], 1):
        fixed, may_split = leaves.levels[level - 1][~found[-1]], free[level].copy()
        for direction in directions(len(leaves.shape)) if len(fixed) else ():
            is_inside, beside = leaves.beside(level, places, direction)
            may_split &= ~(is_inside & leaves.are_among(level - 1, beside >> 1, fixed))
        found.append(may_split)
    return found
