"""Domain: where the water is, how deep, and where it is open to the sea beyond."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from msgspec import field
from msgspec.structs import force_setattr
from numpy.typing import NDArray

import halocline as hc
from halocline.apps.arguments import check_kind, wrong
from halocline.apps.ocean.numerics.axis import SIDES
from halocline.apps.ocean.numerics.metric import cartesian, spherical
from halocline.apps.ocean.setup.arguments import in_cells, members, numbers_along, pair, surface
from halocline.apps.ocean.setup.curvilinear import Curvilinear
from halocline.errors import CaseError
from halocline.frozen import Frozen
from halocline.language.numbers import ANY, Range
from halocline.options import check_declared

if TYPE_CHECKING:
    from halocline.apps.ocean.numerics.axis import AxisName
    from halocline.apps.ocean.numerics.metric import Metric

Mask = NDArray[np.int8]

OpenSide = Literal["west", "east", "south", "north"]
# How the elevation of open cells follows from what is given of the sea beyond.
OpenKind = Literal["clamped", "flather", "radiating", "zero-gradient"]
Whole = Annotated[int, ANY]
# Where the sea beyond lies: along which axis, and which way.
_OUTWARD: dict[OpenSide, tuple[int, int]] = {
    "west": (0, -1),
    "east": (0, 1),
    "south": (1, -1),
    "north": (1, 1),
}

# What cells are.
LAND, WATER, OPEN = 0, 1, 2
# What velocity points are: CLOSED ones have none; momentum is stepped at INNER ones and at those
# BESIDE an open cell; ALONG are those between two open cells.
CLOSED, INNER, BESIDE, ALONG = 0, 1, 2, 3
_EARTH_ROTATION = 7.2921e-5
_TURN = 360.0
# The spacing of a curvilinear grid, whose coordinates count cells.
_NOT_GIVEN, _COUNTED = (0.0, 0.0), (1.0, 1.0)


class OpenBoundary(Frozen):
    """A line of cells whose elevation is given, beyond which the sea goes on.

    Attributes:
        side: Where the sea beyond lies.
        index: Of the cells, across the line.
        first: Cell along the line.
        last: The last one, part of it.
        kind: How its elevation follows from that of the sea beyond; None for 'open_kind' of the
            setup.

    Example:
        >>> west = ocean.OpenBoundary("west", 0, 0, 5)
    """

    side: OpenSide
    index: Whole
    first: Whole
    last: Whole
    kind: OpenKind | None = None

    def __post_init__(self) -> None:
        check_declared(self, CaseError)

    def cells(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the indices of its cells along x and y."""
        along = np.arange(self.first, self.last + 1)
        across = np.full_like(along, self.index)
        return (across, along) if _OUTWARD[self.side][0] == 0 else (along, across)

    @property
    def axis(self) -> AxisName:
        """The axis along which the sea beyond lies: 'x' in the west and east, 'y' elsewhere."""
        return "x" if _OUTWARD[self.side][0] == 0 else "y"

    def __str__(self) -> str:
        """Return what it is called in messages."""
        return f"the {self.side} boundary at {self.index}, cells {self.first} to {self.last}"


