"""Scaling: the predicted time of a step on many numbers of ranks, of one grid or of growing ones.

A step takes as long as its slowest rank. Which one that is depends on its neighbours only, so a few
are looked at: a block in the middle of the domain, which has all neighbours; the first rank of that
block's node, more of whose neighbours are on other nodes; and the corner, which has boundaries.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.frozen import Frozen
from halocline.plan.pipeline import for_all_ranks, of_rank
from halocline.tune.model import predict_step
from halocline.tune.work import Placement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from halocline.plan.blocks.decomposition import Decomposition
    from halocline.plan.cells.strategy import Strategy
    from halocline.plan.program.program import Program
    from halocline.tune.machine import Machine
    from halocline.tune.model import Prediction


class Point(Frozen):
    """A step on some number of ranks.

    Attributes:
        ranks: How many.
        nodes: How many nodes they fill.
        shape: Blocks along each axis.
        cells: Of the domain.
        slowest: The rank that was predicted to take longest of those looked at.
        prediction: Its step.
    """

    ranks: int
    nodes: int
    shape: tuple[int, ...]
    cells: int
    slowest: int
    prediction: Prediction

    @property
    def rate(self) -> float:
        """Cells updated in a second."""
        return self.cells / self.prediction.seconds


class Scaled(Frozen):
    """What some number of ranks has to do."""

    program: Program
    decomposition: Decomposition


def scaling(
    work: Callable[[int], Scaled],
    ranks: Iterable[int],
    machine: Machine,
    strategy: Strategy,
    placement: Placement | None = None,
) -> tuple[Point, ...]:
    """Return the predicted step for each number of ranks.

    Args:
        work: Returns program and decomposition for a number of ranks: always the same grid
            (strong scaling), or one that grows with them (weak scaling).
        ranks: Numbers of ranks.
        machine: The machine.
        strategy: How communication is done.
        placement: Ranks a node and threads; None for nodes filled with ranks.

    Raises:
        PlanError: The grid cannot be cut so often, or the step cannot be distributed like that.
        MachineError: The machine has no times of a transport that the step needs.
    """
    return tuple(_point(work(count), machine, strategy, placement) for count in ranks)


def _point(
    work: Scaled, machine: Machine, strategy: Strategy, placement: Placement | None
) -> Point:
    split = work.decomposition
    where = placement or Placement.full(machine, split.ranks)
    where = replace(where, ranks_per_node=min(where.ranks_per_node, split.ranks))
    schedule = for_all_ranks(work.program, split, strategy)
    predicted = {
        rank: predict_step(of_rank(schedule, rank), machine, where)
        for rank in typical_ranks(split, where)
    }
    slowest = max(predicted, key=lambda rank: predicted[rank].seconds)
    return Point(
        split.ranks,
        -(-split.ranks // where.ranks_per_node),
        split.shape,
        prod(split.extent),
        slowest,
        predicted[slowest],
    )


def typical_ranks(split: Decomposition, placement: Placement) -> tuple[int, ...]:
    """Return the rank in the middle, the first on its node, and the one in the corner."""
    cell = tuple(cuts[(len(cuts) - 1) // 2] for cuts in split.cuts)
    middle = split.rank_of(split.base.number_at(cell))
    beside = placement.ranks_beside(middle, split.ranks)
    return tuple(dict.fromkeys((middle, beside[0], 0)))
