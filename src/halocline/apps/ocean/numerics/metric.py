"""Arakawa's C grid: how wide cells are.

Four points share an index: the middle of a cell, its west face (U), its south face (V) and its
south-west corner. Lengths depend on y alone here, as on Cartesian and spherical grids: a field
without x is read once a row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import halocline as hc

if TYPE_CHECKING:
    from halocline.apps.ocean.numerics.axis import Axis
    from halocline.language.grids.fields import Field
    from halocline.language.grids.grid import Grid

# Radius of the sphere that the earth is taken for [m].
EARTH_RADIUS = 6_371_000.0


class Metric(NamedTuple):
    """Edge lengths of cells: numbers, or fields without x; given to kernels by keyword.

    Attributes:
        dx: Of a cell along x, through its middle and between its U points [m].
        dx_v: Of a cell along x, on its south face and between its corners [m].
        dy: Along y [m].
    """

    dx: Any
    dx_v: Any
    dy: Any

    def inverse_distance(self, axis: str, *, is_at_corners: bool = False) -> Any:
        """Return the inverse distance of neighbours along an axis, in cells or at corners [1/m].

        It is the same all along a row, so that no cell divides.
        """
        if axis == "y":
            return 1.0 / self.dy
        return 1.0 / (self.dx_v if is_at_corners else self.dx)

    def around(self, axis: Axis) -> Metric:
        """Return the lengths of cells around velocity points, their low faces in place of ours."""
        return self if axis.name == "x" else Metric(self.dx_v, axis(self.dx, -1), self.dy)

    def divergence(self, eastward: Any, northward: Any) -> Any:
        """Return the divergence in a cell of flows through a metre of its faces.

        Args:
            eastward: Expression at U points.
            northward: Expression at V points.
        """
        east, north = eastward * self.dy, northward * self.dx_v
        return (hc.at(east, x=1) - east + hc.at(north, y=1) - north) * (1.0 / (self.dx * self.dy))

    def divergence_of_momentum(self, along: Any, across: Any, axis: Axis) -> Any:
        """Return the divergence around a velocity point.

        Args:
            along: What flows along the axis through a metre in the middle of cells.
            across: What flows across it through a metre at corners.
            axis: That of the velocity.
        """
        if axis.name == "x":
            ahead, side, area = along * self.dy, across * self.dx_v, self.dx * self.dy
        else:
            ahead, side, area = along * self.dx, across * self.dy, self.dx_v * self.dy
        return (ahead - axis(ahead, -1) + axis(side, 0, 1) - side) * (1.0 / area)


def cartesian(dx: float, dy: float) -> Metric:
    """Return the lengths of cells that are all alike [m]."""
    return Metric(dx, dx, dy)


def widths_of_rows(latitude: Any, east: float, radius: float = EARTH_RADIUS) -> Any:
    """Return how wide cells of a sphere are along x [m].

    Args:
        latitude: [degrees].
        east: Their width [rad].
        radius: Of the sphere [m].
    """
    return radius * east * np.cos(np.radians(latitude))


def spherical(grid: Grid, dtype: str = "float64", radius: float = EARTH_RADIUS) -> Metric:
    """Return the lengths of cells of a grid of longitudes and latitudes.

    Args:
        grid: Its first two axes in degrees.
        dtype: Of the lengths: that of what they are computed with.
        radius: Of the sphere [m].
    """
    east, north = (float(np.radians(grid.spacing[axis])) for axis in range(2))

    def row(name: str, location: str) -> Field:
        lengths = grid.field(name, axes="y", location=location, dtype=dtype, unit="m")
        lengths.set(lambda y: widths_of_rows(y, east, radius))
        return lengths

    middle = row("dx", "center")
    middle.boundary(["y-", "y+"], hc.Neumann(0.0))
    return Metric(middle, row("dx_v", "y_face"), radius * north)
