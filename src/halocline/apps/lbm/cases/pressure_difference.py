"""The pressure in front of a round body less that behind it."""

from __future__ import annotations

from math import ceil, floor, prod
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

# A centre of a cell on the surface lies inside, whichever way it is rounded [cells].
_NEAR = 1e-6
# Cells before the surface that a parabola goes through, and across the line on each side.
_BEFORE, _BESIDE = 3, 2


def pressure_difference(pressure: NDArray[Any], middle: Sequence[float], radius: float) -> float:
    """Return the pressure at the foremost point of a body along x less that at the hindmost.

    At both points it is that of a parabola through the three cells before the surface, each of
    them from a cubic across.

    Args:
        pressure: In the middle of cells, that of solid cells is not looked at (nx, ny[, nz]).
        middle: Of the body [cells from the low corner].
        radius: Of the body [cells].
    """
    line = pressure
    for axis in reversed(range(1, pressure.ndim)):
        first = floor(middle[axis] - 0.5) - _BESIDE + 1
        line = _between(np.moveaxis(line, axis, 0), first, first + 2 * _BESIDE, middle[axis])
    front, back = middle[0] - radius, middle[0] + radius
    before, behind = ceil(front - 0.5 - _NEAR), floor(back - 0.5 + _NEAR) + 1
    in_front = _between(line, max(0, before - _BEFORE), before, front)
    return float(in_front - _between(line, behind, min(behind + _BEFORE, len(line)), back))


def _between(values: NDArray[Any], first: int, end: int, at: float) -> Any:
    """Return what the polynomial through the values of cells along the first axis is at a place."""
    places = [n + 0.5 for n in range(first, end)]
    weights = [prod((at - q) / (p - q) for q in places if q != p) for p in places]
    return sum(w * line for w, line in zip(weights, values[first:end], strict=True))
