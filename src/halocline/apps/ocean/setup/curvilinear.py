"""Curvilinear grids: where the corners of cells lie, and what follows from that.

Corners are vectors: in a plane, or from the middle of the earth. So the same functions compute
widths, middles and directions of both. Widths are distances between middles of faces, corners and
middles of cells: accurate to second order.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import force_setattr
from numpy.typing import NDArray

from halocline.apps.arguments import wrong
from halocline.apps.ocean.numerics.metric import EARTH_RADIUS, Metric
from halocline.apps.ocean.setup.arguments import surface
from halocline.errors import CaseError
from halocline.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

Array = NDArray[np.float64]

# How far the angle between the axes of a cell may be from a right one [degrees].
MOST_SKEWED = 5.0
# By how much distances in metres may differ from those between longitudes and latitudes, which
# projections change.
_MOST_STRETCHED = 3.0
_TURN = 360.0
_PAIRS = (("x", "y"), ("longitude", "latitude"))


class Curvilinear(Frozen, eq=False, dict=True):
    """Describe an orthogonal curvilinear grid by the corners of its cells.

    Corners are arrays (nx + 1, ny + 1), NaN where no cell around has water. Widths of cells follow
    from x and y if these are given, otherwise from longitudes and latitudes. Longitudes and
    latitudes also give the Coriolis parameter of each cell and the direction of east.

    Attributes:
        x: Of corners in a plane [m]; None if these are not known.
        y: Likewise [m].
        longitude: Of corners [degrees]; None if these are not known.
        latitude: Likewise [degrees].

    Raises:
        CaseError: Coordinates are missing, no numbers, or of different shapes. 'Domain' refuses
            cells with water that have no area, are folded or skewed.

    Example:
        >>> angle, radius = np.meshgrid(np.linspace(0.0, 1.0, 9), 1e5 + 1e4 * np.arange(7))
        >>> grid = ocean.Curvilinear(x=-(radius * np.cos(angle)).T, y=(radius * np.sin(angle)).T)
        >>> grid.extent
        (8, 6)
    """

    x: Any = None
    y: Any = None
    longitude: Any = None
    latitude: Any = None

    def __post_init__(self) -> None:
        for pair in _PAIRS:
            given = [name for name in pair if name in self._given]
            if len(given) == 1:
                raise CaseError(
                    f"A curvilinear grid was given '{given[0]}' alone; expected "
                    f"'{pair[0]}' and '{pair[1]}'."
                )
        if not self._given:
            raise CaseError(
                "A curvilinear grid was given no corners; expected 'x' and 'y' in m, 'longitude' "
                "and 'latitude' in degrees, or all of them."
            )
        for name in self._given:
            force_setattr(self, name, surface(name, getattr(self, name)))
        self._check_shapes()
        if self.latitude is not None:
            for name, most in (("longitude", 540.0), ("latitude", 90.0)):
                values = getattr(self, name)
                if np.nanmax(np.abs(values), initial=0.0) > most:
                    raise wrong(name, values, f"degrees up to {most:g}")

    def _check_shapes(self) -> None:
        shapes = {name: getattr(self, name).shape for name in self._given}
        shape = shapes[self._given[0]]
        is_surface = len(shape) == len("xy") and min(shape) > 1
        if len(set(shapes.values())) > 1 or not is_surface:
            found = ", ".join(f"'{name}' {shape}" for name, shape in shapes.items())
            raise CaseError(
                f"The corners of a curvilinear grid have the shapes {found}; expected one shape, "
                "a corner more along each axis than there are cells."
            )

    @property
    def _given(self) -> list[str]:
        """The names of the coordinates that were given."""
        return [name for pair in _PAIRS for name in pair if getattr(self, name) is not None]

    @property
    def extent(self) -> tuple[int, int]:
        """Cells along x and y."""
        nx, ny = (self.latitude if self.x is None else self.x).shape
        return nx - 1, ny - 1

    def window(self, x: slice, y: slice) -> Curvilinear:
        """Return the corners of a part of the cells, counted from 0."""
        nx, ny = self.extent
        (west, east, _), (south, north, _) = x.indices(nx), y.indices(ny)
        cells = slice(west, east + 1), slice(south, north + 1)
        return Curvilinear(**{name: getattr(self, name)[cells] for name in self._given})

    @cached_property
    def _corners(self) -> Array:
        """Where corners lie, vectors [m]."""
        return self._on_earth if self.x is None else np.stack([self.x, self.y], axis=-1)

    @cached_property
    def _on_earth(self) -> Array:
        """Where corners lie, vectors from the middle of the earth [m]."""
        east, north = np.radians(self.longitude), np.radians(self.latitude)
        parts = np.cos(north) * np.cos(east), np.cos(north) * np.sin(east), np.sin(north)
        return EARTH_RADIUS * np.stack(parts, axis=-1)

    @property
    def coordinates(self) -> tuple[Array, Array]:
        """Coordinates of corners: x and y [m], or longitude and latitude [degrees]."""
        return (self.longitude, self.latitude) if self.x is None else (self.x, self.y)

    @cached_property
    def middles(self) -> tuple[Array, Array]:
        """Coordinates of the middles of cells: x and y [m], or longitude and latitude [degrees]."""
        if self.x is None:
            return self.places
        x, y = np.moveaxis(_in_cells(self._corners), -1, 0)
        return x, y

    @cached_property
    def places(self) -> tuple[Array, Array]:
        """Longitudes and latitudes of the middles of cells [degrees]."""
        longitude, latitude = _places(_in_cells(self._on_earth))
        turns = np.round((self.longitude[1:, 1:] - longitude) / _TURN)
        return longitude + _TURN * turns, latitude

    def latitudes(self, axis: int) -> Array:
        """Return the latitudes of velocity points, the middles of faces across an axis."""
        return _places(_midway(self._on_earth, 1 - axis))[1]

    @cached_property
    def rotation(self) -> Array:
        """Angle from east, or from x in the plane, to the direction of cells along x [degrees]."""
        if self.latitude is None:
            along = _directions(self._corners)[0]
            return np.asarray(np.degrees(np.arctan2(along[..., 1], along[..., 0])))
        along = _directions(self._on_earth)[0]
        east, north = _east_and_north(_in_cells(self._on_earth))
        parts = ((along * way).sum(axis=-1) for way in (north, east))
        return np.asarray(np.degrees(np.arctan2(*parts)))

    def metric(self, periodic: Sequence[bool]) -> Metric:
        """Return the widths of cells: arrays with one face or corner more than there are cells.

        Args:
            periodic: Whether the grid closes on itself along x and y.
        """
        wide = self._corners
        for axis, closes in enumerate(periodic):
            wide = _with_one_beyond(wide, axis, closes=closes)
        at_u, at_v, middles = _midway(wide, 1), _midway(wide, 0), _in_cells(wide)
        inner = slice(1, -1)

        def filled(widths: Array) -> Array:
            """Return widths that are there on land, too, where nothing flows."""
            return np.where(np.isfinite(widths), widths, np.nanmedian(widths))

        return Metric(
            filled(_distances(at_u, 0)[inner, inner]),
            filled(_distances(wide, 0)[inner, inner]),
            filled(_distances(at_v, 1)[inner, inner]),
            dx_u=filled(_distances(middles, 0)[:, inner]),
            dx_x=filled(_distances(at_v, 0)[:, inner]),
            dy_u=filled(_distances(wide, 1)[inner, inner]),
            dy_v=filled(_distances(middles, 1)[inner]),
            dy_x=filled(_distances(at_u, 1)[inner]),
        )

    def check(self, is_wet: NDArray[np.bool_], periodic: Sequence[bool]) -> None:
        """Refuse what is no orthogonal grid where there is water.

        Args:
            is_wet: Which cells have water.
            periodic: Whether the grid closes on itself along x and y.

        Raises:
            CaseError: The message names the cell.
        """
        if is_wet.shape != self.extent:
            raise CaseError(
                f"The curvilinear grid has the corners of {self.extent[0]} x {self.extent[1]} "
                f"cells, but the bathymetry has {is_wet.shape[0]} x {is_wet.shape[1]}; expected "
                "the same.",
                hint="Along each axis there is a corner more than there are cells.",
            )
        self._check_there(is_wet)
        self._check_areas(is_wet)
        self._check_skewness(is_wet)
        self._check_units(is_wet)
        for axis in (axis for axis, closes in enumerate(periodic) if closes):
            self._check_closing(axis)

    def _check_there(self, is_wet: NDArray[np.bool_]) -> None:
        for name in self._given:
            is_there = np.isfinite(getattr(self, name))
            missing = is_wet & ~_at_all_corners(is_there)
            if missing.any():
                raise CaseError(
                    f"'{name}' has no number at corners of {_cell(missing)}, which has water; "
                    "expected four corners.",
                    hint="Give the corners, or make the cell land.",
                )

    def _check_areas(self, is_wet: NDArray[np.bool_]) -> None:
        areas = _areas_at_corners(self._corners)
        with np.errstate(invalid="ignore"):
            folded = is_wet & ~np.all(areas > 0.0, axis=0)
            is_mirrored = bool((areas < 0.0)[:, is_wet].all())
        if is_mirrored:
            raise CaseError(
                "The curvilinear grid is mirrored: y lies to the right of x in all cells with "
                "water; expected it to the left.",
                hint="Reverse one axis of corners and bathymetry, or exchange both axes.",
            )
        if folded.any():
            raise CaseError(
                f"{_cell(folded).capitalize()} of the curvilinear grid is folded or has no area; "
                "expected corners that go round it counterclockwise.",
                hint="Move the corners, or make the cell land.",
            )

    def _check_skewness(self, is_wet: NDArray[np.bool_]) -> None:
        along, across = _directions(self._corners)
        with np.errstate(invalid="ignore"):
            sine = (along * across).sum(axis=-1) / np.sqrt(
                (along**2).sum(axis=-1) * (across**2).sum(axis=-1)
            )
        skewness = np.where(is_wet, np.degrees(np.arcsin(np.where(is_wet, sine, 0.0))), 0.0)
        worst = np.abs(skewness) == np.abs(skewness).max()
        angle = 90.0 - float(skewness[worst][0])
        if abs(90.0 - angle) > MOST_SKEWED:
            raise CaseError(
                f"The axes of {_cell(worst)} of the curvilinear grid meet at {angle:.1f} degrees; "
                f"expected a right angle, up to {MOST_SKEWED:g} degrees.",
                hint="Make the grid orthogonal, or make the cell land.",
            )

    def _check_units(self, is_wet: NDArray[np.bool_]) -> None:
        if self.x is None or self.latitude is None:
            return
        plane, earth = (
            float(np.mean(np.linalg.norm(_directions(corners)[0][is_wet], axis=-1)))
            for corners in (self._corners, self._on_earth)
        )
        if not 1.0 / _MOST_STRETCHED < plane / earth < _MOST_STRETCHED:
            raise CaseError(
                f"Cells of the curvilinear grid are {plane:g} m wide along x by 'x' and 'y', and "
                f"{earth:g} m by 'longitude' and 'latitude'; expected about the same.",
                hint="Give 'x' and 'y' in m, longitudes and latitudes in degrees.",
            )

    def _check_closing(self, axis: int) -> None:
        """Refuse ends of a closed axis that have other forms."""
        ends = np.take(self._corners, -1, axis) - np.take(self._corners, 0, axis)
        size = float(np.nanmean(np.linalg.norm(_directions(self._corners)[axis], axis=-1)))
        strayed = float(np.nanmax(np.linalg.norm(ends - np.nanmean(ends, axis=0), axis=-1)))
        # Shifted by the same way in a plane, at the same places on the earth.
        if self.x is None:
            strayed = float(np.nanmax(np.linalg.norm(ends, axis=-1)))
        if strayed > 0.01 * size:
            raise CaseError(
                f"The curvilinear grid is periodic along {'xy'[axis]}, but its ends lie up to "
                f"{strayed:g} m apart; expected the same corners at both, in a plane perhaps "
                "shifted."
            )


def _midway(places: Array, axis: int) -> Array:
    """Return what lies in the middle between neighbours, on the earth's surface again."""
    low, high = (np.take(places, range(*ends), axis) for ends in _neighbours(places.shape[axis]))
    middle = 0.5 * (low + high)
    if places.shape[-1] == len("xy"):
        return middle
    return np.asarray(middle * (EARTH_RADIUS / np.linalg.norm(middle, axis=-1, keepdims=True)))


