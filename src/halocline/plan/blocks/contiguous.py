"""Contiguous pieces: weights in a given order, cut so that the largest piece is as small as can be.

Source: exact bisection, Pinar and Aykanat, 'Fast optimal load balancing algorithms for 1D
partitioning', Journal of Parallel and Distributed Computing 64, 2004.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

# Bits of the mantissa of a float.
_MANTISSA = 53


def cut_evenly(weights: NDArray[np.bool_ | np.number], pieces: int) -> list[int]:
    """Return where to cut weights into contiguous pieces so that the largest weighs least.

    Sums are exact, of floats too. Among the cuts that reach the least, each is as near to its share
    of the whole as can be.

    Args:
        weights: In their order, finite and none negative.
        pieces: How many, each of at least one weight.

    Returns:
        The bounds of the pieces, from 0 to the number of weights.
    """
    assert 1 <= pieces <= len(weights), (pieces, len(weights))
    whole = _whole(weights)
    sums = list(accumulate(whole, initial=0))
    return _near_shares(sums, pieces, _least_largest(sums, pieces, max(whole)))


def _whole(weights: NDArray[np.bool_ | np.number]) -> list[int]:
    """Return whole numbers in the proportion of the weights."""
    found: list[int] = weights.tolist()
    if weights.dtype.kind == "f":
        mantissas, exponents = np.frexp(weights.astype(np.float64))
        lowest = np.min(exponents, where=weights > 0, initial=np.max(exponents))
        shifts = np.maximum(exponents - lowest, 0).tolist()
        whole = np.ldexp(mantissas, _MANTISSA).astype(np.int64).tolist()
        found = [mantissa << shift for mantissa, shift in zip(whole, shifts, strict=True)]
    return found


def _least_largest(sums: Sequence[int], pieces: int, heaviest: int) -> int:
    """Return the least that the largest piece can weigh.

    It lies between two bounds; what pieces filled up to the middle weigh moves one of them.
    """
    share = -(-sums[-1] // pieces)
    # A piece that cannot take one weight more within the upper bound has its share.
    least, most = max(share, heaviest), share + heaviest
    while least < most:
        largest, next_larger, is_whole = _filled(sums, pieces, (least + most) // 2)
        if is_whole:
            most = largest
        else:
            least = next_larger
    return least


def _filled(sums: Sequence[int], pieces: int, limit: int) -> tuple[int, int, bool]:
    """Fill one piece after the other up to a limit.

    Returns:
        What the largest piece weighs, the least limit within which one would hold more, and whether
        they hold everything.
    """
    begin, largest, next_larger = 0, 0, sums[-1]
    for _ in range(pieces):
        end = bisect_right(sums, sums[begin] + limit, lo=begin) - 1
        largest = max(largest, sums[end] - sums[begin])
        if end == len(sums) - 1:
            return largest, next_larger, True
        next_larger = min(next_larger, sums[end + 1] - sums[begin])
        begin = end
    return largest, next_larger, False


def _near_shares(sums: Sequence[int], pieces: int, limit: int) -> list[int]:
    """Return the bounds of pieces within a limit, each as near to its share as can be."""
    last = len(sums) - 1
    # Where pieces may begin at the earliest, from the last to the second: what follows has to do.
    earliest = [last]
    for number in reversed(range(1, pieces)):
        earliest.append(max(number, bisect_left(sums, sums[earliest[-1]] - limit)))
    bounds = [0]
    for number, early in enumerate(reversed(earliest[1:]), start=1):
        least = max(early, bounds[-1] + 1)
        most = min(bisect_right(sums, sums[bounds[-1]] + limit) - 1, last - pieces + number)
        bounds.append(min(max(_nearest(sums, number, pieces), least), most))
    return [*bounds, last]


def _nearest(sums: Sequence[int], number: int, pieces: int) -> int:
    """Return where sums are nearest to so many of the shares of all pieces."""
    share = number * sums[-1]
    above = bisect_left(sums, -(-share // pieces))
    is_below_nearer = above > 0 and share - pieces * sums[above - 1] < pieces * sums[above] - share
    return above - 1 if is_below_nearer else above
