"""The model's word on a trial: a step of a stand-in on the machine of a paper."""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING

from halocline.language.initial import planning
from halocline.papers.stand_ins import stand_in
from halocline.pipeline import plan_for
from halocline.plan.decomposition import Decomposition
from halocline.tune.model import Prediction, predict_step
from halocline.tune.scaling import typical_ranks
from halocline.tune.work import Placement

if TYPE_CHECKING:
    from halocline.papers.trial import Trial
    from halocline.plan.plan import Plan
    from halocline.tune.machine import Machine


def plan_of(trial: Trial, rank: int = 0) -> Plan:
    """Return the plan of a rank of a trial."""
    with planning():
        made = stand_in(trial.name, trial.extent, trial.dtype)
    ranks = _count(trial.blocks)
    return plan_for(
        made.grid,
        made.steps,
        ranks=ranks,
        rank=rank,
        strategy=trial.strategy,
        decomposition=trial.blocks,
        check_every=0,
    )


def predict(trial: Trial, machine: Machine, placement: Placement | None = None) -> Prediction:
    """Return the predicted step of the slowest rank of a trial.

    Args:
        trial: What is done; its link is not looked at (see 'Machine.with_link').
        machine: Where.
        placement: Ranks a node and threads; None for nodes filled with ranks.

    Raises:
        MachineError: The machine has no times of a transport that the step needs.
    """
    ranks = _count(trial.blocks)
    where = placement or Placement.full(machine, ranks, trial.threads)
    split: Decomposition = plan_of(trial).decomposition
    steps = (predict_step(plan_of(trial, n), machine, where) for n in typical_ranks(split, where))
    return max(steps, key=lambda step: step.seconds)


def near_square(ranks: int) -> tuple[int, int]:
    """Return two numbers of blocks, as equal as may be, the greater first."""
    small = next(n for n in range(isqrt(ranks), 0, -1) if ranks % n == 0)
    return ranks // small, small


def near_cube(ranks: int) -> tuple[int, int, int]:
    """Return three numbers of blocks, as equal as may be, the greatest last."""
    small = next(n for n in range(round(ranks ** (1 / 3)), 0, -1) if ranks % n == 0)
    large, middle = near_square(ranks // small)
    return small, middle, large


def _count(blocks: tuple[int, ...]) -> int:
    total = 1
    for n in blocks:
        total *= n
    return total
