"""Series: numbers that change with time, which the runtime looks up in each step."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from halocline.errors import KernelError, described
from halocline.language.numbers import Range, finite_number
from halocline.language.parameters import Parameter
from halocline.language.place import user_place


class Series(Parameter):
    """Numbers that change with time, linear between those given.

    Of one number at each time it stands wherever an 'hc.Parameter' does; of several, one for each
    point, it is injected there. In a step it has the value of 'hc.time'.

    Args:
        times: At least one, increasing [time unit].
        values: A number for each time, or a row of numbers: (times, points).
        period: After how long it begins again [time unit]; None for a run that ends before it does.
        name: What messages call it.

    Raises:
        KernelError: Times do not increase, or there are not as many rows of values; or some are no
            finite numbers.
    """

    def __init__(
        self, times: Any, values: Any, *, period: float | None = None, name: str = "series"
    ) -> None:
        self.name = name
        self.times, self.values = self._array("times", times), self._array("values", values)
        if self.times.ndim != 1 or not self.times.size or np.any(np.diff(self.times) <= 0):
            raise self._refusal(
                "its times do not increase; expected each later than the one before"
            )
        if self.values.ndim not in (1, 2) or len(self.values) != self.times.size:
            raise self._refusal(
                f"it has {self.times.size} times and values of shape {self.values.shape}; expected "
                f"({self.times.size},), or ({self.times.size}, points)"
            )
        span = float(self.times[-1] - self.times[0])
        what = f"The period of the series '{name}'"
        self.period = (
            0.0 if period is None else finite_number(what, period, Range(above=span), KernelError)
        )

    def _array(self, what: str, given: Any) -> Any:
        try:
            array = np.array(given, dtype=np.float64, order="C")
        except (TypeError, ValueError):
            raise self._refusal(f"its {what} are {described(given)}; expected numbers") from None
        if not np.isfinite(array).all():
            place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
            raise self._refusal(f"its {what} at {place} is {array[place]}; expected finite numbers")
        array.flags.writeable = False
        return array

    def _refusal(self, reason: str) -> KernelError:
        return KernelError(f"The series '{self.name}': {reason}.", place=user_place())

    @property
    def digest(self) -> str:
        """What two series have in common only if they are the same."""
        told = hashlib.sha256(f"{self.values.shape} {self.period}".encode())
        told.update(self.times.tobytes())
        told.update(self.values.tobytes())
        return told.hexdigest()[:16]

    @property
    def columns(self) -> int | None:
        """How many numbers it has at each time; None for one that is no row."""
        return None if self.values.ndim == 1 else int(self.values.shape[1])

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
        """Return its number, or its row, at a time, as the runtime does."""
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
