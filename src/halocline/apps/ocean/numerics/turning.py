"""Vectors along east and north, and along the axes of a grid that is turned against them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import halocline as hc
from halocline.apps.ocean.numerics.axis import Axis
from halocline.apps.ocean.numerics.held import held

if TYPE_CHECKING:
    from halocline.apps.ocean.numerics.axis import AxisName
    from halocline.language.grids.grid import Grid


class Turning(NamedTuple):
    """The angle from east to the direction of x; given to kernels by keyword.

    Attributes:
        cosine: Of the angle: a number, or a field of cells.
        sine: Likewise.
    """

    cosine: Any
    sine: Any

    def to_axes(self, east: Any, north: Any) -> tuple[Any, Any]:
        """Return the parts along x and y of a vector that is given along east and north."""
        return self.cosine * east + self.sine * north, self.cosine * north - self.sine * east

    def to_east(self, x: Any, y: Any) -> tuple[Any, Any]:
        """Return the parts along east and north of a vector that is given along x and y."""
        return self.cosine * x - self.sine * y, self.sine * x + self.cosine * y


def turning(grid: Grid, angle: Any, dtype: str) -> Turning | None:
    """Return what kernels need of an angle from east to the direction of x.

    Args:
        grid: That of the fields.
        angle: A number, or one for each cell (nx, ny) [rad]; None if x points east.
        dtype: Of the fields.
    """
    if angle is None:
        return None
    parts = {"cosine": np.cos(angle), "sine": np.sin(angle)}
    return Turning(*(held(grid, name, part, "center", dtype) for name, part in parts.items()))


@hc.kernel
def turned_to_velocity_points(
    target: Any, east: Any, north: Any, *, axis: AxisName, turning: Turning
) -> None:
    """Take the mean of a vector's part along an axis in the two cells beside each velocity point.

    Args:
        target: At the velocity points.
        east: Of cells.
        north: Of cells.
        axis: 'x' for U points, 'y' for V points.
        turning: Of the axes.
    """
    part = turning.to_axes(east, north)["xy".index(axis)]
    target[...] = Axis(axis).mean(part)
