"""Series: numbers that change with time, which the runtime looks up in each step."""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import KernelError
from halocline.language.expressions.parameters import Parameter
from halocline.language.numbers import Range, finite_number
from halocline.language.place import user_place
from halocline.language.series.rows import (
    LabelledRows,
    Rows,
    StoredRows,
    columns,
    in_memory,
    opened,
)

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


class Series(Parameter):
    """Numbers that change with time, linear between those given.

    Of one number at each time it stands wherever an 'hc.Parameter' does; of several, one for each
    point, it is injected there; of an array it fills a field, 'hc.fill', or is what a side
    prescribes. In a step it has the value of 'hc.time'.

    Args:
        times: At least one, increasing [time unit].
        values: A number for each time, or a row of numbers, (times, points); or an array of the
            cells of a field, (times, nx, ny, nz), with the axes that it has, or (times, components,
            nx, ny, nz). They are copied; 'from_file' reads no more than a rank needs.
        period: After how long it begins again [time unit]; None for a run that ends before it does.
        name: What messages call it.

    Raises:
        KernelError: Times do not increase, or there are not as many rows of values; or some are no
            finite numbers.

    Example:
        >>> wind = hc.Series([0.0, 3600.0], [5.0, 7.0])
    """

    def __init__(
        self, times: Any, values: Any, *, period: float | None = None, name: str = "series"
    ) -> None:
        self.name = name
        self.times = self._stored("times", times).astype(np.float64)
        is_read = isinstance(values, LabelledRows)
        self.rows: Rows = values if is_read else StoredRows(self._stored("values", values))
        if self.times.ndim != 1 or not self.times.size or np.any(np.diff(self.times) <= 0):
            raise self._refusal(
                "its times do not increase; expected each later than the one before"
            )
        if not self.rows.shape or self.rows.shape[0] != self.times.size:
            raise self._refusal(
                f"it has {self.times.size} times and values of shape {self.rows.shape}; expected "
                f"({self.times.size},), ({self.times.size}, points), or ({self.times.size}, cells)"
            )
        span = float(self.times[-1] - self.times[0])
        what = f"The period of the series '{name}'"
        self.period = (
            0.0 if period is None else finite_number(what, period, Range(above=span), KernelError)
        )

    @classmethod
    def from_xarray(
        cls, array: Any, *, time: str = "time", period: float | None = None, name: str = ""
    ) -> Series:
        """Return a series of what an xarray.DataArray has, which is read when a rank needs it.

        Its coordinates x, y and z, if it has any, must be those of the field that it fills.

        Args:
            array: Its dimensions: the times, maybe 'component', then some of x, y and z, in any
                order; or the times and 'point', as those of 'Record.to_xarray'.
            time: The name of the dimension of the times, whose coordinate has numbers [time unit].
            period: See 'Series'.
            name: See 'Series'.

        Raises:
            KernelError: It has other dimensions, or its times are no increasing numbers.
        """
        name = name or str(array.name or "series")
        rows = LabelledRows(array, time, f"The DataArray '{name}'")
        return cls._of(rows, period, name)

    @classmethod
    def from_file(
        cls,
        path: str | Path,
        variable: str | list[str],
        *,
        time: str = "time",
        period: float | None = None,
    ) -> Series:
        """Return a series of what a file has.

        Args:
            path: NetCDF or Zarr, of which each rank reads its own cells when a run begins; or CSV,
                whose first line names the columns.
            variable: Its name in the file; of CSV a column, or a list of columns: one a point.
            time: The name of the times' dimension or column [time unit; no dates].
            period: See 'Series'.

        Raises:
            KernelError: It cannot be read, or has no such variable, or see 'from_xarray'.
        """
        source = f"'{path}'"
        if str(path).endswith(".csv"):
            times, values = columns(path, variable, time, source)
            return cls(times, values, period=period, name=str(variable))
        array = opened(path, str(variable), source)
        return cls._of(LabelledRows(array, time, source), period, str(variable))

    @classmethod
    def _of(cls, rows: LabelledRows, period: float | None, name: str) -> Series:
        given: Any = rows if rows.is_of_cells else rows.cut(())
        return cls(rows.times, given, period=period, name=name)

    def _stored(self, what: str, given: Any) -> NDArray[Any]:
        return in_memory(what, given, self._refusal)

    def _refusal(self, reason: str) -> KernelError:
        return KernelError(f"The series '{self.name}': {reason}.", place=user_place())

    @property
    def compared(self) -> str:
        """What ranks compare before a run."""
        return f"digest {self.digest}"

    @cached_property
    def digest(self) -> str:
        """What two series have in common only if they are the same."""
        hasher = hashlib.sha256(f"{self.rows.digest} {self.period}".encode())
        hasher.update(self.times.tobytes())
        return hasher.hexdigest()[:16]

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """All its numbers; to ask for them reads them all."""
        return self.rows.cut(()).astype(np.float64)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of what it has at each time; () for a number."""
        return self.rows.shape[1:]

    @property
    def columns(self) -> int | None:
        """How many numbers it has at each time; None for one that is no row."""
        return self.shape[0] if len(self.shape) == 1 else None

    @property
    def value(self) -> float:
        """Nothing by itself: it depends on the time, so ask 'at'."""
        return float("nan")

    @value.setter
    def value(self, value: float) -> None:
        raise KernelError(
            f"The series '{self.name}' was given a value; its values are those of its times.",
            hint="A number that you change yourself is an hc.Parameter.",
            place=user_place(),
        )

    def at(self, time: float) -> Any:
        """Return its number, row or array at a time, as the runtime does."""
        if self.period:
            time -= self.period * np.floor((time - self.times[0]) / self.period)
        after = int(np.searchsorted(self.times, time, side="right"))
        if after == 0 or (after == self.times.size and not self.period):
            return self.values[max(0, after - 1)]
        is_last = after == self.times.size
        end = self.times[0] + self.period if is_last else self.times[after]
        begin, before = self.times[after - 1], self.values[after - 1]
        fraction = (time - begin) / (end - begin)
        return before + fraction * (self.values[0 if is_last else after] - before)
