"""Rebalancing: whether it pays to repartition the blocks by the times of kernels on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.errors import PlanError
from halocline.frozen import Frozen
from halocline.plan.blocks.repartitioning import check_regular, repartitioned, repartitioned_leaves
from halocline.plan.blocks.shares import Shares
from halocline.plan.blocks.sparse import Sparse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from halocline.language.grids.forest import Forest
    from halocline.plan.blocks.choice import AnyDecomposition
    from halocline.plan.blocks.decomposition import Decomposition
    from halocline.plan.blocks.repartitioning import Repartitioning
    from halocline.plan.blocks.sharing import Rule
    from halocline.runtime.device import OpenDevice
    from halocline.runtime.executor import Executor
    from halocline.runtime.slots import Slots
    from halocline.tune.machine import Machine

_ON_DEVICES = "On devices kernels are not timed for each block: give weights."


class Rebalancing(Frozen):
    """What was found when blocks were to be shared anew, the same on all ranks.

    Attributes:
        steps: Steps in which kernels were timed.
        repartitioning: The owners that lower the load of the most loaded rank most, and the time
            of a step of the most loaded rank before and after [s].
        saved_s: What that saves until blocks may be shared anew again [s].
        price_s: What it costs: planning as long as the last time, and moving by the model [s].
    """

    steps: int
    repartitioning: Repartitioning
    saved_s: float
    price_s: float

    @property
    def pays(self) -> bool:
        """Whether blocks are shared anew."""
        return self.saved_s > self.price_s

    def __str__(self) -> str:
        """Return it as a sentence."""
        blocks = self.repartitioning
        return (
            f"kernels of the rank with most take {blocks.before * 1e3:.3f} ms a step, "
            f"{blocks.after * 1e3:.3f} ms if blocks are shared anew: that saves "
            f"{self.saved_s:.3f} s and costs {self.price_s:.3f} s, so "
            f"{'they were' if self.pays else 'they stay'}"
        )


class BlockTimes:
    """The times of kernels on the blocks of a simulation, from some step on.

    Args:
        executor: Runs them.

    Attributes:
        slots: The blocks.
    """

    def __init__(self, executor: Executor) -> None:
        self.slots = executor.slots
        self._executor = executor
        self._since = executor.step

    @property
    def steps(self) -> int:
        """How many steps have been timed."""
        return self._executor.step - self._since

    def take(self) -> tuple[int, tuple[float, ...]]:
        """Return how many steps were timed, and the time of a step on each block of all ranks [s].

        Timing begins anew. Collective.

        Raises:
            PlanError: No step was timed.
        """
        slots = self.slots
        steps, self._since = self.steps, self._executor.step
        mine = slots.take_block_times()
        every = [0.0] * slots.decomposition.blocks
        for times in slots.job.everywhere(mine):
            for number, seconds in times.items():
                every[number] = seconds / max(steps, 1)
        if not any(every):
            raise PlanError(
                f"Blocks were to be shared by the times of {steps} steps, in which no kernel was "
                "timed; expected a run before.",
                hint=_ON_DEVICES,
            )
        return steps, tuple(every)


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
    times: BlockTimes,
    steps: int,
    decomposition: AnyDecomposition,
    forest: Forest | None,
    machine: Machine | None,
    planned_s: float,
) -> Rebalancing:
    """Return whether it pays to repartition the blocks; collective.

    Args:
        times: Of kernels on the blocks.
        steps: How many will follow.
        decomposition: The one that the user has chosen.
        forest: The forest; None for a grid.
        machine: Its model says how long messages take; None if there is none.
        planned_s: How long this rank planned the last time [s].

    Raises:
        PlanError: See 'BlockTimes.take' and 'repartitioned'.
    """
    timed, seconds = times.take()
    slots = times.slots
    rule: Rule = "curve"
    if isinstance(decomposition, Shares | Sparse):
        rule = decomposition.rule
    if forest is None:
        blocks = repartitioned(slots.decomposition, seconds, rule)
    else:
        leaves, substeps = forest.leaves, forest.substeps
        blocks = repartitioned_leaves(leaves, substeps, slots.decomposition, seconds, rule)
    price = max(slots.job.everywhere(planned_s + _moving_s(slots, blocks.moved, machine)))
    return Rebalancing(timed, blocks, steps * (blocks.before - blocks.after), price)


def _moving_s(
    slots: Slots, moved: Mapping[tuple[int, int], float], machine: Machine | None
) -> float:
    """Return how long this rank sends, receives and copies its blocks; 0 if not known; collective.

    Messages are taken as those inside a node, which are known of every machine: between nodes
    planning takes longer than moving, too.
    """
    job = slots.job
    stored = sum(storage.bytes_stored for storage in slots.storages.values())
    total = sum(job.everywhere(stored))
    if machine is None or not any(transport.is_same_node for transport in machine.transports):
        return 0.0
    sizes = [part * total for pair, part in moved.items() if job.rank in pair]
    times = machine.times("two-sided", is_same_node=True)
    # All that a rank stores is copied once, and what it sends or receives once more.
    copied = 2 * (stored + sum(sizes))
    bandwidth = machine.bandwidth(job.ranks_on_node, 2, stored)
    return sum(map(times.flight_s, sizes)) + copied / bandwidth
