"""Rows that close on themselves: where a block goes around the grid along x, no halo is exchanged.

A kernel that reads or assigns beyond an end of such a row finds the cell at the other end itself,
when it gets there: the values are then in the cache, while an exchange across x would fetch a line
of memory for each. So what lies beyond an end is never needed from others; it is the block's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halocline.box_array import BoxArray, joined
from halocline.geometry import UNBOUNDED
from halocline.plan.cells.reach import cells

if TYPE_CHECKING:
    from collections.abc import Iterable

    from halocline.geometry import Box, Offset
    from halocline.plan.cells.block import BlockArray
    from halocline.plan.cells.reach import Reach


def reached(reaches: Iterable[Reach], blocks: BlockArray) -> BoxArray:
    """Return the cells that reaches lead to from blocks' own, none beyond an end of a row.

    Args:
        reaches: At least one.
        blocks: The blocks.

    Returns:
        For each block a box of each reach, or two where some lead beyond an end; some may hold no
        cell (axes, boxes, blocks).
    """
    found = cells(reaches, blocks.owned)
    is_closed = blocks.wrap > 0
    if not is_closed.any():
        return found
    n, first, end = np.maximum(blocks.wrap, 1), found.lower[0], found.upper[0]
    is_whole, turn = end - first >= n, first // n
    result = []
    for turns in (turn, turn + 1):
        lower, upper = found.lower.copy(), found.upper.copy()
        low = np.where(is_whole, 0, np.maximum(0, first - turns * n))
        high = np.where(is_whole, n, np.minimum(n, end - turns * n))
        lower[0], upper[0] = np.where(is_closed, low, first), np.where(is_closed, high, end)
        result.append(BoxArray(lower, upper))
    return joined(result)


def across(offset: Offset, wrap: int) -> Offset:
    """Return how far an offset leads from block to block."""
    return (0, *offset[1:]) if wrap else offset


def whole_rows(box: Box, wrap: int) -> Box:
    """Return a box without ends along rows that close: a kernel may get at any cell of them."""
    return box.clip(0, -UNBOUNDED, UNBOUNDED) if wrap else box
