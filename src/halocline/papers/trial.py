"""What a job of an experiment executes: several trials in turns, timed and checked."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.bench.checksum import checksum
from halocline.bench.stepping import agreed, measure_in_turns, step_time
from halocline.papers.stand_ins import stand_in
from halocline.plan.strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.bench.settings import Settings
    from halocline.runtime.job import Job

# A number of steps after which the results of all depths of halos can be compared.
_FIRST_STEPS = 12


@dataclass(frozen=True, slots=True)
class Trial:
    """What is measured.

    Attributes:
        name: A stand-in.
        block: Cells of a rank along each axis.
        blocks: Ranks along each axis.
        strategy: How the step is distributed.
        dtype: Element type.
        threads: OpenMP threads a rank.
        link: Name of the emulated link between ranks; empty for none.
    """

    name: str
    block: tuple[int, ...]
    blocks: tuple[int, ...]
    strategy: Strategy = field(default_factory=Strategy)
    dtype: str = "float64"
    threads: int = 1
    link: str = ""

    @property
    def extent(self) -> tuple[int, ...]:
        """Cells of the whole grid."""
        return tuple(n * count for n, count in zip(self.block, self.blocks, strict=True))


@dataclass(frozen=True, slots=True)
class Timing:
    """What was measured.

    Attributes:
        least_s: Least time of a step over the repetitions [s].
        median_s: Median [s].
        most_s: Most [s].
        parts: For each repetition the mean time in a step over the ranks, by kind ('run', 'start',
            'wait', …) and label [s].
        checksum: Of the result after a few steps: the same for any strategy and any ranks.
    """

    least_s: float
    median_s: float
    most_s: float
    parts: tuple[tuple[tuple[str, str, float], ...], ...]
    checksum: int

    def part(self, kind: str, label: str = "") -> float:
        """Return the median time of all parts of a kind whose label contains a word [s]."""
        return statistics.median(self._sums(kind, label))

    def least(self, kind: str, label: str = "") -> float:
        """Return the least time of all parts of a kind whose label contains a word [s]."""
        return min(self._sums(kind, label))

    def _sums(self, kind: str, label: str) -> list[float]:
        return [
            sum(seconds for k, name, seconds in parts if k == kind and label in name)
            for parts in self.parts
        ]


class _Running:
    """A trial that has its fields and kernels."""

    def __init__(self, trial: Trial, seconds: float) -> None:
        made = stand_in(trial.name, trial.extent, trial.dtype)
        self.simulation = hc.Simulation(
            made.grid,
            made.steps,
            strategy=trial.strategy,
            decomposition=trial.blocks,
            threads=trial.threads,
            check_every=0,
            **_link(trial),
        )
        self.simulation.run(_FIRST_STEPS, progress=False)
        self.checksum = checksum(self.simulation, [made.result])
        took = step_time(self.simulation, _FIRST_STEPS)
        rounds = max(1, round(seconds / max(took, 1e-9) / _FIRST_STEPS))
        self.steps = agreed(self.simulation, rounds) * _FIRST_STEPS
        self.times: list[float] = []
        self.parts: list[tuple[tuple[str, str, float], ...]] = []

    def repeat(self) -> None:
        """Measure once more."""
        before = self._parts()
        self.times.append(step_time(self.simulation, self.steps))
        self.parts.append(
            tuple(
                (kind, label, (total - before.get((kind, label), 0.0)) / self.steps)
                for (kind, label), total in self._parts().items()
            )
        )

    def _parts(self) -> dict[tuple[str, str], float]:
        return {(row.kind, row.label): row.mean for row in self.simulation.report().rows}

    def timing(self) -> Timing:
        """Return what was measured; parts on rank 0 only."""
        low, high = min(self.times), max(self.times)
        middle = statistics.median(self.times)
        return Timing(low, middle, high, tuple(self.parts), self.checksum)


def _link(trial: Trial) -> dict[str, Any]:
    """Return what puts every rank on a node of its own, with an emulated link between them."""
    return {"ranks_per_node": 1, "link": trial.link} if trial.link else {}


def run_trials(
    trials: Sequence[Trial], repetitions: int, seconds: float, _job: Job, _settings: Settings
) -> list[Timing]:
    """Measure trials in this job.

    Args:
        trials: What is measured.
        repetitions: How often.
        seconds: About how long each repetition lasts [s].
    """
    running = [_Running(trial, seconds) for trial in trials]
    measure_in_turns(running, repetitions)
    return [trial.timing() for trial in running]
