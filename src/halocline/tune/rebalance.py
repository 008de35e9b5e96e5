"""Rebalance: whether it pays to share blocks anew by the times that kernels took on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from halocline.errors import PlanError
from halocline.plan.blocks.repartitioning import check_regular, reshared, reshared_leaves
from halocline.plan.blocks.shares import Shares
from halocline.plan.blocks.sparse import Sparse
from halocline.runtime.collective import collective
from halocline.runtime.on_ranks import OnRanks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from halocline.plan.blocks.decomposition import Decomposition
    from halocline.plan.blocks.repartitioning import Resharing
    from halocline.plan.blocks.sharing import Rule
    from halocline.runtime.device import OpenDevice
    from halocline.runtime.executor import Executor
    from halocline.tune.machine import Machine
    from halocline.tune.planner import Planner
    from halocline.tune.selection import Selection

_ON_DEVICES = "On devices kernels are not timed for each block: give weights."


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

    @property
    def steps(self) -> int:
        """How many steps have been timed."""
        return self._executor.step - self._since

    def take(self) -> tuple[int, tuple[float, ...]]:
        """Return in how many steps they were timed and what a step took on each block of all ranks.

        What follows is timed anew. Collective.

        Raises:
            PlanError: No step was timed.
        """
        executor, job = self._executor, self._executor.job
        steps, self._since = self.steps, executor.step
        mine = dict(executor.slots.take_block_times())
        every = [0.0] * executor.slots.decomposition.blocks
        for found in job.everywhere(mine):
            for number, seconds in found.items():
                every[number] = seconds / max(steps, 1)
        if not any(every):
            raise PlanError(
                f"Blocks were to be shared by the times of {steps} steps, in which no kernel was "
                "timed; expected a run before.",
                hint=_ON_DEVICES,
            )
        return steps, tuple(every)


class Rebalanced(OnRanks):
    """A simulation, as far as its blocks are shared anew by measured times."""

    _planner: Planner
    _selection: Selection | None
    _times: BlockTimes
    _planned_s: float

    @collective
    def rebalance(self, steps: int) -> Rebalancing:
        """Share the blocks anew by the times of kernels on them, if that pays; collective.

        It pays if it saves more in the steps that follow than planning and moving take. What was
        timed are the steps since the last call. Everything else is as 'rebuild' says.

        Args:
            steps: How many will be done until blocks may be shared anew again.

        Returns:
            What was found and done.

        Raises:
            PlanError: No kernel was timed: none has run, or they run on a device; or blocks are
                boxes of a list, as those of a 'Bisection' are.
        """
        executor = self._prepare()
        found = rebalancing(self._times, executor, steps, self._planner, self._planned_s)
        if found.pays:
            if self._selection is not None:
                self._planner = self._selection.kept(self._planner)
            self.rebuild(decomposition=found.resharing.wanted)
        return found

    def _share_anew(self, steps: int) -> None:
        if self.size > 1 and self._times.steps:
            self.rebalance(steps)

    def rebuild(self, *, decomposition: Decomposition | Shares | None) -> None:
        """Move to other owners."""
        raise NotImplementedError

    def _prepare(self) -> Executor:
        raise NotImplementedError


def check_rebalanced(decomposition: Decomposition, device: OpenDevice) -> None:
    """Refuse to share blocks anew where that cannot be.

    Raises:
        PlanError: Kernels run on a device, or blocks are boxes of a list.
    """
    if not device.is_cpu:
        raise PlanError(
            "Blocks were to be shared anew by the times of kernels, which run on a device.",
            hint=_ON_DEVICES,
        )
    check_regular(decomposition)


def rebalancing(
    times: BlockTimes, executor: Executor, steps: int, planner: Planner, planned_s: float
) -> Rebalancing:
    """Return whether it pays to share blocks anew; collective.

    Args:
        times: What kernels have taken.
        executor: What runs them.
        steps: How many will follow.
        planner: What has planned them.
        planned_s: How long this rank planned the last time [s].

    Raises:
        PlanError: See 'BlockTimes.take' and 'reshared'.
    """
    timed, seconds = times.take()
    wanted, forest = planner.shape[0], planner.grid.first.held.forest
    rule: Rule = wanted.rule if isinstance(wanted, Shares | Sparse) else "curve"
    if forest is None:
        found = reshared(executor.slots.decomposition, seconds, rule)
    else:
        found = reshared_leaves(
            forest.leaves, forest.substeps, executor.slots.decomposition, seconds, rule
        )
    price = planned_s + _moving_s(executor, found.moved, planner.predictor.machine)
    price = max(executor.job.everywhere(price))
    return Rebalancing(timed, found, steps * (found.before - found.after), price)


def _moving_s(
    executor: Executor, moved: Mapping[tuple[int, int], float], machine: Machine | None
) -> float:
    """Return how long this rank sends, receives and copies its blocks; 0 if not known; collective.

    Messages are taken as those inside a node, which are known of every machine: between nodes
    planning takes longer than moving, too.
    """
    rank = executor.job.rank
    stored = sum(storage.bytes_stored for storage in executor.slots.storages.values())
    total = sum(executor.job.everywhere(stored))
    if machine is None or not any(known.is_same_node for known in machine.transports):
        return 0.0
    sizes = [part * total for pair, part in moved.items() if rank in pair]
    times = machine.times("two-sided", is_same_node=True)
    # All that a rank stores is copied once, and what it sends or receives once more.
    copied = 2 * (stored + sum(sizes))
    return sum(map(times.flight_s, sizes)) + copied / machine.bandwidth(
        executor.job.ranks_on_node, 2, stored
    )
