"""Rows that ranks have recorded at their points, put together when somebody looks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from halocline.box_array import distinct
from halocline.language.points.record import AllRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.runtime._core import Runtime
    from halocline.runtime.job import Job


class Rows(NamedTuple):
    """Values of some points: of those with these numbers, in these steps."""

    points: NDArray[np.int64]
    steps: NDArray[np.int64]
    times: NDArray[np.float64]
    values: NDArray[np.float64]


class RecordedRows:
    """What a record holds: rows of this rank's points, from the blocks of before and of now.

    Args:
        count: Of all points.
        job: The ranks.
    """

    def __init__(self, count: int, job: Job) -> None:
        self._count = count
        self._job = job
        self._kept: list[Rows] = []
        self._source: tuple[Runtime, int] | None = None
        self._points = np.zeros(0, np.int64)

    @property
    def columns(self) -> int:
        """How many of the points are this rank's."""
        return len(self._points)

    def come_from(self, runtime: Runtime, number: int, points: NDArray[np.int64]) -> None:
        """Let rows come from a runtime from now on, for points of these numbers."""
        self._drain()
        self._source, self._points = (runtime, number), points

    def _drain(self) -> None:
        """Take over what the runtime has recorded."""
        if self._source is not None:
            runtime, number = self._source
            steps, times, values = runtime.take_rows(number)
            if len(steps):
                rows = values.reshape(len(steps), self.columns)
                self._kept.append(Rows(self._points, steps, times, rows))

    def all(self) -> AllRows:
        """Return the values of all points; collective."""
        self._drain()
        with self._job.call("Record.values"):
            found = [rows for kept in self._job.everywhere(self._kept) for rows in kept]
        steps = distinct(np.concatenate([np.zeros(0, np.int64), *(rows.steps for rows in found)]))
        times, values = np.empty(len(steps)), np.full((len(steps), self._count), np.nan)
        for rows in found:
            places = np.searchsorted(steps, rows.steps)
            times[places] = rows.times
            values[np.ix_(places, rows.points)] = rows.values
        return AllRows(steps, times, values)

    def replace(self, rows: AllRows) -> None:
        """Forget what was recorded, and go on after rows of all points, the same on all ranks."""
        self._drain()
        mine = distinct(self._points)
        self._kept = [Rows(mine, rows.steps, rows.times, rows.values[:, mine])]
