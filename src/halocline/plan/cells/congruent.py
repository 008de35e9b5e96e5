"""Congruent blocks: what reaches lead to is found once for blocks from which it looks the same.

From two blocks of the same shape reaches lead to the same cells, moved from block to block, if the
bounds of the reaches' regions lie alike too: as far from the block, or further than any reach.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.geometry import UNBOUNDED, opposite
from halocline.memo import memoised
from halocline.plan.cells.reach import moved

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from halocline.geometry import Box, Offset
    from halocline.plan.cells.block import Block
    from halocline.plan.cells.reach import Reach

# How far reaches lead down and up along an axis, and bounds of their regions.
_Along = tuple[int, int, tuple[int, ...]]
Boxes = tuple["Box", ...]


class Congruent:
    """Finds boxes for blocks, once for all from which reaches look the same.

    Args:
        find: Returns boxes that follow from where reaches lead from a block. It uses of the block
            what it owns, whether its rows close, and whether it is a guest.
    """

    def __init__(self, find: Callable[[frozenset[Reach], Block], Boxes]) -> None:
        self._find = find
        self._known: dict[Hashable, tuple[Offset, Boxes]] = {}

    def of(self, reaches: frozenset[Reach], block: Block) -> Boxes:
        """Return the boxes of a block."""
        key = reaches, self._seen(reaches, block)
        if key not in self._known:
            self._known[key] = block.box.lower, self._find(reaches, block)
        origin, boxes = self._known[key]
        way = tuple([to - o for to, o in zip(block.box.lower, origin, strict=True)])
        return tuple([moved(box, way) for box in boxes]) if any(way) else boxes

    def _seen(self, reaches: frozenset[Reach], block: Block) -> Hashable:
        """Return what blocks from which reaches look the same have in common."""
        origin = block.box.lower
        owned = moved(block.owned, opposite(origin))
        axes = zip(origin, owned.lower, owned.upper, self._along_axes(reaches), strict=True)
        bounds = [
            tuple([min(max(b - o, lower + down), upper + up) for b in ends])
            for o, lower, upper, (down, up, ends) in axes
        ]
        # Rows that close begin and end with the grid.
        start = origin[0] if block.wrap else None
        return owned, block.wrap, start, block.is_guest, *bounds

    @memoised
    def _along_axes(self, reaches: frozenset[Reach]) -> list[_Along]:
        """Return how far reaches lead, and the bounds of their regions, along each axis."""
        downs = zip(*[reach.lower for reach in reaches], strict=True)
        ups = zip(*[reach.upper for reach in reaches], strict=True)
        ends = zip(*[e for r in reaches for e in (r.region.lower, r.region.upper)], strict=True)
        return [
            (min(down), max(up), tuple({e for e in end if -UNBOUNDED < e < UNBOUNDED}))
            for down, up, end in zip(downs, ups, ends, strict=True)
        ]
