"""Times: a figure measured several times, and how many steps make one measurement."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable

from halocline.frozen import Frozen

_MOST_STEPS = 1 << 20
# So many steps with messages are done at least, unless they take so long [s].
_LEAST_EXCHANGES, _EXCHANGING_S = 16, 0.25


class Times(Frozen):
    """Minimum, median and maximum over repetitions.

    Attributes:
        min_s: Shortest [s].
        median_s: Median [s].
        max_s: Longest [s].
        repetitions: How many there were.
        steps: Of how many steps each is the mean.
    """

    min_s: float
    median_s: float
    max_s: float
    repetitions: int
    steps: int = 1

    @staticmethod
    def of(times: Iterable[float], steps: int = 1) -> Times:
        """Return the summary of measured times [s]."""
        seconds = sorted(times)
        return Times(seconds[0], statistics.median(seconds), seconds[-1], len(seconds), steps)

    def divided(self, count: int) -> Times:
        """Return the times of one of several equal things."""
        parts = (self.min_s / count, self.median_s / count, self.max_s / count)
        return Times(*parts, self.repetitions, self.steps)

    def columns(self) -> dict[str, float]:
        """Return the times as columns of a table."""
        named = {"min": self.min_s, "median": self.median_s, "max": self.max_s}
        return {f"{name} [us]": 1e6 * seconds for name, seconds in named.items()}

    def gigabytes_per_s(self, size_bytes: float) -> float:
        """Return the rate at which so many bytes moved, at the median [GB/s]."""
        return size_bytes / self.median_s / 1e9


def sample(
    run: Callable[[int], float], repetitions: int, budget_s: float, *, are_exchanges: bool = False
) -> Times:
    """Measure a step several times, each time as the mean of as many as the budget allows.

    Args:
        run: Does steps and returns the time of each, the same on all ranks [s].
        repetitions: How often.
        budget_s: About how long each repetition lasts [s].
        are_exchanges: Whether ranks wait for each other in a step. They begin up to a latency apart
            after a barrier, and the slowest counts: so several steps are done unless they are long.
    """
    run(1)
    steps, seconds = 1, run(1)
    while seconds * steps < budget_s / 4 and steps < _MOST_STEPS:
        steps = min(_MOST_STEPS, max(2 * steps, int(budget_s / 2 / max(seconds, 1e-9))))
        seconds = run(steps)
    least = min(_LEAST_EXCHANGES, int(_EXCHANGING_S / max(seconds, 1e-9))) if are_exchanges else 1
    steps = max(1, least, min(_MOST_STEPS, int(budget_s / max(seconds, 1e-9))))
    return Times.of((run(steps) for _ in range(repetitions)), steps)
