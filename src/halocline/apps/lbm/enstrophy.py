"""Enstrophy of a flow: half the square of the vorticity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.apps.lbm.populations import add

if TYPE_CHECKING:
    from halocline.apps.lbm.populations import Value


@hc.kernel
def enstrophy(velocity: Any, enstrophy: Any, *, dimensions: Any) -> None:
    """Compute half the square of the vorticity, by differences of fourth order [1 / step²].

    Args:
        velocity: [cells / step], in a domain that is periodic.
        enstrophy: [1 / step²].
        dimensions: 2 or 3.
    """
    planes = ((0, 1),) if dimensions == len("xy") else ((0, 1), (1, 2), (2, 0))
    turns = [
        _difference(velocity, b, a, dimensions) - _difference(velocity, a, b, dimensions)
        for a, b in planes
    ]
    enstrophy[(0,) * dimensions] = 0.5 * add([turn * turn for turn in turns])


def _difference(velocity: Any, component: int, axis: int, dimensions: int) -> Value:
    """Return the derivative of a component along an axis."""

    def at(distance: int) -> Value:
        offset = tuple(distance if a == axis else 0 for a in range(dimensions))
        return velocity[component][offset]

    return (2.0 / 3.0) * (at(1) - at(-1)) - (1.0 / 12.0) * (at(2) - at(-2))
