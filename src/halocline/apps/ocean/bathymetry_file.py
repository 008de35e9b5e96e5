"""Bathymetry files: depths, and the grid on which they are given."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.apps.ocean.input_file import InputFile
from halocline.errors import CaseError
from halocline.language.numbers import Range

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

# Names of depths, positive downwards, and of heights.
_DEPTHS, _HEIGHTS = ("bathymetry", "depth"), ("elevation", "topo")
# What is that high above the mean level, or higher, is land that no water reaches [m].
_LAND = -10.0
# How much less than its width a cell may be displaced, for coordinates of few digits.
_UNEVEN = 0.01
_GRIDS = {1: False, 2: True}
# Variables with the widths of cells along y and x, by whether axes are in degrees.
_WIDTHS = {False: ("dy", "dx"), True: ("dlat", "dlon")}
# Cells of an ocean that are narrower are in another unit, if the file says none [m].
_NARROW = 10.0


@dataclass(frozen=True, eq=False)
class Bathymetry:
    """Depths of cells and where these are.

    Attributes:
        depth: Below the mean level, positive downwards, NaN on land; shape (nx, ny) [m].
        spacing: Widths of cells along x and y [m]; of a sphere [degrees].
        origin: Low corner, in the same unit.
        is_spherical: Whether axes are longitudes and latitudes.
    """

    depth: NDArray[np.float64]
    spacing: tuple[float, float]
    origin: tuple[float, float]
    is_spherical: bool

    def window(self, x: slice, y: slice) -> Bathymetry:
        """Return a part of it, of cells counted from 0."""
        starts = (x.start or 0, y.start or 0)
        corner = [o + n * s for o, n, s in zip(self.origin, starts, self.spacing, strict=True)]
        return replace(self, depth=self.depth[x, y], origin=(corner[0], corner[1]))


def read_bathymetry(path: Path) -> Bathymetry:
    """Return what a bathymetry file says.

    It has a variable 'bathymetry' or 'depth', positive downwards, or 'elevation', positive upwards,
    with the axes (y, x) in m, or (lat, lon) in degrees, evenly spaced: middles of cells. Land is
    where a value is missing, or where the bed is 10 m above the mean level; of an elevation, where
    it is not below. A variable 'grid_type', 1 or 2, says that axes are in m or in degrees.
    Variables 'dx' and 'dy' (or 'dlon' and 'dlat') may give the widths of cells; with them, axes in
    m may be left out, or count the cells.

    Raises:
        CaseError: The file cannot be read, or has something else.
    """
    file = InputFile(path, "bathymetry")
    name = next((name for name in (*_DEPTHS, *_HEIGHTS) if name in file), _DEPTHS[0])
    array = file.variable(name, ("y", "x"), "m")
    is_spherical = _is_spherical(file, array)
    x, y = (_line(file, array, number, is_spherical=is_spherical) for number in (1, 0))
    values = np.asarray(array.values, np.float64).T
    depth = -values if name in _HEIGHTS else values
    lowest = 0.0 if name in _HEIGHTS else _LAND
    with np.errstate(invalid="ignore"):
        depth = np.where(depth > lowest, depth, np.nan)
    if not np.isfinite(depth).any():
        raise CaseError(
            f"{file.name} has land only: none of its {depth.size} values of '{name}' is water.",
            hint="Depths are positive downwards, missing on land.",
        )
    return Bathymetry(depth, (x[1], y[1]), (x[0], y[0]), is_spherical)


def _is_spherical(file: InputFile, array: Any) -> bool:
    """Return whether a file's axes are in degrees."""
    if "grid_type" in file:
        kind = file.number("grid_type")
        if kind not in _GRIDS:
            raise CaseError(
                f"{file.name} has 'grid_type' {kind:g}, curvilinear; expected 1 (Cartesian) or 2 "
                "(spherical), with cells that are evenly spaced.",
                hint="Interpolate the bathymetry to such a grid.",
            )
        return _GRIDS[int(kind)]
    dim = str(array.dims[1])
    return dim.lower().startswith("lon") or file.is_in(dim, "degrees")


def _line(file: InputFile, array: Any, number: int, *, is_spherical: bool) -> tuple[float, float]:
    """Return where the first cell along an axis begins, and how wide cells are."""
    given, unit = _WIDTHS[is_spherical][number], "degrees" if is_spherical else "m"
    told = file.number(given, unit, Range(above=0.0)) if given in file else None
    if told is not None and not is_spherical and _is_counted(file, array, number):
        _check_unit_is_said(file, given, told)
        return 0.0, told
    middles, dim = file.axis(array, number, unit), str(array.dims[number])
    if middles.size == 1:
        raise CaseError(f"{file.name} has one cell along '{dim}'; expected more.")
    width = float(middles[-1] - middles[0]) / (middles.size - 1)
    if told is not None and abs(told - width) > _UNEVEN * width:
        raise CaseError(
            f"{file.name} has '{given}' {told:g} {unit}, but its coordinates '{dim}' "
            f"are {width:g} {unit} apart; expected the same.",
            hint="Mend one of them.",
        )
    if told is None and not is_spherical:
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
            hint="If it is in km, or counts the cells, write it in m. Else set the attribute: "
            f"ncatted -a units,{name},o,c,m in.nc.",
        )
