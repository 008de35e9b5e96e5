"""Weights of differences: derivatives of the polynomial through some points.

Fornberg, Generation of Finite Difference Formulas on Arbitrarily Spaced Grids, Mathematics of
Computation 51 (1988) 699-706.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


def weights(order: int, points: Sequence[Any]) -> list[Any]:
    """Return how much the value at each point counts for a derivative at 0.

    Args:
        order: Of the derivative; 0 for the value itself.
        points: Where the values are: fractions, whose weights are exact, or arrays of one shape.
    """
    zero = points[0] * 0
    table = [[zero] * (order + 1) for _ in points]
    table[0][0] = zero + 1
    before: Any = 1
    for new, x in enumerate(points):
        product: Any = 1
        highest = min(new, order)
        for old in range(new):
            distance = x - points[old]
            product = product * distance
            if old == new - 1:
                last = points[old]
                for k in range(highest, -1, -1):
                    lower = k * table[old][k - 1] if k else 0
                    table[new][k] = before * (lower - last * table[old][k]) / product
            for k in range(highest, -1, -1):
                lower = k * table[old][k - 1] if k else 0
                table[old][k] = (x * table[old][k] - lower) / distance
        before = product
    return [each[order] for each in table]


def offsets(order: int, accuracy: int, *, is_between: bool) -> list[Fraction]:
    """Return the points of a difference, in cells, the first one the lowest.

    Args:
        order: Of the derivative.
        accuracy: An even order of the error.
        is_between: Whether the derivative is wanted half a cell from the values.
    """
    if is_between:
        count = order // 2 + accuracy // 2
        return [Fraction(2 * k + 1, 2) for k in range(-count, count)]
    radius = (order + 1) // 2 + accuracy // 2 - 1
    return [Fraction(k) for k in range(-radius, radius + 1)]


def centred(count: int) -> list[Fraction]:
    """Return so many points around 0, one apart, the first one the lowest."""
    return [Fraction(2 * k - count + 1, 2) for k in range(count)]
