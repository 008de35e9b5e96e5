"""Curve: blocks of equal size in the order of a Hilbert curve, along which neighbours are near."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halocline.errors import PlanError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.plan.blocks.equal_blocks import EqualBlocks

# Bits of a place on the curve.
_BITS = 63


def along_curve(blocks: EqualBlocks) -> NDArray[np.intp]:
    """Return the numbers of blocks in the order in which a Hilbert curve goes through them.

    The curve fills a cube of 2^n cells along each axis. The blocks of level 0 are spread over the
    least power of two that holds them along each axis, so that cutting the curve in half cuts the
    domain in half; finer blocks fill their cells. So whatever a block is refined into is one piece
    of the order, where the block was. The halves lie above each other along the last axis, then
    along the one before: what goes through such faces is copied in whole rows.

    Raises:
        PlanError: The curve cannot tell apart so many blocks along an axis.
    """
    finest = blocks.finest
    roots, inside = blocks.corners >> finest, blocks.corners & ((1 << finest) - 1)
    bits = [(n - 1).bit_length() for n in blocks.roots]
    spread = ((2 * roots + 1) << bits) // (2 * np.array(blocks.roots))
    last_first = (spread << finest | inside)[:, ::-1]
    places = on_curve(last_first, max(bits) + finest)
    return np.argsort(places, kind="stable")


def on_curve(cells: NDArray[np.int64], bits: int) -> NDArray[np.int64]:
    """Return how far along a Hilbert curve cells of a cube are (cells).

    Args:
        cells: Where they lie (cells, axes).
        bits: Of the width of the cube: it has 2^bits cells along each axis.

    Raises:
        PlanError: The curve cannot tell apart so many cells along an axis.

    Source: Skilling, 'Programming the Hilbert curve', AIP Conference Proceedings 707, 2004.
    """
    axes = cells.shape[1]
    if bits * axes > _BITS:
        raise PlanError(
            f"Blocks were to be ordered along a curve through 2^{bits} of the finest along each "
            f"axis; expected at most 2^{_BITS // axes}.",
            hint="Use fewer levels or larger blocks.",
        )
    found = np.zeros(len(cells), dtype=np.int64)
    digits = _digits(list(cells.T.copy()), bits)
    for bit in reversed(range(bits)):
        for along in digits:
            found = found << 1 | along >> bit & 1
    return found


def _digits(along: list[NDArray[np.int64]], bits: int) -> list[NDArray[np.int64]]:
    """Return numbers for each axis whose bits, the highest of all axes first, are the place.

    From the largest cube to the smallest, what lies in it is mirrored or exchanged so that the
    curve begins there where it has ended in the cube before. Gray's code then goes through the
    corners of each.
    """
    for bit in reversed(range(1, bits)):
        below = (1 << bit) - 1
        for axis, values in enumerate(along):
            is_high = (values >> bit & 1).astype(bool)
            exchanged = np.where(is_high, 0, (along[0] ^ values) & below)
            along[axis] = values ^ exchanged
            along[0] = along[0] ^ np.where(is_high, below, exchanged)
    for axis in range(1, len(along)):
        along[axis] = along[axis] ^ along[axis - 1]
    # Each bit of the last axis turns all bits below it.
    turned = along[-1] >> 1
    for shift in (1 << n for n in range(bits.bit_length())):
        turned ^= turned >> shift
    return [values ^ turned for values in along]
