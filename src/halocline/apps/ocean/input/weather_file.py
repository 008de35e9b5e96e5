"""Weather: stress of the wind and pressure of the air from files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

import halocline as hc
from halocline.apps.ocean.input.horizontal import around, at_middles, middles_of, turned
from halocline.apps.ocean.input.input_file import InputFile, Period
from halocline.apps.ocean.physics.equation_of_state import REFERENCE_DENSITY
from halocline.errors import CaseError
from halocline.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from halocline.apps.ocean.setup.domain import Domain

    Values = NDArray[np.float64]

WindDrag = Literal["smith-banke", "constant"]

AIR_DENSITY = 1.25
_CONSTANT_DRAG = 1.25e-3
# What files call the pressure at the mean level of the sea; ERA5 has the second.
PRESSURES = ("slp", "msl", "mslp", "psl")
# Where the axes of a grid that is not rotated point to.
_SOUTH_POLE = (0.0, -90.0)


def first_name(files: Sequence[InputFile], names: Sequence[str]) -> str | None:
    """Return the first of some names that any file has a variable of; None if none has."""
    return next((name for name in names if any(name in file for file in files)), None)


def wind_stress(u: Values, v: Values, drag: WindDrag) -> tuple[Values, Values]:
    """Return the stress of the wind over the density of water [m²/s²].

    Args:
        u: Eastward wind, 10 m above the water [m/s].
        v: Northward wind [m/s].
        drag: 'smith-banke', a coefficient that grows with the wind (Smith & Banke 1975); or
            'constant', 1.25e-3.
    """
    speed = np.hypot(u, v)
    coefficient = 1e-3 * (0.63 + 0.066 * speed) if drag == "smith-banke" else _CONSTANT_DRAG
    factor = (AIR_DENSITY / REFERENCE_DENSITY) * coefficient * speed
    return factor * u, factor * v


class Weather(Frozen):
    """What files say of the weather.

    Attributes:
        stress: Of the wind over the density of water, as files have it: along east and north
            [m²/s²].
        pressure: Of the air; None if files have none [Pa].
    """

    stress: tuple[hc.Series, hc.Series]
    pressure: hc.Series | None


class WeatherFiles(Frozen):
    """Files with 'u10' and 'v10' [m/s], or 'tausx' and 'tausy' [N/m²], and maybe a pressure [Pa].

    That is called 'slp', or as in ERA5 'msl'. Axes are (time, y, x) or (time, lat, lon). Files
    follow one another in time.

    Attributes:
        paths: At least one.
        domain: Of the model.
        period: Of the run.
        is_on_grid: Whether values are those of the model's cells, or of all of them if there is
            one; else they are interpolated in longitude and latitude.
        drag: See 'wind_stress'; None if files have stresses.
        factor: Wind is multiplied by it.
    """

    paths: Sequence[Path]
    domain: Domain
    period: Period
    is_on_grid: bool = True
    drag: WindDrag | None = "smith-banke"
    factor: float = 1.0

    def read(self) -> Weather:
        """Return what they say.

        Raises:
            CaseError: A file cannot be read, or has something else, or not for all of the run.
        """
        files = self.open()
        if self.drag is None:
            times, along = self.values(files, "tausx", "N/m2")
            _, across = self.values(files, "tausy", "N/m2")
            stress = (along / REFERENCE_DENSITY, across / REFERENCE_DENSITY)
        else:
            times, u = self.values(files, "u10", "m/s")
            _, v = self.values(files, "v10", "m/s")
            stress = wind_stress(self.factor * u, self.factor * v, self.drag)
        pressure = None
        if name := first_name(files, PRESSURES):
            pressure = hc.Series(*self.values(files, name, "Pa"), name=name)
        along_x, along_y = (
            hc.Series(times, values, name=name)
            for name, values in zip(("stress_x", "stress_y"), stress, strict=True)
        )
        return Weather((along_x, along_y), pressure)

    def open(self) -> list[InputFile]:
        """Return the files; their values are read later."""
        return [InputFile(path, "weather") for path in self.paths]

    def values(self, files: Sequence[InputFile], name: str, unit: str) -> tuple[Values, Values]:
        """Return times [s] and values, shape (times, nx, ny), that the run needs of a variable."""
        arrays = [file.variable(name, ("time", "y", "x"), unit) for file in files]
        for file, array in zip(files, arrays, strict=True):
            self._check_grid(file, array)
        whole = _Joined(files, arrays, self.period)
        rows, times = whole.times(whole.data[name], self.period)
        values = self._of_cells(whole.data[name][rows])
        whole.check_present(name, values, self.domain.is_wet)
        whole.check_plausible(name, unit, values, self.domain.is_wet)
        return times, np.where(np.isfinite(values), values, 0.0)

    def _check_grid(self, file: InputFile, array: Any) -> None:
        """Refuse values of other cells, or on a grid whose axes point elsewhere."""
        if "southpole" in file:
            pole = tuple(np.ravel(file.data["southpole"].values)[:2])
            if pole != _SOUTH_POLE:
                raise CaseError(
                    f"{file.name} has a rotated grid, with its south pole at {pole}; expected "
                    f"{_SOUTH_POLE}.",
                    hint="Interpolate it to longitudes and latitudes, and turn the wind.",
                )
        cells = (self.domain.extent[1], self.domain.extent[0])
        if self.is_on_grid and array.shape[1:] not in (cells, (1, 1)):
            raise CaseError(
                f"{file.name} has '{array.name}' at {array.shape[2]} x {array.shape[1]} points; "
                f"expected {cells[1]} x {cells[0]}, one in each cell of the bathymetry, or one in "
                "all."
            )
        if self.is_on_grid and self.domain.is_spherical and array.shape[1:] == cells:
            self._check_middles(file, array)
        if not (self.is_on_grid or self.domain.is_spherical or self.domain.places):
            raise CaseError(
                f"{file.name} is to be interpolated to a grid whose longitudes and latitudes are "
                "not known; expected values in the model's cells."
            )

    def _check_middles(self, file: InputFile, array: Any) -> None:
        """Refuse longitudes and latitudes that lie in other cells."""
        domain = self.domain
        for axis, number in ((0, 2), (1, 1)):
            middles = np.asarray(file.coordinates(array, number, "degrees").values, np.float64)
            if axis == 0:
                middles = turned(middles, middles_of(domain, on_earth=True)[0].ravel())
            cells = (middles - domain.origin[axis]) / domain.spacing[axis]
            strayed = np.flatnonzero(np.floor(cells) != np.arange(middles.size))
            if strayed.size:
                at = int(strayed[0])
                expected = domain.origin[axis] + (at + 0.5) * domain.spacing[axis]
                raise CaseError(
                    f"{file.name} has '{array.name}' at the {array.dims[number]} {middles[at]:g}; "
                    f"expected {expected:g}, as the bathymetry."
                )

    def _of_cells(self, array: Any) -> Values:
        """Return values in the model's cells, shape (times, nx, ny)."""
        domain = self.domain
        if self.is_on_grid:
            values = np.asarray(array.values, np.float64)
        else:
            values = at_middles(around(array, domain), domain, on_earth=True)
        in_cells = values.transpose(0, 2, 1)
        return np.broadcast_to(in_cells, (in_cells.shape[0], *domain.extent))


class _Joined(InputFile):
    """Files that follow one another in time, as one; each goes on where the one before ends."""

    def __init__(self, files: Sequence[InputFile], arrays: Sequence[Any], period: Period) -> None:
        import xarray

        more = f" and the {len(files) - 1} after it" if len(files) > 1 else ""
        self.name = files[0].name + more
        dim, parts, end = str(arrays[0].dims[0]), [], -np.inf
        for file, array in zip(files, arrays, strict=True):
            seconds = file.seconds(str(array.dims[0]), period.start)
            since = {"units": f"seconds since {period.start}"}
            part = array.assign_coords({dim: (dim, seconds, since)})
            parts.append(part[seconds > end])
            end = max(end, seconds.max())
        self.data = xarray.concat(parts, dim).to_dataset(name=arrays[0].name)