def _neighbours(count: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the numbers of the first to the last but one, and of the second to the last."""
    return (0, count - 1), (1, count)


def _in_cells(corners: Array) -> Array:
    return _midway(_midway(corners, 0), 1)


def _distances(places: Array, axis: int) -> Array:
    """Return how far neighbours are from each other, on the earth along great circles [m]."""
    chord = np.linalg.norm(np.diff(places, axis=axis), axis=-1)
    if places.shape[-1] == len("xy"):
        return np.asarray(chord)
    return np.asarray(2.0 * EARTH_RADIUS * np.arcsin(chord / (2.0 * EARTH_RADIUS)))


def _directions(corners: Array) -> tuple[Array, Array]:
    """Return the vectors through cells from face to face, along x and along y [m]."""
    along = np.diff(_midway(corners, 1), axis=0)
    return np.asarray(along), np.asarray(np.diff(_midway(corners, 0), axis=1))


def _with_one_beyond(corners: Array, axis: int, *, closes: bool) -> Array:
    """Return corners with one more beyond each side: those of the other end, or in a line."""
    first, second, last_but_one, last = (np.take(corners, n, axis) for n in (0, 1, -2, -1))
    way = last - first
    ends = (
        (last_but_one - way, second + way)
        if closes
        else (2.0 * first - second, 2.0 * last - last_but_one)
    )
    low, high = (np.expand_dims(end, axis) for end in ends)
    return np.concatenate([low, corners, high], axis=axis)


def _at_all_corners(is_there: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return of which cells all four corners are there."""
    return is_there[:-1, :-1] & is_there[1:, :-1] & is_there[:-1, 1:] & is_there[1:, 1:]


def _areas_at_corners(corners: Array) -> Array:
    """Return for each corner of cells the area between its two sides, below 0 if mirrored [m²]."""
    southwest, southeast = corners[:-1, :-1], corners[1:, :-1]
    northeast, northwest = corners[1:, 1:], corners[:-1, 1:]
    around = (southwest, southeast, northeast, northwest)
    areas = []
    for n, corner in enumerate(around):
        ahead, behind = around[(n + 1) % 4] - corner, around[n - 1] - corner
        areas.append(_area(ahead, behind, corner))
    return np.array(areas)


def _area(a: Array, b: Array, place: Array) -> Array:
    """Return the area between two vectors as seen from above a place [m²]."""
    if place.shape[-1] == len("xy"):
        return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])
    return np.asarray((np.cross(a, b) * place).sum(axis=-1) / EARTH_RADIUS)


def _places(vectors: Array) -> tuple[Array, Array]:
    """Return longitude and latitude of places on the earth [degrees]."""
    x, y, z = np.moveaxis(vectors, -1, 0)
    return np.degrees(np.arctan2(y, x)), np.degrees(np.arctan2(z, np.hypot(x, y)))


def _east_and_north(vectors: Array) -> tuple[Array, Array]:
    """Return the directions of east and north at places on the earth, vectors of length 1."""
    east, north = (np.radians(degrees) for degrees in _places(vectors))
    eastward = np.stack([-np.sin(east), np.cos(east), np.zeros_like(east)], axis=-1)
    parts = -np.sin(north) * np.cos(east), -np.sin(north) * np.sin(east), np.cos(north)
    return eastward, np.stack(parts, axis=-1)


def _cell(where: NDArray[np.bool_]) -> str:
    """Return what messages call the first of some cells."""
    i, j = np.argwhere(where)[0]
    return f"cell ({i}, {j})"
