"""Rows that close on themselves: where a block goes around the grid along x, no halo is exchanged.

A kernel that reads or assigns beyond an end of such a row finds the cell at the other end itself,
when it gets there: the values are then in the cache, while an exchange across x would fetch a line
of memory for each. So what lies beyond an end is never needed from others; it is the block's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.geometry import UNBOUNDED
from halocline.plan.cells.reach import cells

if TYPE_CHECKING:
    from halocline.geometry import Box, Offset
    from halocline.plan.cells.block import Block
    from halocline.plan.cells.reach import Reach


def reached(reach: Reach, block: Block) -> tuple[Box, ...]:
    """Return the cells that a reach leads to from a block's own, none beyond an end of a row."""
    box = cells(reach, block.owned)
    if not block.wrap or box.is_empty:
        return (box,)
    n = block.wrap
    if box.extent[0] >= n:
        return (box.clip(0, 0, n),)
    turns = range(box.lower[0] // n, -(-box.upper[0] // n))
    return tuple(
        box.clip(0, max(0, box.lower[0] - t * n), min(n, box.upper[0] - t * n)) for t in turns
    )


def across(offset: Offset, wrap: int) -> Offset:
    """Return how far an offset leads from block to block."""
    return (0, *offset[1:]) if wrap else offset


def whole_rows(box: Box, wrap: int) -> Box:
    """Return a box without ends along rows that close: a kernel may get at any cell of them."""
    return box.clip(0, -UNBOUNDED, UNBOUNDED) if wrap else box
