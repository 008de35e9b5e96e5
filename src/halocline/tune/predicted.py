"""Predicted: what the model says of the steps that all ranks do together, for the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.tune.machine import MachineError
from halocline.tune.model import in_step, predict_step

if TYPE_CHECKING:
    from halocline.plan.value.plan import Plan
    from halocline.runtime.job import Job
    from halocline.tune.listed_cells import ListedCells
    from halocline.tune.model import Prediction
    from halocline.tune.selection import Predictor


class Predicted:
    """What ranks have predicted of their plans, so that one can report alone.

    Args:
        job: The ranks.

    Attributes:
        lines: What operations take of a step, see 'in_step'; empty where the machine has no times
            for a plan, and on other ranks than the first.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._about: tuple[Plan | None, Predictor | None] = (None, None)
        self.lines: dict[tuple[str, str], float] = {}

    def tell(self, plan: Plan, predictor: Predictor, listed: ListedCells) -> None:
        """Let all ranks predict their steps, unless they have; collective.

        Args:
            plan: Of this rank.
            predictor: What predicts.
            listed: The cells of masks.
        """
        if self._about[0] is plan and self._about[1] is predictor:
            return
        self._about = plan, predictor
        said = self._job.gather(_prediction(plan, predictor, listed))
        self.lines = in_step(said) if said and None not in said else {}


def _prediction(plan: Plan, predictor: Predictor, listed: ListedCells) -> Prediction | None:
    model = predictor.model
    if model is None:
        return None
    try:
        return predict_step(plan, model.machine, model.placement, listed)
    except MachineError:
        return None
