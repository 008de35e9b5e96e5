"""Arakawa's C grid: how wide cells are.

Four points share an index: the middle of a cell, its west face (U), its south face (V) and its
south-west corner (X). Through each of them a width along x and one along y is known: numbers on a
Cartesian grid, fields without x on a sphere, which are read once a row, and fields of both axes on
a curvilinear grid. See docs/decisions/0072-widths-of-cells.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from halocline.apps.ocean.numerics.axis import Axis
from halocline.apps.ocean.numerics.held import held

if TYPE_CHECKING:
    from halocline.language.grids.grid import Grid

# Radius of the sphere that the earth is taken for [m].
EARTH_RADIUS = 6_371_000.0
# Where widths lie, by the last letter of their names.
_LOCATIONS = {"u": "x_face", "v": "y_face", "x": "xy_edge"}


class Metric(NamedTuple):
    """Widths of cells: numbers, arrays or fields; given to kernels by keyword.

    The last five are None where cells of a row are as wide along x, and all cells along y: 'dx_u'
    is 'dx' then, 'dx_x' is 'dx_v', and all others are 'dy'. Use 'width' to read them.

    Attributes:
        dx: Along x through the middle of a cell, between its U points [m].
        dx_v: Along x on the south face, between its corners [m].
        dy: Along y through the middle of a cell, between its V points [m].
        dx_u: Along x through a U point, between the middles of cells [m].
        dx_x: Along x through a corner, between V points [m].
        dy_u: Along y on the west face, between its corners [m].
        dy_v: Along y through a V point, between the middles of cells [m].
        dy_x: Along y through a corner, between U points [m].
    """

    dx: Any
    dx_v: Any
    dy: Any
    dx_u: Any = None
    dx_x: Any = None
    dy_u: Any = None
    dy_v: Any = None
    dy_x: Any = None

    @property
    def is_curved(self) -> bool:
        """Whether all widths differ."""
        return self.dx_u is not None

    @property
    def turns(self) -> bool:
        """Whether axes turn from cell to cell, as on a sphere or a curvilinear grid."""
        return not isinstance(self.dx, float)

    @property
    def area(self) -> Any:
        """Of cells [m²]."""
        return self.dx * self.dy

    def width(self, axis: str, at: Literal["u", "v", "x"]) -> Any:
        """Return the width along an axis through U points, V points or corners 'x' [m]."""
        own = getattr(self, f"d{axis}_{at}")
        if own is not None:
            return own
        return {"dx_u": self.dx, "dx_x": self.dx_v}.get(f"d{axis}_{at}", self.dy)

    def inverse_distance(self, axis: str, at: Literal["face", "middle", "corner"] = "face") -> Any:
        """Return the inverse distance of neighbours along an axis [1/m].

        Args:
            axis: The axis.
            at: What lies between them: a 'face' between two cells, the 'middle' of a cell between
                two faces, or a 'corner'.
        """
        if at == "middle":
            return 1.0 / (self.dx if axis == "x" else self.dy)
        return 1.0 / self.width(axis, "x" if at == "corner" else "u" if axis == "x" else "v")

    def around(self, axis: Axis) -> Metric:
        """Return the widths of cells around velocity points, their low faces in place of ours."""
        if not self.is_curved:
            return self if axis.name == "x" else Metric(self.dx_v, axis(self.dx, -1), self.dy)
        if axis.name == "x":
            return Metric(
                *(self.dx_u, self.dx_x, self.dy_u),
                *(axis(self.dx, -1), axis(self.dx_v, -1)),
                *(axis(self.dy, -1), self.dy_x, axis(self.dy_v, -1)),
            )
        return Metric(
            *(self.dx_v, axis(self.dx, -1), self.dy_v),
            *(self.dx_x, axis(self.dx_u, -1)),
            *(self.dy_x, axis(self.dy, -1), axis(self.dy_u, -1)),
        )

    def through(self, axis: str, flow: Any) -> tuple[Any, Any]:
        """Return what flows through low faces, and by what the outflow is divided.

        Args:
            axis: That of the flow.
            flow: Through a metre of a face.

        Returns:
            The flow times the width of the face, and 1 / area. A width along y that is the same
            everywhere cancels.
        """
        if axis == "x" and not self.is_curved:
            return flow, 1.0 / self.dx
        width = self.width("y", "u") if axis == "x" else self.dx_v
        return flow * width, 1.0 / self.area

    def divergence(self, eastward: Any, northward: Any) -> Any:
        """Return the divergence in a cell of flows through a metre of its faces.

        Args:
            eastward: Expression at U points.
            northward: Expression at V points.
        """
        x, y = Axis("x"), Axis("y")
        east, north = eastward * self.width("y", "u"), northward * self.dx_v
        return (x(east, 1) - east + y(north, 1) - north) * (1.0 / self.area)

    def divergence_of_momentum(self, along: Any, across: Any, axis: Axis) -> Any:
        """Return the divergence around a velocity point.

        Args:
            along: What flows along the axis through a metre in the middle of cells.
            across: What flows across it through a metre at corners.
            axis: That of the velocity.
        """
        if axis.name == "x":
            ahead, side = along * self.dy, across * self.width("x", "x")
        else:
            ahead, side = along * self.dx, across * self.width("y", "x")
        inverse = 1.0 / self.area_around(axis)
        return (ahead - axis(ahead, -1) + axis(side, 0, 1) - side) * inverse

    def area_around(self, axis: Axis) -> Any:
        """Return the area around velocity points [m²]."""
        at: Literal["u", "v"] = "u" if axis.name == "x" else "v"
        return self.width("x", at) * self.width("y", at)

    def widening(self, axis: Axis) -> tuple[Any, Any]:
        """Return how fast widths grow at velocity points where axes turn [1/m].

        Args:
            axis: That of the velocity.

        Returns:
            The growth of the width across the axis as one goes along it, and that of the width
            along the axis as one goes across it; each over the width that grows.
        """
        across = self.dy if axis.name == "x" else self.dx
        along = self.width(axis.name, "x")
        inverse = 1.0 / self.area_around(axis)
        # On a sphere all cells are as wide along y.
        of_across = 0.0 if isinstance(across, float) else (across - axis(across, -1)) * inverse
        of_along = 0.0 if isinstance(along, float) else (axis(along, 0, 1) - along) * inverse
        return of_across, of_along


def cartesian(dx: float, dy: float) -> Metric:
    """Return the widths of cells that are all alike [m]."""
    return Metric(float(dx), float(dx), float(dy))


def spherical(
    spacing: tuple[float, float], south: float, rows: int, radius: float = EARTH_RADIUS
) -> Metric:
    """Return the widths of cells between meridians and parallels: arrays with one column.

    Args:
        spacing: Widths of cells in longitude and latitude [degrees].
        south: Latitude of the southern side [degrees].
        rows: Number of cells along y.
        radius: Of the sphere [m].
    """
    east, north = (float(np.radians(width)) for width in spacing)

    def widths(place: Any) -> Any:
        return radius * east * np.cos(np.radians(south + place * spacing[1]))[np.newaxis]

    middle, face = widths(np.arange(rows) + 0.5), widths(np.arange(rows + 1))
    return Metric(middle, face, radius * north)


def as_fields(grid: Grid, metric: Metric, dtype: str = "float64") -> Metric:
    """Return widths that kernels read: a field of each array.

    Args:
        grid: That of the fields.
        metric: Numbers or arrays; of faces there is one more than cells, also around a grid that
            closes.
        dtype: Of the fields: that of what they are computed with.
    """

    def field(name: str, widths: Any) -> Any:
        if widths is None:
            return None
        location = _LOCATIONS.get(name.partition("_")[2], "center")
        return held(grid, name, widths, location, dtype, "m")

    return Metric(*(field(*named) for named in zip(Metric._fields, metric, strict=True)))
