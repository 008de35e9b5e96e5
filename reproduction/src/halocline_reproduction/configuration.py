"""Configuration: a step on a grid cut into blocks, measured here or predicted for any machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from math import isqrt, prod
from statistics import median
from typing import Any

from msgspec import field
from msgspec.structs import replace

import halocline as hc
from halocline.bench.job import measure_on_ranks
from halocline.bench.settings import Settings
from halocline.bench.stepping import TimedSteps, take_turns
from halocline.errors import HaloclineError
from halocline.frozen import Frozen
from halocline.language.grids.initial import planning
from halocline.plan.cells.strategy import Strategy
from halocline.plan.pipeline import plan_for
from halocline.plan.value.plan import Plan
from halocline.runtime.job import Job
from halocline.tune.machine import Machine
from halocline.tune.model import Prediction, predict_step
from halocline.tune.scaling import typical_ranks
from halocline.tune.work import Placement
from halocline_reproduction.proxy_kernels import ProxyKernel, proxy_kernel

# Repetitions, and about how long each lasts [s].
_USUAL, _QUICK = (9, 0.2), (1, 0.01)
# Steps of which all ranks do the same: of a periodic flow, and both halves of a cavity.
_ALIKE = ("flow", "flow-in-place", "cavity")
# Operations that belong to an exchange.
_EXCHANGE = ("start", "wait", "poll", "any")


class Configuration(Frozen):
    """What is measured or predicted.

    Attributes:
        step: A proxy kernel.
        block: Cells of a block along each axis.
        blocks: Blocks along each axis.
        strategy: How the step is distributed.
        dtype: Element type.
        threads: OpenMP threads a rank.
        link: Name of the emulated link between ranks; empty for none. The model does not look at
            it (see 'Machine.with_link').
        shared_by: MPI ranks that share the blocks evenly; None for one a block.
    """

    step: str
    block: tuple[int, ...]
    blocks: tuple[int, ...]
    strategy: Strategy = field(default_factory=Strategy)
    dtype: str = "float64"
    threads: int = 1
    link: str = ""
    shared_by: int | None = None

    @property
    def ranks(self) -> int:
        """How many ranks there are."""
        return self.shared_by or prod(self.blocks)

    @property
    def extent(self) -> tuple[int, ...]:
        """Cells of the whole grid."""
        return tuple(n * count for n, count in zip(self.block, self.blocks, strict=True))

    @property
    def cells(self) -> int:
        """Number of cells of the whole grid."""
        return prod(self.extent)

    def make(self) -> ProxyKernel:
        """Return the step on the whole grid."""
        return proxy_kernel(self.step, self.extent, self.dtype)


# Of a kind of operation with a label the time in a step [s].
Parts = Mapping[tuple[str, str], float]


class StepTimes(Frozen):
    """The times of an update of all cells, in each repetition; one if they are predicted.

    Attributes:
        seconds: Of all of it, until the last rank has finished [s].
        parts: Of its operations, mean over the ranks [s]; and as kinds 'computing' and 'exchange'
            what both together are, of a prediction also 'idle', what is waited for in vain.
        checksum: Of the result after the first steps; 0 if predicted.
    """

    seconds: tuple[float, ...]
    parts: tuple[Parts, ...] = ()
    checksum: int = 0

    def median(self, *kinds: str) -> float:
        """Return the median time of kinds of operations; none for all [s]."""
        return median(self._of(kinds, ""))

    def least(self, *kinds: str, label: str = "") -> float:
        """Return the least time of kinds of operations whose label has a word [s]."""
        return min(self._of(kinds, label))

    def _of(self, kinds: tuple[str, ...], label: str) -> Sequence[float]:
        if not kinds:
            return self.seconds
        return [
            sum(s for (kind, name), s in parts.items() if kind in kinds and label in name)
            for parts in self.parts
        ]


Found = dict[Configuration, StepTimes]


def measure(
    configurations: Iterable[Configuration], settings: Settings, effort: tuple[int, float] = _USUAL
) -> Found:
    """Measure on ranks that are started for it, those on as many ranks in turns.

    Args:
        configurations: What is measured.
        settings: Whether to be quick.
        effort: Repetitions, and about how long each lasts [s].

    Raises:
        HaloclineError: The job failed, or strategies gave different bits.
    """
    wanted = list(dict.fromkeys(configurations))
    repetitions, seconds = _QUICK if settings.is_quick else effort
    found: Found = {}
    for ranks in dict.fromkeys(c.ranks for c in wanted):
        some = tuple(c for c in wanted if c.ranks == ranks)
        task = partial(_measure, some, repetitions, seconds)
        found |= zip(some, measure_on_ranks(task, replace(settings, ranks=ranks)), strict=True)
    check_bits(found)
    return {c: found[c] for c in wanted}


def check_bits(found: Found) -> None:
    """Refuse results that differ where only the way of computing does.

    Raises:
        HaloclineError: Which result is wrong.
    """
    first: dict[tuple[Any, ...], int] = {}
    for c, times in found.items():
        if first.setdefault((c.step, c.extent, c.dtype), times.checksum) != times.checksum:
            raise HaloclineError(
                f"'{c.step}' on {c.extent} cells in {c.blocks} blocks with {c.strategy} gave other "
                "bits than before: the result is wrong."
            )


def _measure(
    configurations: Sequence[Configuration], repetitions: int, seconds: float, job: Job, _: Settings
) -> list[StepTimes]:
    """Measure in this job."""
    made = [c.make() for c in configurations]
    running = [_start(c, one, seconds) for c, one in zip(configurations, made, strict=True)]
    take_turns(running, repetitions)
    return [
        _step_times(timed, job.gather(timed.timers) or [], one.updates)
        for timed, one in zip(running, made, strict=True)
    ]


def _start(c: Configuration, made: ProxyKernel, seconds: float) -> TimedSteps:
    simulation = hc.Simulation(
        made.grid,
        made.steps,
        strategy=c.strategy,
        decomposition=c.blocks,
        threads=c.threads,
        check_every=0,
        # With a link every rank is a node.
        ranks_per_node=1 if c.link else None,
        link=c.link or None,
    )
    return TimedSteps(simulation, seconds, made.first_steps, [made.result])


def _step_times(timed: TimedSteps, ranks: Sequence[Any], updates: int) -> StepTimes:
    """Return what was measured, with the timers of all ranks."""
    repetitions = []
    for timers in zip(*ranks, strict=True):
        parts: dict[tuple[str, str], float] = {}
        for label, kind, _, seconds in (timer for rank in timers for timer in rank):
            each = seconds / len(ranks) / timed.steps / updates
            parts[kind, label] = parts.get((kind, label), 0.0) + each
        parts["computing", ""] = sum(s for (kind, _), s in parts.items() if kind == "run")
        parts["exchange", ""] = sum(s for (kind, _), s in parts.items() if kind in _EXCHANGE)
        repetitions.append(parts)
    seconds = tuple(s / updates for s in timed.seconds)
    return StepTimes(seconds, tuple(repetitions), timed.checksum)


@lru_cache(maxsize=256)
def plan_of(c: Configuration, rank: int = 0) -> tuple[Plan, int]:
    """Return the plan of a rank, and how often a step updates each cell."""
    with planning():
        made = c.make()
    plan = plan_for(
        made.grid,
        made.steps,
        ranks=c.ranks,
        rank=rank,
        strategy=c.strategy,
        decomposition=c.blocks,
        check_every=0,
    )
    return plan, made.updates


def predict(c: Configuration, machine: Machine, placement: Placement) -> StepTimes:
    """Return the predicted update of the slowest rank, first of all the one in the middle.

    Args:
        c: What is done.
        machine: Where.
        placement: Ranks a node and threads.

    Raises:
        MachineError: The machine has no times of a transport that the step needs.
    """
    plan, updates = plan_of(c, c.ranks // 2)
    is_alike = c.step in _ALIKE
    ranks = (c.ranks // 2,) if is_alike else typical_ranks(plan.decomposition, placement)
    steps = [predict_step(plan_of(c, rank)[0], machine, placement) for rank in ranks]
    return _predicted(max(steps, key=lambda step: step.seconds), updates)


def _predicted(step: Prediction, updates: int) -> StepTimes:
    parts = {(line.kind, line.label): line.seconds / updates for line in step.lines}
    parts["computing", ""] = step.compute / updates
    parts["exchange", ""] = (step.pack + step.overhead + step.wait) / updates
    parts["idle", ""] = step.wait / updates
    return StepTimes((step.seconds / updates,), (parts,))


def near_square(ranks: int) -> tuple[int, int]:
    """Return two numbers of blocks, as equal as may be, the greater first."""
    small = next(n for n in range(isqrt(ranks), 0, -1) if ranks % n == 0)
    return ranks // small, small


def near_cube(ranks: int) -> tuple[int, int, int]:
    """Return three numbers of blocks, as equal as may be, the greatest last."""
    small = next(n for n in range(round(ranks ** (1 / 3)), 0, -1) if ranks % n == 0)
    large, middle = near_square(ranks // small)
    return small, middle, large