class Domain(Frozen, eq=False, dict=True):
    """The bathymetry on its grid.

    Attributes:
        depth: Below the mean level, positive downwards; NaN or masked on land. Shape (nx, ny) [m].
        spacing: Edge lengths of cells along x and y [m]; of a sphere [degrees]. A curvilinear grid
            has 1, as its coordinates count cells: leave it out.
        origin: Low corner, in the same unit.
        periodic: Whether it closes on itself along x and y.
        is_spherical: Whether x is the longitude and y the latitude.
        f: Coriolis parameter of a plane, at y = 0; latitudes have their own [1/s].
        beta: Its change along y [1/(m s)].
        open: Where the elevation is given.
        face_depth: Of the bed at velocity points: the 'mean' of the cells beside, or the 'least'.
        place: Longitudes and latitudes of the cells of a plane, arrays (nx, ny), for files; None if
            they are not known [degrees].
        curvilinear: Corners of the cells of a curvilinear grid; None for even cells.
        rotation: Angle from east to the direction of x, counterclockwise: a number, or an array
            (nx, ny) [degrees]. None for that of the curvilinear grid; of even cells x points east.
            Wind is given along east and north, and turned to x and y by it.

    Example:
        >>> ocean.Domain(np.full((8, 6), 20.0), spacing=(1e3, 1e3)).depth.shape
        (8, 6)
    """

    depth: NDArray[np.float64]
    spacing: tuple[float, float] = _NOT_GIVEN
    origin: tuple[float, float] = (0.0, 0.0)
    periodic: tuple[bool, bool] = (False, False)
    is_spherical: bool = False
    f: Annotated[float, ANY] = 0.0
    beta: Annotated[float, ANY] = 0.0
    open: tuple[OpenBoundary, ...] = field(default=())
    face_depth: Literal["mean", "least"] = "mean"
    place: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
    curvilinear: Curvilinear | None = None
    rotation: Any = None

    def __post_init__(self) -> None:
        if self.curvilinear is not None:
            self._check_even_alone()
            force_setattr(self, "spacing", _COUNTED)
        elif np.array_equal(self.spacing, _NOT_GIVEN):
            raise CaseError(
                "The domain was given neither 'spacing' nor 'curvilinear'; expected one of them.",
                hint="Write spacing=(1e3, 1e3) for cells of 1 km.",
            )
        one_line = "lines of cells, as (OpenBoundary('north', 39, 0, 59),)"
        converted = {
            "depth": surface("depth", self.depth),
            "spacing": numbers_along("spacing", self.spacing, Range(above=0.0)),
            "origin": numbers_along("origin", self.origin),
            "periodic": pair("periodic", self.periodic, "truth values"),
            "open": members("open", self.open, OpenBoundary, one_line),
        }
        for name, value in converted.items():
            force_setattr(self, name, value)
        for closes in self.periodic:
            check_kind("periodic", closes, bool, "two truth values, along x and y")
        check_declared(self, CaseError)
        if self.has_latitudes and (self.f or self.beta):
            raise CaseError(
                f"'f' or 'beta' was given beside {self._grid}; expected neither.",
                hint="Each cell has the f of its latitude.",
            )
        self._check_depth()
        if self.curvilinear is not None:
            self.curvilinear.check(self.is_wet, self.periodic)
        if self.place is not None:
            force_setattr(self, "place", self._checked_place(self.place))
        if self.rotation is not None:
            self._check_rotation()
        for boundary in self.open:
            self._check_open(boundary)

    def _check_even_alone(self) -> None:
        """Refuse what even cells have beside the corners of a curvilinear grid."""
        check_kind("curvilinear", self.curvilinear, Curvilinear, "the corners of cells")
        given = {
            "spacing": not any(np.array_equal(self.spacing, s) for s in (_NOT_GIVEN, _COUNTED)),
            "origin": not np.array_equal(self.origin, (0.0, 0.0)),
            "is_spherical": self.is_spherical,
            "beta": bool(self.beta),
        }
        for name in (name for name, is_given in given.items() if is_given):
            raise CaseError(
                f"'{name}' was given beside 'curvilinear'; expected one of them.",
                hint="The corners of a curvilinear grid say where its cells are.",
            )

    def _check_rotation(self) -> None:
        if self.is_spherical:
            raise CaseError(
                "'rotation' was given beside is_spherical=True, where x points east.",
                hint="Leave it out.",
            )
        angles = in_cells("rotation", self.rotation, self.is_wet)
        if np.abs(angles).max() > _TURN:
            raise wrong("rotation", self.rotation, f"degrees up to {_TURN:g}")

    def _check_depth(self) -> None:
        """Refuse a bathymetry without water."""
        if self.depth.ndim != len(self.spacing):
            raise CaseError(f"The bathymetry has {self.depth.ndim} axes; expected two, x and y.")
        if np.isinf(self.depth).any():
            raise wrong("depth", self.depth, "finite numbers, and NaN on land")
        if not self.is_wet.any():
            raise CaseError(
                f"The bathymetry is all land: none of its {self.depth.size} cells has a depth.",
                hint="Depths are positive downwards, and missing (NaN) on land.",
            )
        highest = float(self.depth[self.is_wet].max())
        if highest < 0.0:
            raise CaseError(
                f"The bathymetry has its bed above the mean level everywhere, {-highest:g} m or "
                "more; expected depths, positive downwards.",
                hint="Heights become depths by a minus: Domain(-height, …).",
            )

    def _checked_place(self, place: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return longitudes and latitudes, or refuse what is none of all cells."""
        if self.has_latitudes:
            raise CaseError(
                f"'place' was given beside {self._grid}, which has longitudes and latitudes.",
                hint="Leave it out.",
            )
        longitude, latitude = pair("place", place, "arrays, longitudes and latitudes")
        everywhere = np.ones(self.extent, bool)
        parts = {"longitude": (longitude, 360.0), "latitude": (latitude, 90.0)}
        for name, (given, most) in parts.items():
            values = in_cells(f"place: {name}", given, everywhere)
            if np.ndim(given) == 0 or np.abs(values).max() > most:
                raise wrong(f"place: {name}", given, f"degrees up to {most:g} for each cell")
        return surface("place", longitude), surface("place", latitude)

    def _check_open(self, boundary: OpenBoundary) -> None:
        """Refuse an open boundary that lies outside or on land."""
        extents = dict(zip("xy", self.depth.shape, strict=True))
        axis = _OUTWARD[boundary.side][0]
        across, along = ("xy"[axis], "xy"[1 - axis])
        if not (
            0 <= boundary.index < extents[across]
            and 0 <= boundary.first <= boundary.last < extents[along]
        ):
            raise CaseError(
                f"There is {boundary}, but the grid has {extents['x']} x {extents['y']} cells, "
                "counted from 0."
            )
        cells = np.transpose(boundary.cells())
        for cell in cells[~self.is_wet[boundary.cells()]]:
            raise CaseError(
                f"Cell ({cell[0]}, {cell[1]}) of {boundary}, is land; expected water.",
                hint="Leave it out: a boundary may have several parts.",
            )

    @property
    def extent(self) -> tuple[int, int]:
        """Cells along x and y."""
        nx, ny = self.depth.shape
        return nx, ny

    @cached_property
    def is_wet(self) -> NDArray[np.bool_]:
        """Where there is, or may be, water."""
        return np.isfinite(self.depth)

    @cached_property
    def bed(self) -> NDArray[np.float64]:
        """Depth of the bed, 0 on land [m]."""
        return np.where(self.is_wet, self.depth, 0.0)

    @cached_property
    def cells(self) -> Mask:
        """What each cell is: LAND, WATER or OPEN."""
        kinds = np.where(self.is_wet, np.int8(WATER), np.int8(LAND))
        for boundary in self.open:
            kinds[boundary.cells()] = OPEN
        return kinds

    @cached_property
    def metric(self) -> Metric:
        """Widths of cells: numbers, or arrays (nx or 1, ny), of faces and corners one more [m]."""
        if self.curvilinear is not None:
            return self.curvilinear.metric(self.periodic)
        if self.is_spherical:
            return spherical(self.spacing, self.origin[1], self.extent[1])
        return cartesian(*self.spacing)

    @cached_property
    def areas(self) -> NDArray[np.float64]:
        """Areas of cells (nx, ny) [m²]."""
        return np.broadcast_to(self.metric.area, self.extent)

    @cached_property
    def middles(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Coordinates of the middles of cells: x and y, or longitude and latitude; to broadcast."""
        if self.curvilinear is not None:
            return self.curvilinear.middles
        x, y = (
            np.asarray(low + (np.arange(count) + 0.5) * width)
            for low, count, width in zip(self.origin, self.extent, self.spacing, strict=True)
        )
        return x[:, np.newaxis], y[np.newaxis]

    @property
    def has_latitudes(self) -> bool:
        """Whether the grid says at which latitude each cell lies."""
        return self.is_spherical or (
            self.curvilinear is not None and self.curvilinear.latitude is not None
        )

    @property
    def _grid(self) -> str:
        """What messages call a grid with latitudes."""
        return "is_spherical=True" if self.is_spherical else "a 'curvilinear' grid with latitudes"

    @cached_property
    def places(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Longitudes and latitudes of the cells of a plane or a curvilinear grid, if known."""
        if self.curvilinear is not None and self.has_latitudes:
            return self.curvilinear.places
        return self.place

    @cached_property
    def angle(self) -> Any:
        """Angle from east to the direction of x: a number, or (nx, ny) [rad]; None if it is 0."""
        given = self.rotation
        if given is None and self.curvilinear is not None:
            given = self.curvilinear.rotation
        if given is None or not np.any(given):
            return None
        return np.radians(
            given if np.ndim(given) == 0 else in_cells("rotation", given, self.is_wet)
        )

    @property
    def knows_east(self) -> bool:
        """Whether velocities and stresses can be given along east and north."""
        return self.has_latitudes or self.rotation is not None

    def sponge(self, width: int) -> NDArray[np.float64]:
        """Return how strongly cells are drawn to what lies beyond open boundaries.

        Of several open boundaries the nearest counts; 0 beyond the width.
        """
        weights = np.where(self.cells == OPEN, 1.0, 0.0)
        for boundary in self.open:
            for away, weight in enumerate(sponge_weights(width)):
                cells = self.inwards(boundary, away)
                weights[cells] = np.maximum(weights[cells], weight)
        return np.where(self.is_wet, weights, 0.0)

    def inwards(self, boundary: OpenBoundary, away: int) -> tuple[NDArray[np.intp], ...]:
        """Return the indices of cells so far inwards of an open boundary."""
        axis, outward = _OUTWARD[boundary.side]
        cells = list(boundary.cells())
        cells[axis] = np.clip(cells[axis] - outward * away, 0, self.extent[axis] - 1)
        return tuple(cells)

    def points_beside(
        self, boundary: OpenBoundary, away: int, *, is_outer: bool = False
    ) -> tuple[NDArray[np.intp], ...]:
        """Return the indices of the velocity points on the inner or outer side of these cells."""
        axis, outward = _OUTWARD[boundary.side]
        points = list(self.inwards(boundary, away))
        count = self.extent[axis] + (not self.periodic[axis])
        points[axis] = (points[axis] + ((outward > 0) == is_outer)) % count
        return tuple(points)

    def faces(self, axis: AxisName) -> Mask:
        """Return what each velocity point is: CLOSED, INNER, BESIDE or ALONG."""
        low, high = self._beside(self.cells, axis, LAND)
        kinds = np.full(low.shape, INNER, np.int8)
        kinds[(low == OPEN) != (high == OPEN)] = BESIDE
        kinds[(low == OPEN) & (high == OPEN)] = ALONG
        kinds[(low == LAND) | (high == LAND)] = CLOSED
        return kinds

    def inward(self, axis: AxisName) -> Mask:
        """Return for velocity points ALONG on which side of them the domain lies, across the axis.

        1 for a lower index, 2 for a higher one, 0 at all other points.
        """
        way = np.zeros(self.extent, np.int8)
        for boundary in self.open:
            outward_axis, outward = _OUTWARD[boundary.side]
            if "xy"[outward_axis] != axis:
                way[boundary.cells()] = 1 if outward > 0 else 2
        low, high = self._beside(way, axis, 0)
        way_inwards: Mask = np.where(low > 0, low, high)
        return np.where(self.faces(axis) == ALONG, way_inwards, np.int8(0))

    def flows_on(self) -> Mask:
        """Return on which side of open cells the sea beyond goes on, see 'numerics.axis'; else 0.

        Where the domain has water there, too, the current through their outer side is stepped.
        """
        sides = np.zeros(self.extent, np.int8)
        for boundary in self.open:
            outer = self.points_beside(boundary, 0, is_outer=True)
            closed = self.faces(boundary.axis)[outer] == CLOSED
            sides[boundary.cells()] = np.where(closed, SIDES[boundary.side], 0)
        return sides

    def with_water(self, location: str) -> NDArray[np.bool_]:
        """Return which cells have water, or which velocity points have some on one side at least.

        Args:
            location: 'x_face' or 'y_face'; all others are in cells.
        """
        if location not in ("x_face", "y_face"):
            return self.is_wet
        low, high = self._beside(self.is_wet, "x" if location == "x_face" else "y", beyond=False)
        either: NDArray[np.bool_] = low | high
        return either

    def face_bed(self, axis: AxisName) -> NDArray[np.float64]:
        """Return the depth of the bed at velocity points; that of the water beside at coasts."""
        low, high = self._beds_beside(axis)
        return 0.5 * (low + high) if self.face_depth == "mean" else np.minimum(low, high)

    def shallower_bed(self, axis: AxisName) -> NDArray[np.float64]:
        """Return the lesser depth of the cells beside velocity points; see 'face_bed'."""
        return np.minimum(*self._beds_beside(axis))

    def _beds_beside(self, axis: AxisName) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        low, high = self._beside(self.depth, axis, np.nan)
        low, high = np.where(np.isnan(low), high, low), np.where(np.isnan(high), low, high)
        # Between two cells of land nothing flows, but what divides by the depth must find one.
        return np.where(np.isnan(low), 1.0, low), np.where(np.isnan(high), 1.0, high)

    def _beside(self, values: Any, axis: AxisName, beyond: float) -> tuple[Any, Any]:
        """Return the values of the cells before and after each velocity point.

        Args:
            values: Of cells.
            axis: That of the points.
            beyond: What lies beyond sides where the grid does not close.
        """
        number = "xy".index(axis)
        along = np.moveaxis(values, number, 0)
        if self.periodic[number]:
            low, high = np.roll(along, 1, axis=0), along
        else:
            ends = np.pad(along, [(1, 1), (0, 0)], constant_values=beyond)
            low, high = ends[:-1], ends[1:]
        return np.moveaxis(low, 0, number), np.moveaxis(high, 0, number)

    def blocks(self, layers: int = 0) -> hc.Bisection | None:
        """Return blocks that share the water evenly among ranks; None if there is no land.

        Args:
            layers: Whether the grid has a third axis: their number.
        """
        if self.is_wet.all():
            return None
        return hc.Bisection(self.is_wet[..., np.newaxis] if layers else self.is_wet)

    def coriolis(self, axis: AxisName | None = None) -> Any:
        """Return f: a number, or an array (1, ny) or (nx, ny), of faces one more [1/s].

        Args:
            axis: At its velocity points; None for the middles of cells.
        """
        if self.curvilinear is not None:
            if not self.has_latitudes:
                return self.f
            if axis is None:
                return coriolis(self.curvilinear.places[1])
            return coriolis(self.curvilinear.latitudes("xy".index(axis)))
        if not (self.is_spherical or self.beta):
            return self.f
        count, shift = (self.extent[1] + 1, 0.0) if axis == "y" else (self.extent[1], 0.5)
        y = self.origin[1] + (np.arange(count) + shift) * self.spacing[1]
        return (coriolis(y) if self.is_spherical else self.f + self.beta * y)[np.newaxis]


def sponge_weights(width: int) -> tuple[float, ...]:
    """Return how strongly a sponge of some cells draws each, from the open cell (1.0) inwards.

    Source: Martinsen & Engedahl 1987.
    """
    return tuple((1.0 - away / width) ** 2 for away in range(width))


def coriolis(latitude: Any) -> Any:
    """Return f at latitudes given in degrees [1/s].

    Example:
        >>> print(round(ocean.coriolis(54.0), 7))
        0.000118
    """
    return 2.0 * _EARTH_ROTATION * np.sin(np.radians(latitude))
