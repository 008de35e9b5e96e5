"""Rows of a series: what it has at each time, in memory or in a file of which ranks read parts."""

from __future__ import annotations

import hashlib
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from halocline.errors import KernelError, described
from halocline.geometry import AXES
from halocline.installation import need
from halocline.language.numbers import real_array
from halocline.language.place import user_place

if TYPE_CHECKING:
    from numpy.typing import NDArray

COMPONENT, POINT = "component", "point"
# Microseconds and the like: 'datetime64' and 'timedelta64'.
_DATES = "mM"


class Rows(Protocol):
    """Numbers at each of some times.

    Attributes:
        shape: (times, …).
        places: Where they lie along the axes that name their places, if that is known.
    """

    shape: tuple[int, ...]
    places: dict[str, NDArray[np.float64]]

    @property
    def dtype(self) -> str:
        """'float32' or 'float64'."""

    @property
    def digest(self) -> str:
        """What all ranks must know alike, as a short text."""

    def cut(self, index: tuple[Any, ...]) -> NDArray[Any]:
        """Return the numbers of an outer index: for each axis but the first an array of numbers."""


class StoredRows:
    """Rows in memory.

    Args:
        values: (times, …).
    """

    def __init__(self, values: NDArray[Any]) -> None:
        self._values = values
        self.shape = values.shape
        self.places: dict[str, NDArray[np.float64]] = {}

    @property
    def dtype(self) -> str:
        """See 'Rows'."""
        return str(self._values.dtype)

    @cached_property
    def digest(self) -> str:
        """See 'Rows'."""
        hasher = hashlib.sha256(f"{self.shape} {self.dtype}".encode())
        hasher.update(self._values.tobytes())
        return hasher.hexdigest()[:16]

    def cut(self, index: tuple[Any, ...]) -> NDArray[Any]:
        """See 'Rows'."""
        every = np.arange(self.shape[0])
        found: NDArray[Any] = self._values[np.ix_(every, *index)] if index else self._values
        return found


class LabelledRows:
    """Rows of an xarray.DataArray, which are read when they are asked for.

    Args:
        array: Its dimensions: the times, maybe 'component', then some of x, y and z, in any order;
            or the times and 'point', as records have them.
        time: The name of the times.
        source: What messages call it.

    Raises:
        KernelError: It has other dimensions, or its times are no numbers.
    """

    def __init__(self, array: Any, time: str, source: str) -> None:
        names = [time, COMPONENT, POINT, *AXES]
        strange = [str(dim) for dim in array.dims if dim not in names]
        if strange or time not in array.dims:
            raise KernelError(
                f"{source} has the dimensions ({', '.join(map(str, array.dims))}); expected "
                f"'{time}' and some of {COMPONENT}, x, y and z, or {POINT}.",
                hint="Rename them, array.rename(lon='x', lat='y'), or name that of the times: "
                "time='…'.",
                place=user_place(),
            )
        order = [name for name in names if name in array.dims]
        self.array = array.transpose(*order)
        self.times = _times(self.array, time, source)
        self.shape = tuple(map(int, self.array.shape))
        self.places = {
            str(name): np.asarray(self.array[name].values, np.float64)
            for name in order
            if name in AXES and name in self.array.coords
        }
        self.is_of_cells = any(name in AXES for name in order)
        self._source = source

    @property
    def dtype(self) -> str:
        """See 'Rows'."""
        return "float32" if self.array.dtype == np.float32 else "float64"

    @property
    def digest(self) -> str:
        """See 'Rows'."""
        hasher = hashlib.sha256(f"{self._source} {self.shape} {self.dtype}".encode())
        for place in (self.times, *self.places.values()):
            hasher.update(place.tobytes())
        return hasher.hexdigest()[:16]

    def cut(self, index: tuple[Any, ...]) -> NDArray[Any]:
        """See 'Rows'."""
        some = dict(zip(self.array.dims[1:], index, strict=True)) if index else {}
        found: NDArray[Any] = np.asarray(self.array.isel(some).values, self.dtype)
        return found


def _times(array: Any, time: str, source: str) -> NDArray[np.float64]:
    if time not in array.coords:
        raise KernelError(
            f"{source} has no coordinate '{time}'; expected the time of each of its rows.",
            hint=f"Write array.assign_coords({time}=times).",
            place=user_place(),
        )
    times = array[time].values
    if times.dtype.kind in _DATES or times.dtype.kind not in "iuf":
        raise KernelError(
            f"{source} has times of type {times.dtype}; expected numbers in the time unit of the "
            "simulation.",
            hint=f"Write array.assign_coords({time}=(array['{time}'] - start) / "
            "np.timedelta64(1, 's')), or decode_times=False.",
            place=user_place(),
        )
    return np.asarray(times, np.float64)


def opened(path: str | Path, variable: str, source: str) -> Any:
    """Return a variable of a NetCDF file or a Zarr store, as an xarray.DataArray not yet read.

    Raises:
        KernelError: It cannot be opened, or has no such variable.
    """
    need("output", "xarray")
    import xarray

    path = Path(path)
    try:
        if path.suffix == ".zarr" or path.is_dir():
            dataset = xarray.open_zarr(path, decode_times=False, chunks=None, consolidated=False)
        else:
            dataset = xarray.open_dataset(path, decode_times=False)
    except (OSError, ValueError, KeyError) as error:
        raise KernelError(
            f"{source} cannot be read: {error}.",
            hint="Files are NetCDF, Zarr or, with columns of numbers, CSV; NetCDF 4 and Zarr need "
            'pip install "halocline[output]".',
            place=user_place(),
        ) from None
    if variable not in dataset:
        raise KernelError(
            f"{source} has no variable '{variable}'; it has "
            f"{', '.join(map(str, dataset)) or 'none'}.",
            place=user_place(),
        )
    return dataset[variable]


def columns(path: str | Path, names: str | list[str], time: str, source: str) -> Any:
    """Return times and columns of a CSV file whose first line has the names of its columns.

    Raises:
        KernelError: It cannot be read, or has no such columns.
    """
    try:
        table: Any = np.genfromtxt(
            path, delimiter=",", names=True, dtype=np.float64, encoding="utf-8"
        )
    except (OSError, ValueError) as error:
        raise KernelError(f"{source} cannot be read: {error}.", place=user_place()) from None
    known = table.dtype.names or ()
    for name in (time, *([names] if isinstance(names, str) else names)):
        if name not in known:
            raise KernelError(
                f"{source} has no column '{name}'; it has {', '.join(known) or 'none'}.",
                hint="The first line of the file has the names of the columns, after commas.",
                place=user_place(),
            )
    table = np.atleast_1d(table)
    if isinstance(names, str):
        return table[time], table[names]
    return table[time], np.stack([table[name] for name in names], axis=1)


def in_memory(what: str, given: Any, refusal: Any) -> NDArray[Any]:
    """Return numbers that were given as an array of its own, or raise what 'refusal' makes."""
    is_short = getattr(given, "dtype", None) == np.float32
    try:
        array = real_array(given, np.float32 if is_short else np.float64)
    except (TypeError, ValueError):
        raise refusal(
            f"its {what} are {described(given)}; expected numbers, of dates as "
            "(dates - dates[0]) / np.timedelta64(1, 's')"
            if np.asarray(given).dtype.kind in "mM"
            else f"its {what} are {described(given)}; expected numbers"
        ) from None
    if not np.isfinite(array).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise refusal(f"its {what} at {place} is {array[place]}; expected finite numbers")
    array.flags.writeable = False
    return array
