"""What drag and lift have come to at the end of a run: steady, periodic, or not settled yet.

A run begins with a blow. Its sound goes to and fro between the ends of the domain long after the
vortices have found their rhythm, so numbers count only where they no longer depend on when one
samples. Times are in D/U: how often the flow has passed its length.
"""

from __future__ import annotations

from enum import Enum
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from halocline.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    History = NDArray[np.float64]

# For how long, and for how many periods of the lift, nothing may change [D/U].
WINDOW = 10.0
PERIODS = 5
# By how much it may all the same: over the mean drag, the swing of the lift, the period.
TOLERANCE = 0.01
# A lift that swings by less than this, over the mean drag, may grow: it is noise.
_NOISE = 1e-4
# After how many periods without a next one the rhythm has ended.
_LATE = 1.5


class State(Enum):
    """What drag and lift have come to."""

    STEADY = "steady"
    PERIODIC = "periodic"
    UNSETTLED = "unsettled"


class Settling(Frozen):
    """What drag and lift have come to, and where that is read off.

    Attributes:
        state: What.
        samples: Whole periods of the lift at the end; those of the last WINDOW if it has none.
        difference: Between these periods, or within this time.
        periods: How many there are; 0 if the lift has no rhythm.
        period: Their mean length [D/U].
    """

    state: State
    samples: slice
    difference: float
    periods: int = 0
    period: float = 0.0

    @property
    def missing(self) -> float:
        """After how long it is worth looking again, if it has not settled [D/U]."""
        return max(WINDOW, PERIODS * self.period)


def settling(time: History, drag: History, lift: History) -> Settling:
    """Return what drag and lift have come to.

    Args:
        time: Of each sample, at least one [D/U].
        drag: Drag coefficient at each.
        lift: Lift coefficient at each.
    """
    last = slice(int(np.searchsorted(time, time[-1] - WINDOW)), len(time))
    scale = _size(drag[last])
    swing = max(_swing(drag[last]), _swing(lift[last])) / scale
    if swing <= TOLERANCE and time[-1] - time[0] >= WINDOW and not _grows(lift[last], scale):
        return Settling(State.STEADY, last, swing)
    starts, moments = _rises(time, lift)
    period = _period(moments, time[-1])
    if not period or _swing(lift[last]) <= TOLERANCE * scale:
        return Settling(State.UNSETTLED, last, swing)
    needed = max(PERIODS, ceil(WINDOW / period))
    starts, moments = starts[-needed - 1 :], moments[-needed - 1 :]
    difference = _difference(moments, drag, lift, starts)
    is_settled = len(starts) > needed and difference <= TOLERANCE
    return Settling(
        State.PERIODIC if is_settled else State.UNSETTLED,
        slice(starts[0], starts[-1]),
        difference,
        len(starts) - 1,
        float(np.diff(moments).mean()),
    )


def _size(series: History) -> float:
    return max(abs(float(series.mean())), float(np.finfo(float).tiny))


def _swing(series: Iterable[float]) -> float:
    return float(np.ptp(list(series)))


def _grows(lift: History, scale: float) -> bool:
    """Return whether the lift swings more and more, as where vortices begin to be shed."""
    middle = len(lift) // 2
    return _swing(lift[middle:]) > max(_swing(lift[:middle]), _NOISE * scale)


def _rises(time: History, lift: History) -> tuple[list[int], list[float]]:
    """Return the samples at which the lift has risen through the middle of its swing, and when.

    Only what has been clearly below counts, so that noise is not taken for a rhythm. The middle is
    that of the second half of the run.
    """
    late = lift[len(lift) // 2 :]
    middle, low = 0.5 * (late.max() + late.min()), 0.75 * late.min() + 0.25 * late.max()
    samples, moments, was_low = [], [], False
    for n in range(len(lift)):
        was_low |= bool(lift[n] < low)
        if was_low and n and lift[n] >= middle:
            share = (middle - lift[n - 1]) / (lift[n] - lift[n - 1])
            samples.append(n)
            moments.append(float(time[n - 1] + share * (time[n] - time[n - 1])))
            was_low = False
    return samples, moments


def _period(moments: list[float], end: float) -> float:
    """Return the mean length of the last periods; 0 if there are none, or none until the end."""
    lengths = np.diff(moments[-PERIODS - 1 :])
    period = float(lengths.mean()) if len(lengths) else 0.0
    return period if period and end - moments[-1] <= _LATE * period else 0.0


def _difference(moments: list[float], drag: History, lift: History, starts: list[int]) -> float:
    """Return by how much periods differ: in length, and in the extremes of lift and drag."""
    lengths = np.diff(moments)
    periods = [slice(*ends) for ends in pairwise(starts)]
    lifts, drags = ([series[p] for p in periods] for series in (lift, drag))
    swing = float(np.mean([_swing(series) for series in lifts]))
    return max(
        _swing(lengths) / float(lengths.mean()),
        *(_swing(map(end, lifts)) / swing for end in (np.max, np.min)),
        *(_swing(map(end, drags)) / _size(drag[starts[0] :]) for end in (np.max, np.min)),
    )
