"""Files with temperature, salinity and currents of the sea beyond open boundaries."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from msgspec.structs import replace

import halocline as hc
from halocline.apps.ocean.input.boundary_file import are_along_x, check_points
from halocline.apps.ocean.input.initial_file import LEAST, Levels, any_of, heights_of
from halocline.apps.ocean.input.input_file import InputFile, Period
from halocline.apps.ocean.physics.tides import HOUR
from halocline.errors import CaseError, nearest
from halocline.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from halocline.apps.ocean.setup.domain import Domain, OpenBoundary

    Values = NDArray[np.float64]

# A file of so many times has months of a year, in GETM.
MONTHS = 12


class Variable(NamedTuple):
    """What files of GETM call a quantity, and its unit there."""

    variable: str
    unit: str


TRACERS: Mapping[str, Variable] = MappingProxyType(
    {"temperature": Variable("temp", "degC"), "salinity": Variable("salt", "1e-3")}
)
# The current of layers, across open boundaries.
_CURRENT = "current"


class LevelsInTime(Frozen, eq=False):
    """A tracer or the current of the sea beyond open cells, at some heights and times.

    Attributes:
        times: After the begin of the run [s].
        heights: Over the mean level, from the lowest up [m].
        values: At these times, (times, cells, heights); NaN where nothing is known.
        name: Of the variable.
    """

    times: Values
    heights: Values
    values: Values
    name: str

    def __call__(self, x: Any, y: Any, height: Values) -> hc.Series:
        """Return values between heights as a series, see 'Levels'."""
        rows = [Levels(self.heights, values)(x, y, height) for values in self.values]
        return hc.Series(self.times, np.stack(rows), name=self.name)


def read_sea(
    path: str | Path, quantity: str, domain: Domain, begin: datetime, hours: float
) -> Levels | LevelsInTime:
    """Return the sea beyond open boundaries, as 'sea_temperature' of a Setup takes it.

    Values are interpolated linearly in time, and between depths to the layers of open cells as they
    are at the beginning. From then on they move with the layers. The highest and the lowest value
    go on beyond.

    Args:
        path: NetCDF with 'temp' [degC] or 'salt' [1e-3], axes (time, point, depth), or (point,
            depth) if it is steady. Points are the open cells, in the order of the boundaries. Of
            the current 'u' for boundaries in the west and east, 'v' for others [m/s].
        quantity: 'temperature', 'salinity', or 'current' for 'layer_current'.
        domain: Of the model.
        begin: Date and time at which the run begins.
        hours: How long it lasts.

    Raises:
        CaseError: The file cannot be read, lacks values, has other axes, units or points, or does
            not cover the run. The message names the file.

    Example:
        >>> import pathlib, tempfile, xarray
        >>> from datetime import datetime
        >>> line = ocean.OpenBoundary("west", 0, 0, 5)
        >>> sea = ocean.Domain(np.full((8, 6), 20.0), spacing=(1e3, 1e3), open=(line,))
        >>> axes = ("time", "point", "depth")
        >>> salt = {"salt": (axes, np.full((2, 6, 3), 35.0), {"units": "1e-3"})}
        >>> times = np.array(["2026-01-01", "2026-01-02"], "M8[ns]")
        >>> data = xarray.Dataset(salt, {"time": times, "depth": [0.0, 10.0, 20.0]})
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = pathlib.Path(folder.name, "sea.nc")
        >>> data.to_netcdf(path)
        >>> inflow = ocean.read_sea(path, "salinity", sea, datetime(2026, 1, 1), hours=24.0)
    """
    known = (*TRACERS, _CURRENT)
    if quantity not in known:
        raise CaseError(
            f"'read_sea' was given the quantity {quantity!r}; expected one of {', '.join(known)}.",
            hint=nearest(str(quantity), known),
        )
    points = sum(line.cells()[0].size for line in domain.open)
    where = (points, np.arange(points), Period(begin, HOUR * hours))
    if quantity == _CURRENT:
        return read_layer_currents(Path(path), domain.open, *where)
    return read_columns(Path(path), TRACERS[quantity], *where)


def read_layer_currents(
    path: Path,
    parts: Sequence[OpenBoundary],
    points: int,
    numbers: NDArray[np.intp],
    period: Period,
    names: tuple[str, str] = ("u", "v"),
    *,
    has_climatology: bool = False,
) -> Levels | LevelsInTime:
    """Return the current of layers across open boundaries, along x or y.

    Args:
        path: NetCDF, see 'read_columns'.
        parts: The boundaries.
        points: See 'read_columns'.
        numbers: See 'read_columns'.
        period: Of the run.
        names: Of the variables for boundaries in the west and east, and for others [m/s].
        has_climatology: See 'read_columns'.

    Raises:
        CaseError: The file cannot be read, has one of them where both are needed, or something
            else.
    """
    is_along_x = are_along_x(parts)
    found = [
        read_columns(
            path,
            Variable(name, "m/s"),
            points,
            numbers,
            period,
            has_climatology=has_climatology,
            is_needed=is_there,
        )
        for name, is_there in zip(names, (is_along_x, ~is_along_x), strict=True)
        if is_there.any()
    ]
    first, last = found[0], found[-1]
    axes = [(type(one), one.heights.tolist(), _times(one)) for one in (first, last)]
    if axes[0] != axes[1]:
        raise CaseError(
            f"{InputFile(path, 'boundary').name} has '{names[0]}' and '{names[1]}' at different "
            "times or depths; expected the same."
        )
    values = np.where(is_along_x[:, np.newaxis], first.values, last.values)
    return replace(first, values=values)


def _times(values: Levels | LevelsInTime) -> list[float]:
    return values.times.tolist() if isinstance(values, LevelsInTime) else []


def read_columns(
    path: Path,
    variable: Variable,
    points: int,
    numbers: NDArray[np.intp],
    period: Period,
    *,
    has_climatology: bool = False,
    is_needed: NDArray[np.bool_] | None = None,
) -> Levels | LevelsInTime:
    """Return what a variable of the sea beyond open cells is.

    Args:
        path: NetCDF with it, axes (time, point, z), or (point, z).
        variable: Which.
        points: How many the file must have.
        numbers: Of those that are needed, in this order.
        period: Of the run.
        has_climatology: Whether 12 times are the months of any year, as in GETM.
        is_needed: Which of the points must have values; None for all.

    Raises:
        CaseError: The file cannot be read, or has something else, or not for all of the run.
    """
    file, (name, unit) = InputFile(path, "boundary"), variable
    axes = ("point", "z")
    has_times = name not in file or file.data[name].ndim > len(axes)
    array = file.variable(name, ("time", *axes) if has_times else axes, unit)
    check_points(file, array, array.shape[-2], points)
    heights, order = heights_of(file, array, -1)
    if not has_times:
        array = array.expand_dims("time")
    times: Values | None = None
    is_climatology = has_climatology and array.shape[0] == MONTHS
    if array.shape[0] > 1 and not is_climatology:
        rows, times = file.times(array, period)
        array = array[rows]
    found = array.where(array > LEAST).values
    values = np.asarray(found, np.float64)[:, numbers][..., order]
    is_needed = np.ones(numbers.size, bool) if is_needed is None else is_needed
    file.check_present(name, any_of(values), is_needed)
    file.check_plausible(name, unit, values, is_needed[:, np.newaxis])
    if is_climatology:
        times, values = _of_months(values, period)
    return (
        Levels(heights, values[0]) if times is None else LevelsInTime(times, heights, values, name)
    )


def _of_months(values: Values, period: Period) -> tuple[Values, Values]:
    """Return times [s] and values of a run of means of months (12, …).

    As in GETM, they are linear in between the beginnings of months, where two means are averaged.
    """
    begins = list(_months(period))
    seconds = [(begin - period.start).total_seconds() for begin in begins]
    months = np.array([begin.month - 1 for begin in begins])
    return np.array(seconds), 0.5 * (values[months - 1] + values[months])


def _months(period: Period) -> Iterator[datetime]:
    """Yield the beginnings of months from the first of a run to the first after it."""
    begin = period.start.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    while True:
        yield begin
        if begin > period.stop:
            return
        begin = begin.replace(
            year=begin.year + begin.month // MONTHS, month=begin.month % MONTHS + 1
        )
