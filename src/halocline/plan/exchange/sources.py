"""Sources: which blocks have the cells that others get."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from halocline.box_array import BoxArray, joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from halocline.plan.blocks.decomposition import BlockView
    from halocline.plan.cells.block import BlockArray


class Found(NamedTuple):
    """Parts of boxes, each with the block that has it.

    Attributes:
        of: The position of the box.
        source: The number of the block.
        direction: Where it lies, seen from the block that gets the box (axes, parts).
        box: The part.
        shift: How far from its own place the block is seen (axes, parts).
    """

    of: NDArray[np.intp]
    source: NDArray[np.intp]
    direction: NDArray[np.int64]
    box: BoxArray
    shift: NDArray[np.int64]


def sources_of(
    boxes: BoxArray,
    targets: BlockArray,
    blocks: BlockView,
    lacks: Sequence[bool],
    axis: int | None,
) -> Found:
    """Return who has the cells of boxes.

    Args:
        boxes: The cells.
        targets: The block that gets each of them.
        blocks: All blocks, as boxes of the cells of the space.
        lacks: Which axes that space lacks.
        axis: Along which something is got in this stage; None if there are no stages.
    """
    of, ways, pieces = cut(boxes, targets.owned)
    if axis is not None:
        is_now = _last_axis(ways) == axis
        of, ways, pieces = of[is_now], ways[:, is_now], pieces.take(is_now)
    asking = targets.take(of)
    seen, is_any = _seen(ways, pieces, asking.box, lacks, axis)
    meetings = blocks.meetings(seen, asking.number)
    piece, shift = meetings.box, meetings.shift
    have, (lower, upper) = blocks.table(meetings.number).owned, pieces.take(piece)
    is_whole = is_any[:, piece]
    part = BoxArray(
        np.where(is_whole, lower, np.maximum(lower, have.lower + shift)),
        np.where(is_whole, upper, np.minimum(upper, have.upper + shift)),
    )
    if axis is not None:
        ways = np.where(np.arange(len(ways))[:, None] == axis, ways, 0)
    return Found(of[piece], meetings.number, ways[:, piece], part, shift)


def _seen(
    ways: NDArray[np.int64],
    pieces: BoxArray,
    targets: BoxArray,
    lacks: Sequence[bool],
    axis: int | None,
) -> tuple[BoxArray, NDArray[np.bool_]]:
    """Return where pieces of a halo are looked for, and along which axes all is there.

    In a stage the block beyond the side has them, which has got what lies beyond its own sides
    in the stages before. Of blocks in line along an axis that a field lacks it is that which
    has this block's first cell there.
    """
    lower, upper = pieces.lower.copy(), pieces.upper.copy()
    is_any = np.zeros(ways.shape, bool)
    for a, is_lacking in enumerate(lacks):
        low, high, way = targets.lower[a], targets.upper[a], ways[a]
        if is_lacking:
            lower[a], upper[a], is_any[a] = low, low + 1, True
        elif axis not in (None, a):
            lower[a] = np.where(way < 0, low, np.where(way > 0, high - 1, lower[a]))
            upper[a] = np.where(way < 0, low + 1, np.where(way > 0, high, upper[a]))
            is_any[a] = way != 0
    return BoxArray(lower, upper), is_any


def cut(boxes: BoxArray, inner: BoxArray) -> tuple[NDArray[np.intp], NDArray[np.int64], BoxArray]:
    """Cut boxes along the sides of others.

    Returns:
        For each piece the position of its box, where it lies from the other one along each axis
        (axes, pieces), and its cells.
    """
    of = np.flatnonzero(boxes.has_cells)
    pieces, ways = boxes.take(of), np.zeros((len(boxes.lower), len(of)), np.int64)
    for axis in range(len(boxes.lower)):
        low, high = inner.lower[axis, of], inner.upper[axis, of]
        lower, upper = pieces.lower[axis], pieces.upper[axis]
        ends = (
            (-1, lower, np.minimum(upper, low)),
            (0, np.maximum(lower, low), np.minimum(upper, high)),
            (1, np.maximum(lower, high), upper),
        )
        found = []
        for way, first, end in ends:
            which = np.flatnonzero(first < end)
            cut = pieces.take(which)
            cut.lower[axis], cut.upper[axis] = first[which], end[which]
            of_cut = ways[:, which]
            of_cut[axis] = way
            found.append((of[which], of_cut, cut))
        of = np.concatenate([one for one, _, _ in found])
        ways = np.concatenate([one for _, one, _ in found], axis=1)
        pieces = joined([one for _, _, one in found])
    return of, ways, pieces


def _last_axis(ways: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the last axis along which each leads anywhere, -1 if none."""
    axes = np.arange(len(ways))[:, None]
    last: NDArray[np.int64] = np.where(ways != 0, axes, -1).max(axis=0)
    return last
