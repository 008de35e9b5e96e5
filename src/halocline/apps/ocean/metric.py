"""Arakawa's C grid: how wide cells are, and differences of what lies on their faces.

Four points share an index: the middle of a cell, its west face (U), its south face (V) and its
south-west corner (q). Lengths depend on y alone here, as on Cartesian and spherical grids: a field
without x is read once a row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import halocline as hc

if TYPE_CHECKING:
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

    def along(self, axis: str, *, is_at_v: bool = False) -> Any:
        """Return the length along an axis at middles and U points, or at V points and corners."""
        if axis == "y":
            return self.dy
        return self.dx_v if is_at_v else self.dx


def cartesian(dx: float, dy: float) -> Metric:
    """Return the lengths of cells that are all alike [m]."""
    return Metric(dx, dx, dy)


def spherical(grid: Grid, radius: float = EARTH_RADIUS) -> Metric:
    """Return the lengths of cells of a grid of longitudes and latitudes.

    Args:
        grid: Its first two axes in degrees.
        radius: Of the sphere [m].
    """
    east, north = (np.radians(float(grid.spacing[axis])) for axis in range(2))

    def row(name: str, location: str) -> Field:
        lengths = grid.field(name, axes="y", location=location, unit="m")
        lengths.set(lambda y: radius * east * np.cos(np.radians(y)))
        return lengths

    middle = row("dx", "center")
    middle.boundary(["y-", "y+"], hc.Neumann(0.0))
    return Metric(middle, row("dx_v", "y_face"), radius * north)


def divergence(eastward: Any, northward: Any, metric: Metric) -> Any:
    """Return the divergence of what flows through a metre of the faces of a cell.

    Args:
        eastward: At U points, as all that is taken from there.
        northward: At V points.
        metric: Lengths.
    """
    north = northward * metric.dx_v
    # Inverse lengths are the same all along a row: no cell divides.
    return (hc.at(eastward, x=1) - eastward) * (1.0 / metric.dx) + (hc.at(north, y=1) - north) * (
        1.0 / (metric.dx * metric.dy)
    )
