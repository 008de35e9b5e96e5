"""Input files: NetCDF with what a run is given, checked before anything is computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.apps.ocean.setup.atmosphere import RANGES
from halocline.errors import CaseError, nearest
from halocline.frozen import Frozen
from halocline.installation import need
from halocline.language.numbers import ANY, Range, finite_number

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    Values = NDArray[np.float64]

_CELSIUS = (
    *("degc", "deg c", "deg_c", "degree_c", "degree_celsius", "degrees_celsius", "celsius", "c"),
)
# How files write the units that the model computes in.
_SPELLINGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "m": ("m", "meter", "meters", "metre", "metres"),
        "m/s": ("m/s", "m s-1", "m s^-1", "m s**-1", "m.s-1", "meters/second"),
        "m3/s": ("m3/s", "m3 s-1", "m^3/s", "m^3 s^-1", "m**3 s**-1", "m3.s-1"),
        "Pa": ("pa", "pascal", "n/m2", "n m-2"),
        "N/m2": ("n/m2", "n m-2", "n/m^2", "n/m**2", "n m**-2", "pa", "pascal"),
        "m2/s": ("m2/s", "m2 s-1", "m^2/s", "m^2 s^-1", "m**2 s**-1", "m2.s-1"),
        "W/m2": ("w/m2", "w m-2", "w/m^2", "w m^-2", "w m**-2", "w.m-2"),
        "degC": _CELSIUS,
        "1e-3": ("1e-3", "0.001", "psu", "pss", "pss-78", "ppt", "g/kg", "g kg-1", "1"),
        "degC of air": _CELSIUS,
        "K": ("k", "kelvin", "degk", "degrees_kelvin"),
        "kg/kg": ("kg/kg", "kg kg-1", "kg kg**-1", "kg kg^-1", "1"),
        "%": ("%", "percent"),
        "fraction": ("1", "(0 - 1)", "fraction", "0-1"),
        "J/m2": ("j/m2", "j m-2", "j m**-2", "j m^-2"),
        "degrees": ("degrees", "degree", "degrees_east", "degrees_north", "deg"),
    }
)
# Plausible values of input by unit; others mark missing values, or are in another unit.
PLAUSIBLE: Mapping[str, Range] = MappingProxyType(
    {
        "m": Range(least=-100.0, most=100.0),
        "m/s": Range(least=-150.0, most=150.0),
        "m3/s": Range(least=-1e6, most=1e6),
        "m2/s": Range(least=0.0, most=1e6),
        "Pa": Range(least=8e4, most=1.1e5),
        "N/m2": Range(least=-100.0, most=100.0),
        "degC": Range(least=-10.0, most=60.0),
        "1e-3": Range(least=-1.0, most=400.0),
        "degC of air": RANGES["degC"],
        "K": Range(least=193.0, most=333.0),
        "kg/kg": RANGES["kg/kg"],
        "%": Range(least=0.0, most=110.0),
        "fraction": Range(least=-1e-3, most=1.001),
        "W/m2": Range(least=-3000.0, most=2000.0),
        "J/m2": Range(least=-100.0, most=6e6),
    }
)
# Fill values of NetCDF are beyond, as are no times and no numbers of an ocean.
_FILL = 1e30
# How names of axes begin.
_BEGINNINGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"x": ("x", "lon"), "y": ("y", "lat"), "z": ("z", "dep", "lev"), "time": ("time",)}
)


class Period(Frozen):
    """From when to when a run goes.

    Attributes:
        start: Date and time.
        duration: [s].
    """

    start: datetime
    duration: float

    @property
    def stop(self) -> datetime:
        """Date and time of its end."""
        return self.start + timedelta(seconds=self.duration)


def read_date(text: str, what: str) -> datetime:
    """Return the date and time of a text as '2004-01-31 12:00:00' or '2004/01/31 12:00:00'.

    Args:
        text: The text.
        what: What messages call it.

    Raises:
        CaseError: It is none.
    """
    try:
        return datetime.fromisoformat(text.strip().replace("/", "-"))
    except ValueError:
        raise CaseError(
            f"{what} is '{text}'; expected a date and time as '2004-01-31 12:00:00'."
        ) from None


class InputFile:
    """A NetCDF file, of which values are read when they are asked for.

    Args:
        path: The file.
        what: What it is, as messages say it: 'bathymetry'.

    Raises:
        CaseError: It is not there, or it is no NetCDF file.
    """

    def __init__(self, path: Path, what: str) -> None:
        need("ocean", "xarray")
        import xarray

        self.name = f"The {what} file '{path}'"
        if not path.is_file():
            raise CaseError(f"There is no {what} file '{path}'.")
        try:
            self.data = xarray.open_dataset(path, decode_times=False)
        except Exception as error:  # of a damaged file the libraries raise anything
            raise CaseError(
                f"{self.name} is not NetCDF, or cannot be read.",
                hint='NetCDF 4 needs pip install "halocline[ocean]".',
            ) from error

    def __contains__(self, variable: str) -> bool:
        """Return whether it has a variable."""
        return variable in self.data.variables

    def variable(self, name: str, axes: Sequence[str], unit: str = "") -> Any:
        """Return a variable, an xarray.DataArray that is not read yet.

        Args:
            name: Of the variable.
            axes: In which order: of 'time', 'z', 'y', 'x' and 'point'.
            unit: In which it must be, if it says so; '' for any.

        Raises:
            CaseError: There is none, or it has other axes or another unit.
        """
        if name not in self:
            raise CaseError(
                f"{self.name} has no variable '{name}'.",
                hint=nearest(name, map(str, self.data.variables)),
            )
        variable = self.data[name]
        self._check_axes(name, variable, axes)
        self._check_unit(name, variable, unit)
        return variable

    def number(self, name: str, unit: str = "", allowed: Range = ANY) -> float:
        """Return the value of a variable without axes.

        Args:
            name: Of the variable.
            unit: In which it must be, if it says so; '' for any.
            allowed: The numbers that it may be.

        Raises:
            CaseError: There is none, or it has several values, another unit or another value.
        """
        value = self.variable(name, (), unit).values
        return finite_number(f"'{name}' in {self.name}", value, allowed, CaseError)

    def is_in(self, name: str, unit: str) -> bool:
        """Return whether a variable says that it is in a unit."""
        unit_in_file = str(self.data[name].attrs.get("units", "")) if name in self else ""
        return unit_in_file.strip().lower() in _SPELLINGS[unit]

    def coordinates(self, array: Any, number: int, unit: str) -> Any:
        """Return the coordinates along an axis of a variable, an xarray.DataArray.

        Raises:
            CaseError: It has none, or they are in another unit.
        """
        dim = str(array.dims[number])
        if dim not in self.data.coords:
            raise CaseError(
                f"{self.name} has no coordinates along the axis '{dim}' of '{array.name}'; "
                f"expected a variable '{dim}' with one number for each of its "
                f"{array.shape[number]} values."
            )
        self._check_unit(dim, self.data[dim], unit)
        return self.data[dim]

    def axis(self, array: Any, number: int, unit: str) -> Values:
        """Return the coordinates along a horizontal axis of a variable.

        Raises:
            CaseError: It has none, or they do not increase, or are in another unit.
        """
        coordinates = self.coordinates(array, number, unit)
        values, dim = np.asarray(coordinates.values, np.float64), coordinates.name
        if not np.all(np.diff(values) > 0.0):
            raise CaseError(
                f"{self.name} has coordinates '{dim}' that do not increase; expected the west and "
                "the south first.",
                hint=f"Turn the axis round: 'ncpdq -a -{dim} in.nc out.nc'.",
            )
        return values

    def times(self, array: Any, period: Period) -> tuple[slice, Values]:
        """Return which rows of a variable a run needs, and their times after its start [s].

        Args:
            array: A variable whose first axis is that of the times.
            period: Of the run.

        Raises:
            CaseError: Times have no unit, or do not increase, or do not cover the run.
        """
        dim = str(array.dims[0])
        seconds = self.seconds(dim, period.start)
        if not seconds.size:
            raise CaseError(f"{self.name} has no time in '{dim}'; expected those of the run.")
        if not np.all(np.diff(seconds) > 0.0):
            late = int(np.flatnonzero(np.diff(seconds) <= 0.0)[0]) + 1
            raise CaseError(
                f"{self.name} has times '{dim}' that do not increase: number {late + 1} is not "
                f"later than number {late}."
            )
        for is_missing, end, verb in (
            (seconds[0] > 0.0, seconds[0], "begins"),
            (seconds[-1] < period.duration, seconds[-1], "ends"),
        ):
            if is_missing:
                when = period.start + timedelta(seconds=float(end))
                raise CaseError(
                    f"{self.name} {verb} at {when}, but the run goes from {period.start} to "
                    f"{period.stop}; expected '{array.name}' for all of that time."
                )
        first = int(np.searchsorted(seconds, 0.0, side="right")) - 1
        last = int(np.searchsorted(seconds, period.duration, side="left"))
        rows = slice(first, last + 1)
        return rows, seconds[rows]

    def seconds(self, dim: str, start: datetime) -> Values:
        """Return all times along an axis after the start of a run [s].

        Raises:
            CaseError: They are none, some are missing, or they have no unit that says since when.
        """
        import xarray

        if dim not in self.data.coords:
            raise CaseError(f"{self.name} has no variable '{dim}' with its times.")
        self._check_times_are_there(dim)
        unit = str(self.data[dim].attrs.get("units", ""))
        try:
            dates = xarray.decode_cf(self.data[[dim]])[dim].values
            if dates.dtype.kind != "M":
                raise ValueError
        except (ValueError, ImportError, OverflowError) as error:
            raise CaseError(
                f"{self.name} has times '{dim}' in '{unit}'; expected 'seconds since "
                "2004-01-31 12:00:00' or the like, of the usual calendar."
            ) from error
        return np.asarray((dates - np.datetime64(start)) / np.timedelta64(1, "s"), np.float64)

    def check_present(self, name: str, values: Values, is_wet: NDArray[np.bool_]) -> None:
        """Refuse values that are missing where there is water.

        Args:
            name: Of the variable.
            values: The last axes as those of 'is_wet'.
            is_wet: Cells, or points, that need one.
        """
        missing = np.argwhere(~np.isfinite(values) & is_wet)
        if len(missing):
            place = ", ".join(map(str, missing[0][values.ndim - is_wet.ndim :]))
            raise CaseError(
                f"{self.name} lacks {len(missing)} values of '{name}' in water, the first at "
                f"({place}), counted from 0.",
                hint="Fill them, or make the cell land in the bathymetry.",
            )

    def check_plausible(
        self, name: str, unit: str, values: Values, is_wet: NDArray[np.bool_]
    ) -> None:
        """Raise for values in water that no ocean has; missing values pass.

        Args:
            name: Of the variable.
            unit: Of its values, a key of 'PLAUSIBLE'.
            values: With the axes of 'is_wet' last.
            is_wet: Cells, or points, to check.
        """
        allowed = PLAUSIBLE[unit]
        with np.errstate(invalid="ignore"):
            wrong = ((values < allowed.least) | (values > allowed.most)) & is_wet
        if wrong.any():
            first = np.argwhere(wrong)[0]
            value = values[tuple(first)]
            raise CaseError(
                f"{self.name} has '{name}' {value:g} at ({', '.join(map(str, first))}), counted "
                f"from 0, and {int(wrong.sum())} such values in all; expected "
                f"{allowed.described('numbers')} [{unit}].",
                hint="If it stands for what is missing, say so: "
                f"'ncatted -a _FillValue,{name},o,d,{value:g} FILE'; else convert the values.",
            )

    def _check_times_are_there(self, dim: str) -> None:
        """Refuse times that are missing, as NaN or as a fill value."""
        raw = self.data[dim].values
        if raw.dtype.kind not in "iuf":
            return
        missing = np.flatnonzero(~(np.abs(raw) < _FILL))
        if missing.size:
            raise CaseError(
                f"{self.name} lacks {missing.size} of the {raw.size} times '{dim}', the first at "
                f"{missing[0]}, counted from 0.",
                hint="Fill them, or leave these records out.",
            )

    def _check_axes(self, name: str, found: Any, axes: Sequence[str]) -> None:
        letters = [_letter(self.data, str(dim)) for dim in found.dims]
        is_right = len(letters) == len(axes) and all(
            letter in ("", axis) for letter, axis in zip(letters, axes, strict=True)
        )
        if not is_right:
            turned = ",".join(
                str(dim)
                for axis in axes
                for dim in found.dims
                if axis == _letter(self.data, str(dim))
            )
            is_turned = sorted(letters) == sorted(axes)
            raise CaseError(
                f"{self.name} has '{name}' with the axes ({', '.join(map(str, found.dims))}); "
                f"expected ({', '.join(axes)}), in this order.",
                hint=f"Write 'ncpdq -a {turned} in.nc out.nc'." if is_turned else "",
            )

    def _check_unit(self, name: str, found: Any, unit: str) -> None:
        unit_in_file = str(found.attrs.get("units", "")).strip()
        if unit and unit_in_file and unit_in_file.lower() not in _SPELLINGS[unit]:
            raise CaseError(
                f"{self.name} has '{name}' in '{unit_in_file}'; expected {unit}.",
                hint="Convert the values, or mend the attribute 'units'.",
            )


def _letter(data: Any, dim: str) -> str:
    """Return the axis that a dimension is: 'x', 'y', 'time', or '' if nothing tells it."""
    attributes = data[dim].attrs if dim in data.coords else {}
    unit = str(attributes.get("units", "")).lower()
    if unit in ("degrees_east", "degrees_north"):
        return "x" if unit == "degrees_east" else "y"
    return next((a for a, names in _BEGINNINGS.items() if dim.lower().startswith(names)), "")
