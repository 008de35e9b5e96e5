"""Rebalance: whether it pays to share blocks anew by the times that kernels took on them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from halocline.errors import PlanError
from halocline.plan.resharing import reshared

if TYPE_CHECKING:
    from halocline.plan.decomposition import Decomposition
    from halocline.plan.resharing import Resharing
    from halocline.runtime.executor import Executor
    from halocline.tune.selection import Predictor


@dataclass(frozen=True, slots=True)
class Rebalancing:
    """What was found when blocks were to be shared anew, the same on all ranks.

    Attributes:
        steps: Steps in which kernels were timed.
        resharing: The blocks with the owners that make the rank with most have least, and what the
            ranks with most take in a step so far and then [s].
        saved_s: What that saves until blocks may be shared anew again [s].
        price_s: What it costs: planning as long as the last time, and moving by the model [s].
    """

    steps: int
    resharing: Resharing
    saved_s: float
    price_s: float

    @property
    def pays(self) -> bool:
        """Whether blocks are shared anew."""
        return self.saved_s > self.price_s

    def __str__(self) -> str:
        """Return it as a sentence."""
        found = self.resharing
        return (
            f"kernels of the rank with most take {found.before * 1e3:.3f} ms a step, "
            f"{found.after * 1e3:.3f} ms if blocks are shared anew: that saves "
            f"{self.saved_s:.3f} s and costs {self.price_s:.3f} s, so "
            f"{'they were' if self.pays else 'they stay'}"
        )


class BlockTimes:
    """What kernels take on the blocks of a simulation, from some step on.

    Args:
        executor: What runs them.
    """

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._since = executor.step

    def take(self) -> tuple[int, tuple[float, ...]]:
        """Return in how many steps they were timed and what a step took on each block of all ranks.

        What follows is timed anew. Collective.

        Raises:
            PlanError: No step was timed.
        """
        executor, job = self._executor, self._executor.job
        steps, self._since = executor.step - self._since, executor.step
        mine = dict(executor.take_block_times())
        every = [0.0] * executor.decomposition.blocks
        for found in job.everywhere(mine):
            for number, seconds in found.items():
                every[number] = seconds / max(steps, 1)
        if not any(every):
            raise PlanError(
                f"Blocks were to be shared by the times of {steps} steps, in which no kernel was "
                "timed; expected a run before.",
                hint="On devices kernels are not timed for each block.",
            )
        return steps, tuple(every)


def rebalancing(
    times: BlockTimes, executor: Executor, steps: int, planned_s: float, predictor: Predictor
) -> Rebalancing:
    """Return whether it pays to share blocks anew; collective.

    Args:
        times: What kernels have taken.
        executor: What runs them.
        steps: How many will follow.
        planned_s: How long this rank planned the last time [s].
        predictor: What knows how fast messages are.
    """
    timed, seconds = times.take()
    found = reshared(executor.decomposition, seconds)
    moved = _moving_s(executor, found.decomposition, predictor)
    price = max(executor.job.everywhere(planned_s + moved))
    return Rebalancing(timed, found, steps * (found.before - found.after), price)


def _moving_s(executor: Executor, new: Decomposition, predictor: Predictor) -> float:
    """Return how long this rank sends, receives and copies its blocks; 0 if not known [s]."""
    machine, job, rank = predictor.machine, executor.job, executor.job.rank
    if machine is None or not any(known.is_same_node for known in machine.transports):
        return 0.0
    pairs = [(executor.decomposition.block(n), new.block(n)) for n in range(new.blocks)]
    stored = sum(storage.bytes_stored for storage in executor.storages.values())
    a_cell = stored / max(1, sum(block.box.cells for block, _ in pairs if block.rank == rank))
    sizes: dict[int, float] = defaultdict(float)
    for old, later in pairs:
        if rank in (old.rank, later.rank) and old.rank != later.rank:
            other = later.rank if old.rank == rank else old.rank
            sizes[other] += a_cell * old.box.cells
    # Inside a node, which is known of every machine; between nodes planning takes longer anyway.
    times = machine.times("two-sided", is_same_node=True)
    flights = map(times.flight_s, sizes.values())
    # All that a rank stores is copied once, and what it sends or receives once more.
    copied = 2 * (stored + sum(sizes.values()))
    return sum(flights) + copied / machine.bandwidth(len(job.nodes), 2, stored)
