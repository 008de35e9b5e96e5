"""Drag of the bed on the current: what a micro or macro step multiplies the velocity by."""

from __future__ import annotations

from typing import Any, NamedTuple

import halocline as hc

# Von Kármán's constant.
KARMAN = 0.4


class LinearDrag(NamedTuple):
    """Stress in proportion to the velocity.

    Attributes:
        rate: Stress over velocity [m/s].

    Example:
        >>> drag = ocean.LinearDrag(0.001)
    """

    rate: Any = 0.0

    def __call__(self, depth: Any, speed: Any) -> Any:
        """Return stress over velocity [m/s]."""
        return self.rate


class LogarithmicDrag(NamedTuple):
    """Stress in proportion to the square of the velocity, by the logarithmic law of the wall.

    Attributes:
        roughness: Length z0, a number or a field at velocity points [m].
        viscosity: Molecular, so that what flows slowly over a smooth bed feels a sublayer; None
            for no sublayer, as where layers resolve the current above the bed [m²/s].

    Example:
        >>> drag = ocean.LogarithmicDrag(0.002)
    """

    roughness: Any = 1e-3
    viscosity: Any = 1.8e-6

    def __call__(self, depth: Any, speed: Any) -> Any:
        """Return stress over velocity, R |u| [m/s].

        Args:
            depth: Of the water, or thickness of the lowest layer [m].
            speed: |u|, mean over it [m/s].

        Source: Kagan 1995, as GETM has it for runs without layers.
        """
        if self.viscosity is None:
            root = _root_of_drag(depth, self.roughness)
            return root * root * speed
        friction_speed = _root_of_drag(depth, self.roughness) * speed
        sublayer = (0.1 * self.viscosity) / hc.maximum(self.viscosity, friction_speed)
        felt = hc.minimum(depth, self.roughness + sublayer)
        root = _root_of_drag(depth, felt)
        return root * root * speed


def _root_of_drag(depth: Any, roughness: Any) -> Any:
    """Return u* / |u| of a logarithmic profile whose mean is taken for that at half the depth."""
    return KARMAN / hc.log(0.5 * depth / roughness + 1.0)
