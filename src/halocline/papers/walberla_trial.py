"""What a job of paper 001 executes: D3Q19 flows on blocks, timed in turns and checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache, partial
from math import prod
from typing import TYPE_CHECKING

import numpy as np

import halocline as hc
from halocline.apps.lbm.boundaries import Wall
from halocline.apps.lbm.flow import Flow, Setup, make_flow
from halocline.bench.job import measure_on_ranks
from halocline.bench.settings import Settings
from halocline.bench.stepping import agreed, measure_in_turns, step_time
from halocline.errors import HaloclineError
from halocline.language.initial import planning
from halocline.pipeline import plan_for
from halocline.plan.strategy import Strategy
from halocline.tune.model import predict_step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from halocline.papers.experiment import Setting
    from halocline.plan.plan import Plan
    from halocline.runtime.job import Job
    from halocline.tune.machine import Machine
    from halocline.tune.work import Placement

# Section 5.2 of the paper.
_OMEGA, _LID_SPEED = 1.4, 0.1
# After which results are compared.
_FIRST_STEPS = 4
# Repetitions, and about how long each lasts [s].
_USUAL, _QUICK = (5, 0.06), (1, 0.005)


@dataclass(frozen=True, slots=True)
class FlowTrial:
    """A flow that is measured.

    Attributes:
        block: Cells of a block along each axis.
        blocks: Blocks along each axis; ranks share them evenly.
        strategy: How the step is distributed.
        link: Name of the emulated link between ranks; empty for shared memory.
        streaming: 'two-grids' or 'in-place'.
        is_cavity: Whether walls are around it, with a lid at z+; else it is periodic.
    """

    block: tuple[int, ...]
    blocks: tuple[int, ...]
    strategy: Strategy = field(default_factory=lambda: Strategy(overlap="none"))
    link: str = ""
    streaming: str = "two-grids"
    is_cavity: bool = False

    @property
    def extent(self) -> tuple[int, ...]:
        """Cells of the whole grid."""
        return tuple(n * count for n, count in zip(self.block, self.blocks, strict=True))

    @property
    def cells(self) -> int:
        """Number of cells of the whole grid."""
        return prod(self.extent)

    def flow(self) -> Flow:
        """Return the flow, at rest."""
        sides = {axis + sign: Wall() for axis in "xyz" for sign in "-+"}
        sides["z+"] = Wall((_LID_SPEED, 0.0, 0.0))
        return make_flow(
            Setup(
                self.extent,
                "D3Q19",
                _OMEGA,
                sides=sides if self.is_cavity else {},
                streaming=self.streaming,
            )
        )


@dataclass(frozen=True, slots=True)
class FlowTimes:
    """The times of a lattice step; if measured, each the least of the repetitions, as the paper's.

    Attributes:
        step_s: Of a step, until the last rank has finished [s].
        computing_s: In kernels, mean over the ranks [s].
        exchange_s: Packing, copying, sending and waiting, mean over the ranks [s].
        checksum: A weighted sum of the squares of all populations after the first steps, exact
            but for the rounding in a cell; 0 if predicted.
    """

    step_s: float
    computing_s: float
    exchange_s: float
    checksum: float = 0.0


def measure_flows(trials: Sequence[FlowTrial], ranks: int, setting: Setting) -> list[FlowTimes]:
    """Measure flows on ranks that are started for it, in turns.

    Raises:
        HaloclineError: The job failed, or ways of distributing a step gave different bits.
    """
    repetitions, seconds = _QUICK if setting.is_quick else _USUAL
    task = partial(_run_flows, tuple(trials), repetitions, seconds)
    found = measure_on_ranks(task, Settings(ranks=ranks))
    check_bits(trials, found)
    return found


def predict_flow(trial: FlowTrial, ranks: int, machine: Machine, placement: Placement) -> FlowTimes:
    """Return the predicted step of the rank in the middle; in a periodic flow all are alike.

    Args:
        trial: What is done; its link is not looked at (see 'Machine.with_link').
        ranks: Among which the blocks are shared.
        machine: Where.
        placement: Ranks a node and threads.
    """
    plan, n = _planned(trial, ranks)
    step = predict_step(plan, machine, placement)
    exchange = step.pack + step.overhead + step.wait
    return FlowTimes(step.seconds / n, step.compute / n, exchange / n)


@lru_cache(maxsize=256)
def _planned(trial: FlowTrial, ranks: int) -> tuple[Plan, int]:
    """Return the plan of the rank in the middle, the same on all machines; its lattice steps."""
    with planning():
        flow = trial.flow()
    plan = plan_for(
        flow.grid,
        flow.steps,
        ranks=ranks,
        rank=ranks // 2,
        strategy=trial.strategy,
        decomposition=trial.blocks,
        check_every=0,
    )
    return plan, flow.lattice_steps


def check_bits(trials: Sequence[FlowTrial], found: Sequence[FlowTimes]) -> None:
    """Refuse results that differ where only the way of computing does.

    Raises:
        HaloclineError: Which trial's result is wrong.
    """
    first: dict[tuple[object, ...], float] = {}
    for trial, times in zip(trials, found, strict=True):
        known = first.setdefault((trial.extent, trial.streaming, trial.is_cavity), times.checksum)
        if known != times.checksum:
            raise HaloclineError(
                f"D3Q19 {trial.streaming} on {trial.extent} cells in {trial.blocks} blocks with "
                f"{trial.strategy} gave other bits than before: the result is wrong."
            )


class _Running:
    """A flow that has its fields and kernels."""

    def __init__(self, trial: FlowTrial, seconds: float) -> None:
        flow = trial.flow()
        flow.f.set(partial(_waves, len(flow.velocity_set)))
        self.lattice_steps = flow.lattice_steps
        self.simulation = hc.Simulation(
            flow.grid,
            flow.steps,
            strategy=trial.strategy,
            decomposition=trial.blocks,
            threads=1,
            check_every=0,
            # With a link every rank is a node.
            ranks_per_node=1 if trial.link else None,
            link=trial.link or None,
        )
        steps = _FIRST_STEPS // flow.lattice_steps
        self.simulation.run(steps, progress=False)
        weighted = ((i + 1) * flow.f[i] * flow.f[i] for i in range(len(flow.velocity_set)))
        self.checksum = self.simulation.reduce(hc.sum(sum(weighted)))
        wanted = max(1, round(seconds / step_time(self.simulation, steps)))
        self.steps = agreed(self.simulation, wanted)
        self.found: list[tuple[float, float, float]] = []

    def repeat(self) -> None:
        """Measure once more."""
        self.simulation.timers(reset=True)
        step = step_time(self.simulation, self.steps)
        self.found.append((step, self._spent("run"), self._spent("start", "wait", "poll")))

    def _spent(self, *kinds: str) -> float:
        """Return the time a step in some kinds of operations, mean over the ranks [s]."""
        spent = sum(seconds for _, kind, _, seconds in self.simulation.timers() if kind in kinds)
        communicator = self.simulation.communicator
        total: float = communicator.allreduce(spent) if communicator else spent
        return total / self.simulation.size / self.steps

    def times(self) -> FlowTimes:
        """Return what was measured."""
        step, computing, exchange = (
            min(column) / self.lattice_steps for column in zip(*self.found, strict=True)
        )
        return FlowTimes(step, computing, exchange, self.checksum)


def _waves(components: int, *coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return deviations from rest, along one axis each, which are the same on any ranks."""
    extent = [x.size for x in coordinates]
    # Laid out as fields are, x fastest: others take long to copy.
    values = np.empty((components, *reversed(extent))).transpose(0, 3, 2, 1)
    for i in range(components):
        values[i] = 1e-3 * np.sin(i + 0.3 * coordinates[i % len(coordinates)])
    return values


def _run_flows(
    trials: Sequence[FlowTrial], repetitions: int, seconds: float, _job: Job, _settings: Settings
) -> list[FlowTimes]:
    running = [_Running(trial, seconds) for trial in trials]
    measure_in_turns(running, repetitions)
    return [trial.times() for trial in running]
