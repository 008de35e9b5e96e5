"""Read air, clouds and radiation from files: an atmosphere that drives fluxes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

import halocline as hc
from halocline.apps.ocean.input.input_file import Period
from halocline.apps.ocean.input.weather_file import PRESSURES, WeatherFiles, first_name
from halocline.apps.ocean.physics.moist_air import (
    KELVIN,
    saturation_pressure,
    specific_humidity,
)
from halocline.apps.ocean.physics.tides import HOUR
from halocline.apps.ocean.setup.atmosphere import Atmosphere
from halocline.errors import CaseError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from numpy.typing import NDArray

    from halocline.apps.ocean.input.input_file import InputFile
    from halocline.apps.ocean.setup.domain import Domain

    Values = NDArray[np.float64]

# What files of GETM, ERA5 and CMIP call each part.
_TEMPERATURES = ("t2", "t2m", "tas")
_DEW_POINTS, _SPECIFIC, _RELATIVE = ("dev2", "d2m"), ("sh", "huss"), ("rh", "hurs")
_CLOUDS = ("tcc",)
_SUNLIGHT, _LONG_WAVES = ("ssrd", "rsds"), ("strd", "rlds")
# Files accumulate over this time before theirs, as ERA5 [s].
_ACCUMULATED = HOUR
_NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "temperature of the air": _TEMPERATURES,
        "humidity": (*_DEW_POINTS, *_SPECIFIC, *_RELATIVE),
        "pressure": PRESSURES,
        "cloud cover": _CLOUDS,
    }
)


def read_atmosphere(
    paths: Sequence[str | Path],
    domain: Domain,
    begin: datetime,
    hours: float,
    *,
    is_on_grid: bool = False,
    **options: Any,
) -> Atmosphere:
    """Return the atmosphere that NetCDF files have, of GETM, ERA5 or CMIP.

    Wind 'u10' and 'v10' [m/s]; temperature 't2', 't2m' or 'tas' [degC or K]; pressure; cloud cover
    'tcc'; humidity as dew point ('dev2', 'd2m'), specific ('sh', 'huss') or relative ('rh',
    'hurs') [%]. Maybe radiation that reaches the surface: 'ssrd' or 'rsds', and 'strd' or 'rlds'
    [W/m²], or accumulated over the hour before [J/m²], as ERA5 has it.

    Args:
        paths: Of files that follow one another in time; axes (time, lat, lon) or (time, y, x).
        domain: Of the model.
        begin: Date and time (UTC) at which the run begins.
        hours: How long it lasts.
        is_on_grid: Whether a file has a value for each cell of the model, or one value for all;
            if not, values are interpolated in longitude and latitude.
        options: More of the 'Atmosphere', as formula="kondo".

    Raises:
        CaseError: A file cannot be read, lacks a variable, or has something else.

    Example:
        >>> import pathlib, tempfile, xarray
        >>> from datetime import datetime
        >>> folder, times = tempfile.TemporaryDirectory(), np.array(["2026-01-01", "2026-01-02"])
        >>> met = {"u10": 5.0, "v10": 0.0, "t2m": 283.0, "d2m": 280.0, "tcc": 0.5, "msl": 1.01e5}
        >>> units = dict(zip(met, ["m/s", "m/s", "K", "K", "1", "Pa"]))
        >>> cells = {n: np.full((2, 6, 8), value) for n, value in met.items()}
        >>> axes = ("time", "y", "x")
        >>> met = {n: (axes, values, {"units": units[n]}) for n, values in cells.items()}
        >>> path = pathlib.Path(folder.name, "met.nc")
        >>> xarray.Dataset(met, {"time": times.astype("M8[ns]")}).to_netcdf(path)
        >>> sea = ocean.Domain(np.full((8, 6), 20.0), spacing=(1e3, 1e3))
        >>> air = ocean.read_atmosphere([path], sea, datetime(2026, 1, 1), 24.0, is_on_grid=True)
    """
    period = Period(begin, HOUR * hours)
    return atmosphere_of(
        WeatherFiles(list(map(Path, paths)), domain, period, is_on_grid), **options
    )


def atmosphere_of(files: WeatherFiles, **options: Any) -> Atmosphere:
    """Return the atmosphere that files have; see 'read_atmosphere'."""
    return _Air(files).read(options)


def read_fluxes(files: WeatherFiles) -> dict[str, hc.Series]:
    """Return 'heat_flux' and 'sunlight' of files: 'shf' and 'swr', both into the water [W/m²].

    Args:
        files: With their grid and period.

    Raises:
        CaseError: A file cannot be read, or has something else.
    """
    opened = files.open()
    return {
        name: hc.Series(*files.values(opened, variable, "W/m2"), name=variable)
        for name, variable in (("heat_flux", "shf"), ("sunlight", "swr"))
    }


def read_fresh_water(
    files: WeatherFiles, precip_factor: float, evap_factor: float | None
) -> hc.Series:
    """Return rain less evaporation: the sum of 'precip' and 'evap', both into the water [m/s].

    Args:
        files: With their grid and period.
        precip_factor: 'precip' is multiplied by it.
        evap_factor: 'evap' is multiplied by it; None for rain alone.

    Raises:
        CaseError: A file cannot be read, has something else, or the two at different times.
    """
    opened = files.open()
    times, rain = files.values(opened, "precip", "m/s")
    if evap_factor is None:
        return hc.Series(times, precip_factor * rain, name="precip")
    evaporation_times, evaporation = files.values(opened, "evap", "m/s")
    if not np.array_equal(times, evaporation_times):
        raise CaseError(
            f"{opened[0].name} has 'precip' and 'evap' at different times; expected the same."
        )
    return hc.Series(times, precip_factor * rain + evap_factor * evaporation, name="precip + evap")


class _Air:
    """Reads the variables of files.

    Args:
        weather: The files.
    """

    def __init__(self, weather: WeatherFiles) -> None:
        self.weather = weather
        self.files: Sequence[InputFile] = weather.open()

    def read(self, options: Mapping[str, Any]) -> Atmosphere:
        """Return the atmosphere."""
        u, v = (self._series(name, "m/s", factor=self.weather.factor) for name in ("u10", "v10"))
        temperature = self._temperature(self._needed("temperature of the air"))
        pressure = self._series(self._needed("pressure"), "Pa")
        return Atmosphere(
            **{
                "wind": (u, v),
                "temperature": temperature,
                "humidity": self._humidity(temperature, pressure),
                "pressure": pressure,
                "cloud": self._cloud(),
                "sunlight": self._radiation(_SUNLIGHT),
                "long_waves": self._radiation(_LONG_WAVES),
                "begin": self.weather.period.start,
                **options,
            }
        )

    def _needed(self, what: str) -> str:
        name = first_name(self.files, _NAMES[what])
        if name is None:
            raise CaseError(
                f"{self.files[0].name} has no {what}; expected one of "
                f"{', '.join(map(repr, _NAMES[what]))}."
            )
        return name

    def _unit(self, name: str, *units: str) -> str:
        """Return the unit in which a variable is: one of some, else the first."""
        file = next(file for file in self.files if name in file)
        return next((unit for unit in units if file.is_in(name, unit)), units[0])

    def _series(self, name: str, unit: str, *, factor: float = 1.0, less: float = 0.0) -> hc.Series:
        times, values = self.weather.values(self.files, name, unit)
        return hc.Series(times, factor * values - less, name=name)

    def _temperature(self, name: str) -> hc.Series:
        """Return a temperature of the air; without a unit it is in degC [degC]."""
        unit = self._unit(name, "degC of air", "K")
        return self._series(name, unit, less=KELVIN if unit == "K" else 0.0)

    def _humidity(self, temperature: hc.Series, pressure: hc.Series) -> hc.Series:
        """Return the specific humidity [kg/kg]."""
        name = self._needed("humidity")
        if name in _SPECIFIC:
            return self._series(name, "kg/kg")
        if name in _DEW_POINTS:
            found = self._temperature(name)
            share, of = np.ones(()), found.values
        else:
            found = self._series(name, "%", factor=0.01)
            share, of = found.values, self._same_times(found, temperature)
        air_pressure = self._same_times(found, pressure)
        # Land may have no pressure; its humidity is not used.
        air_pressure = np.where(air_pressure > 0.0, air_pressure, 1e5)
        vapour = share * saturation_pressure(of, air_pressure)
        return hc.Series(found.times, specific_humidity(vapour, air_pressure), name=name)

    def _same_times(self, series: hc.Series, other: hc.Series) -> Values:
        """Return the values of another series, which must have the same times."""
        if not np.array_equal(series.times, other.times):
            raise CaseError(
                f"{self.files[0].name} has '{series.name}' and '{other.name}' at different times; "
                "expected the same."
            )
        return other.values

    def _cloud(self) -> hc.Series:
        name = self._needed("cloud cover")
        if self._unit(name, "fraction", "%") == "%":
            return self._series(name, "%", factor=0.01)
        times, values = self.weather.values(self.files, name, "fraction")
        # Packed files miss 0 and 1 by their last digit.
        return hc.Series(times, np.clip(values, 0.0, 1.0), name=name)

    def _radiation(self, names: Sequence[str]) -> hc.Series | None:
        """Return what reaches the surface [W/m²]; None if files have none."""
        name = first_name(self.files, names)
        if name is None:
            return None
        unit = self._unit(name, "W/m2", "J/m2")
        times, values = self.weather.values(self.files, name, unit)
        if unit == "J/m2":
            # A mean lies in the middle of its hour; the last one goes on to the end of the run.
            times = np.append(times - 0.5 * _ACCUMULATED, times[-1])
            values = np.concatenate([values, values[-1:]]) / _ACCUMULATED
        return hc.Series(times, np.maximum(values, 0.0), name=name)
