"""Bathymetry files: depths, and the grid on which they are given."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace

from halocline.apps.ocean.input.corners import (
    NEEDED,
    kind_of_corners,
    read_corners,
    read_rotation,
    remarks_on,
)
from halocline.apps.ocean.input.input_file import InputFile
from halocline.apps.ocean.setup.curvilinear import Curvilinear
from halocline.apps.ocean.setup.domain import Domain
from halocline.errors import CaseError
from halocline.frozen import Frozen
from halocline.language.numbers import Range

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Names of depths, positive downwards unless they say something else, and of heights.
_DEPTHS, _HEIGHTS = ("bathymetry", "depth"), ("elevation", "topo")
# What is that high above the mean level, or higher, is land that no water reaches [m].
_LAND = -10.0
# No sea is deeper [m].
_DEEPEST = 12_000.0
# Larger numbers of nines alone, such as 9999, mark missing values.
_LEAST_MARK = 9999.0
# Two-dimensional ones beside axes in m; the first are GETM's.
_LONGITUDES, _LATITUDES = ("lonc", "lon", "longitude"), ("latc", "lat", "latitude")
# How much less than its width a cell may be displaced, for coordinates of few digits.
_UNEVEN = 0.01
# Types of grids in files; there are those of corners, too.
_CARTESIAN, _SPHERICAL = 1, 2
# Variables with the widths of cells along y and x, by whether axes are in degrees.
_WIDTHS = {False: ("dy", "dx"), True: ("dlat", "dlon")}
# Cells of an ocean that are narrower are in another unit, if the file says none [m].
_NARROW = 10.0


class Bathymetry(Frozen, eq=False):
    """Depths of cells and where these are.

    Attributes:
        depth: Below the mean level, positive downwards, NaN on land; shape (nx, ny) [m].
        spacing: Widths of cells along x and y [m]; of a sphere [degrees].
        origin: Low corner, in the same unit.
        is_spherical: Whether axes are longitudes and latitudes.
        remarks: How values were taken that may have another meaning, each a sentence.
        place: Longitudes and latitudes of the cells of a plane, (nx, ny); None if the file has none
            [degrees].
        curvilinear: Corners of the cells of a curvilinear grid, with a spacing of 1; or None.
        rotation: Angle from east to the direction of x, (nx, ny) [degrees]; None if the file has
            none.

    Example:
        >>> depth = np.full((8, 6), 20.0)
        >>> bed = ocean.Bathymetry(depth, (1e3, 1e3), (0.0, 0.0), is_spherical=False)
    """

    depth: NDArray[np.float64]
    spacing: tuple[float, float]
    origin: tuple[float, float]
    is_spherical: bool
    remarks: tuple[str, ...] = ()
    place: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
    curvilinear: Curvilinear | None = None
    rotation: NDArray[np.float64] | None = None

    @property
    def has_latitudes(self) -> bool:
        """Whether the grid has a Coriolis parameter in each cell."""
        return self.is_spherical or (
            self.curvilinear is not None and self.curvilinear.latitude is not None
        )

    @property
    def grid_type(self) -> int:
        """The number that GETM has for its grid."""
        if self.curvilinear is None:
            return _SPHERICAL if self.is_spherical else _CARTESIAN
        return next(
            kind for kind, (x, _) in NEEDED.items() if getattr(self.curvilinear, x) is not None
        )

    def on_f_plane(self) -> Bathymetry:
        """Return the same cells in a plane, where latitudes give no Coriolis parameter."""
        grid = self.curvilinear
        if grid is None or grid.x is None or grid.latitude is None:
            return self
        rotation = grid.rotation if self.rotation is None else self.rotation
        in_plane = Curvilinear(x=grid.x, y=grid.y)
        return replace(self, curvilinear=in_plane, place=grid.places, rotation=rotation)

    def domain(self, **more: Any) -> Domain:
        """Return the domain of these cells.

        Args:
            more: Attributes of 'Domain' that files do not have.
        """
        where: dict[str, Any]
        where = {"spacing": self.spacing, "origin": self.origin, "is_spherical": self.is_spherical}
        if self.curvilinear is not None:
            where = {"curvilinear": self.curvilinear}
        return Domain(self.depth, place=self.place, rotation=self.rotation, **where, **more)

    def window(self, x: slice, y: slice) -> Bathymetry:
        """Return a part of it, of cells counted from 0."""
        starts = (x.start or 0, y.start or 0)
        corner = [o + n * s for o, n, s in zip(self.origin, starts, self.spacing, strict=True)]
        place = None if self.place is None else (self.place[0][x, y], self.place[1][x, y])
        return replace(
            self,
            depth=self.depth[x, y],
            origin=(0.0, 0.0) if self.curvilinear else (corner[0], corner[1]),
            place=place,
            curvilinear=self.curvilinear and self.curvilinear.window(x, y),
            rotation=None if self.rotation is None else self.rotation[x, y],
        )


def read_bathymetry(path: str | Path, *, is_of_getm: bool = False) -> Bathymetry:
    """Return what a bathymetry file says.

    It has a variable 'bathymetry' or 'depth', positive downwards, or 'elevation', positive upwards;
    its attribute 'positive' may say something else. Axes are (y, x) in m, or (lat, lon) in degrees,
    evenly spaced: middles of cells. Land is where a value is missing, infinite or of nines alone
    (9999), or where the bed is 10 m above the mean level; of heights, where they are not below it;
    and where a depth is 0, unless the file has other land or depths below 0. A variable
    'grid_type', 1 or 2, says that axes are in m or in degrees; with 3 and 4 the grid is
    curvilinear: 'xx' and 'yx' [m], or 'lonx' and 'latx' [degrees], or all of these, are the corners
    of cells, and 'convx' is the direction of y, clockwise from north, at corners; 'convc' is that
    of cells of even grids. Variables 'dx' and 'dy' (or 'dlon'
    and 'dlat') may give the widths of cells; with them, axes in m may be left out, or count the
    cells. Longitudes and latitudes of all cells of a plane are taken, too.

    Args:
        path: Of the file.
        is_of_getm: Whether depths are positive downwards whatever they are, and 0 is water.

    Raises:
        CaseError: The file cannot be read, or has something else, or does not say whether
            values are depths or heights.

    Example:
        >>> import pathlib, tempfile, xarray
        >>> folder = tempfile.TemporaryDirectory()
        >>> axes = {"y": 1e3 * np.arange(6), "x": 1e3 * np.arange(8)}
        >>> bed = xarray.DataArray(np.full((6, 8), 20.0), axes, ("y", "x"), "bathymetry")
        >>> bed.to_netcdf(pathlib.Path(folder.name, "topo.nc"))
        >>> ocean.read_bathymetry(pathlib.Path(folder.name, "topo.nc")).depth.shape
        (8, 6)
    """
    file = InputFile(Path(path), "bathymetry")
    known = (*_DEPTHS, *_HEIGHTS)
    name = next((name for name in known if name in file), None)
    if name is None:
        raise CaseError(
            f"{file.name} has the variables {', '.join(map(str, file.data.variables))}; expected "
            f"one with the name {', '.join(known[:-1])} or {known[-1]}.",
            hint="Rename it, or give its values to 'Domain' yourself.",
        )
    array = file.variable(name, ("y", "x"), "m")
    kind = _kind_of_grid(file, array)
    if kind in NEEDED:
        return _curvilinear(file, array, kind, _Depths(file, name, array, is_of_getm=is_of_getm))
    is_spherical = kind == _SPHERICAL
    x, y = (_line(file, array, number, is_spherical=is_spherical) for number in (1, 0))
    depth, remarks = _Depths(file, name, array, is_of_getm=is_of_getm).read()
    place = None if is_spherical else _place(file, array)
    rotation = None if is_spherical else read_rotation(file, array, is_curvilinear=False)
    lines = (x[1], y[1]), (x[0], y[0])
    return Bathymetry(depth, *lines, is_spherical, remarks, place, rotation=rotation)


def _curvilinear(file: InputFile, array: Any, kind: int, depths: _Depths) -> Bathymetry:
    """Return the bathymetry of a file with corners of cells."""
    corners = read_corners(file, array, kind)
    if corners.x is not None:
        widths = np.hypot(np.diff(corners.x, axis=0), np.diff(corners.y, axis=0))
        _check_unit_is_said(file, "xx", float(np.nanmedian(widths)))
    depth, remarks = depths.read()
    rotation = read_rotation(file, array, is_curvilinear=True)
    return Bathymetry(
        depth,
        (1.0, 1.0),
        (0.0, 0.0),
        is_spherical=False,
        remarks=(*remarks, *remarks_on(corners, rotation)),
        place=None if corners.latitude is not None else _place(file, array),
        curvilinear=corners,
        rotation=rotation,
    )


def _place(file: InputFile, array: Any) -> tuple[Any, Any] | None:
    """Return longitudes and latitudes of all cells, if the file has both."""
    found = []
    for names in (_LONGITUDES, _LATITUDES):
        for name in names:
            if name in file and file.data[name].dims == array.dims:
                found.append(np.asarray(file.data[name].values, np.float64).T)
                break
    has_both = len(found) == len("xy") and all(np.isfinite(values).all() for values in found)
    return (found[0], found[1]) if has_both else None


class _Depths:
    """The depths of a file, and remarks on how they were taken.

    Args:
        file: Has them.
        name: Of their variable.
        array: The variable, axes (y, x).
        is_of_getm: See 'read_bathymetry'.
    """

    def __init__(self, file: InputFile, name: str, array: Any, *, is_of_getm: bool) -> None:
        self.file, self.name, self.is_of_getm = file, name, is_of_getm
        self.values = np.asarray(array.values, np.float64).T
        self.said = str(array.attrs.get("positive", "")).strip().lower()
        self.is_up = self.said == "up" if self.said else name in _HEIGHTS
        self.remarks: list[str] = []

    def read(self) -> tuple[NDArray[np.float64], tuple[str, ...]]:
        """Return depths, positive downwards and NaN on land, shape (nx, ny), and remarks.

        Raises:
            CaseError: None of them is water, some cannot be, or they do not say which way they go.
        """
        if self.said not in ("", "up", "down") or (self.is_up and self.is_of_getm):
            expected = "'down'" if self.is_of_getm else "'up' or 'down'"
            raise CaseError(
                f"{self.file.name} has '{self.name}' with 'positive' '{self.said or 'up'}'; "
                f"expected {expected}.",
                hint="Turn the values round, and set it: "
                f"ncatted -a positive,{self.name},o,c,down in.nc.",
            )
        self._without_marks()
        if not self.said and self.name in _DEPTHS and not self.is_of_getm:
            self._check_way()
        depth = -self.values if self.is_up else self.values
        if self.is_up and self.name in _DEPTHS:
            self.remarks.append(
                f"'{self.name}' is positive upwards, as its attribute says: what is not below 0 is "
                "land."
            )
        with np.errstate(invalid="ignore"):
            depth = np.where(depth > (0.0 if self.is_up else _LAND), depth, np.nan)
        if not self.is_up and not self.is_of_getm:
            depth = self._without_zeros(depth)
        self._check_water(depth)
        return depth, tuple(self.remarks)

    def _without_marks(self) -> None:
        """Make infinite values, and those of nines alone, missing ones."""
        values = self.values
        sizes = np.abs(values)
        with np.errstate(invalid="ignore", divide="ignore"):
            is_mark = (sizes >= _LEAST_MARK) & (
                np.isinf(values) | (sizes + 1.0 == 10.0 ** np.round(np.log10(sizes + 1.0)))
            )
        for mark in np.unique(values[is_mark]):
            count = int((values == mark).sum())
            self.remarks.append(f"{count} cells whose '{self.name}' is {mark:g} are land.")
        self.values = np.where(is_mark, np.nan, values)

    def _check_way(self) -> None:
        """Refuse depths that may be heights: most of those beyond flats that dry are below 0."""
        depths = self.values[np.isfinite(self.values)]
        deep, high = depths[depths > 0.0], depths[depths < _LAND]
        # The same number everywhere stands for land.
        if np.unique(high).size > 1 or (depths.size and not deep.size and (depths < 0.0).any()):
            raise CaseError(
                f"{self.file.name} has '{self.name}' from {depths.min():g} to {depths.max():g}, "
                f"{deep.size} above and {(depths < 0.0).sum()} below 0, and does not say which of "
                "these are water.",
                hint=f"Say it: 'ncatted -a positive,{self.name},o,c,up in.nc' for heights, 'down' "
                "for depths.",
            )

    def _without_zeros(self, depth: NDArray[np.float64]) -> NDArray[np.float64]:
        """Take depths of 0 for land in a file that has no other land and no bed above 0."""
        is_zero = depth == 0.0
        if not is_zero.any() or np.isnan(depth).any() or (depth < 0.0).any():
            return depth
        self.remarks.append(
            f"{int(is_zero.sum())} cells whose '{self.name}' is 0 are land, as the file has no "
            "other."
        )
        return np.where(is_zero, np.nan, depth)

    def _check_water(self, depth: NDArray[np.float64]) -> None:
        if not np.isfinite(depth).any():
            raise CaseError(
                f"{self.file.name} has land only: none of its {depth.size} values of "
                f"'{self.name}' is water.",
                hint="Depths are positive downwards, missing on land.",
            )
        deepest = float(np.nanmax(depth))
        if deepest > _DEEPEST:
            raise CaseError(
                f"{self.file.name} has '{self.name}' with {deepest:g} m of water; expected "
                f"{_DEEPEST:g} m at most.",
                hint="If it stands for land, say so: "
                f"'ncatted -a _FillValue,{self.name},o,d,{deepest:g} in.nc'.",
            )


def _kind_of_grid(file: InputFile, array: Any) -> int:
    """Return the type of a file's grid: 1 even, 2 of the earth, 3 and 4 with corners."""
    if "grid_type" in file:
        kind = file.number("grid_type")
        if kind not in (_CARTESIAN, _SPHERICAL, *NEEDED):
            raise CaseError(
                f"{file.name} has 'grid_type' {kind:g}; expected 1 (Cartesian), 2 (spherical), 3 "
                "(curvilinear in a plane) or 4 (curvilinear on the earth)."
            )
        return int(kind)
    dim = str(array.dims[1])
    if dim.lower().startswith("lon") or file.is_in(dim, "degrees"):
        return _SPHERICAL
    by_corners = None if dim in file.data.coords else kind_of_corners(file)
    return by_corners or _CARTESIAN


def _line(file: InputFile, array: Any, number: int, *, is_spherical: bool) -> tuple[float, float]:
    """Return where the first cell along an axis begins, and how wide cells are."""
    width_name, unit = _WIDTHS[is_spherical][number], "degrees" if is_spherical else "m"
    cell_width = file.number(width_name, unit, Range(above=0.0)) if width_name in file else None
    if cell_width is not None and not is_spherical and _is_counted(file, array, number):
        _check_unit_is_said(file, width_name, cell_width)
        return 0.0, cell_width
    middles, dim = file.axis(array, number, unit), str(array.dims[number])
    if middles.size == 1:
        raise CaseError(f"{file.name} has one cell along '{dim}'; expected more.")
    width = float(middles[-1] - middles[0]) / (middles.size - 1)
    if cell_width is not None and abs(cell_width - width) > _UNEVEN * width:
        raise CaseError(
            f"{file.name} has '{width_name}' {cell_width:g} {unit}, but its coordinates '{dim}' "
            f"are {width:g} {unit} apart; expected the same.",
            hint="Mend one of them.",
        )
    if cell_width is None and not is_spherical:
        _check_unit_is_said(file, dim, width)
    strayed = np.abs(middles - (middles[0] + width * np.arange(middles.size)))
    if strayed.max() > _UNEVEN * width:
        worst = int(strayed.argmax())
        raise CaseError(
            f"{file.name} has unevenly spaced coordinates '{dim}': number "
            f"{worst + 1} is {middles[worst]:g}; expected {middles[0] + worst * width:g}."
        )
    return float(middles[0]) - 0.5 * width, width


def _is_counted(file: InputFile, array: Any, number: int) -> bool:
    """Return whether an axis has no coordinates, or the numbers of its cells."""
    dim = str(array.dims[number])
    if dim not in file.data.coords:
        return True
    first, *_ = values = np.asarray(file.data[dim].values)
    return first in (0, 1) and np.array_equal(values, first + np.arange(values.size))


def _check_unit_is_said(file: InputFile, name: str, width: float) -> None:
    """Refuse narrow cells of a variable without a unit, which may be in km, or count cells."""
    if width < _NARROW and not file.is_in(name, "m"):
        raise CaseError(
            f"{file.name} has cells that are {width:g} wide by '{name}', which has no unit; "
            f"expected at least {_NARROW:g} m, or an attribute that says that it is in m.",
            hint="If it is in km, or counts the cells, write it in m; if in degrees, set "
            f"'grid_type' to 2. Else set the attribute: ncatted -a units,{name},o,c,m in.nc.",
        )
