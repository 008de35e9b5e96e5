"""Tally: what the ranks of a simulation have reported, so that one can make the report alone."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from halocline.report.levels import level_lines
from halocline.report.report import Report, Timings, bytes_by_label
from halocline.runtime.caches import caches_here
from halocline.tune.machine import MachineError
from halocline.tune.model import in_step, predict_step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from halocline.language.grids.forest import Size
    from halocline.plan.value.plan import Plan
    from halocline.runtime.device import OpenDevice
    from halocline.runtime.job import Job
    from halocline.runtime.timers import Timer
    from halocline.tune.compacted_masks import CompactedMasks
    from halocline.tune.model import Prediction
    from halocline.tune.predictor import Predictor

# A report misses at most so many steps, and at most such a part of those that it is about.
_MOST_STEPS, _PART = 1000, 4


class Tally:
    """The content of a report.

    To collect it takes all ranks and some hundred microseconds. After a run that has added little
    it is left out, so that a loop of short runs costs no more for it.

    Args:
        job: The ranks.

    Attributes:
        seconds: Wall-clock time of the runs on this rank since it began [s].
        collected: What ranks have reported last; None since it began.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._first = 0
        self.seconds = 0.0
        self.collected: Timings | None = None
        # The bytes that kernels of a plan must move; the next run has mostly the same plan.
        self._moved: tuple[Plan | None, dict[str, float]] = (None, {})
        self._predicted_of: tuple[Plan | None, Predictor | None] = (None, None)
        self._predicted: dict[tuple[str, str], float] = {}

    def begin(self, step: int) -> None:
        """Forget everything: what follows is about the steps after so many."""
        self._first, self.seconds, self.collected = step, 0.0, None
        self._started = time.perf_counter()

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Add the time of a run, since it began or since 'begin'."""
        self._started = time.perf_counter()
        yield
        self.seconds += time.perf_counter() - self._started

    def is_due(self, step: int) -> bool:
        """Return whether a report after so many steps would miss too much; on all ranks alike."""
        if self.collected is None:
            return True
        most = max(1, min(_MOST_STEPS, self.collected.steps // _PART))
        return self._missing(step, self.collected) >= most

    def _missing(self, step: int, collected: Timings) -> int:
        return step - self._first - collected.steps

    def collect(
        self,
        step: int,
        timers: list[Timer],
        plan: Plan,
        strategy: str,
        bytes_stored: int,
        size: Size,
    ) -> None:
        """Collect the times of all ranks; collective.

        Args:
            step: How many steps have been done.
            timers: Of this rank.
            plan: Of this rank.
            strategy: How communication is done and why, as text.
            bytes_stored: Memory of all fields of all ranks [bytes].
            size: How much there is to compute.
        """
        if self._moved[0] is not plan:
            self._moved = plan, bytes_by_label(plan)
        ranks = self._job.gather((timers, self._moved[1])) or []
        steps = step - self._first
        self.collected = Timings(ranks, steps, self.seconds, strategy, bytes_stored, size)

    def predict(self, plan: Plan, predictor: Predictor, masks: CompactedMasks) -> None:
        """Let all ranks predict their steps, unless they have; collective.

        Args:
            plan: Of this rank.
            predictor: Predicts its steps.
            masks: The masks of kernels.
        """
        if self._predicted_of[0] is plan and self._predicted_of[1] is predictor:
            return
        self._predicted_of = plan, predictor
        predictions = self._job.gather(_prediction(plan, predictor, masks))
        self._predicted = in_step(predictions) if predictions and all(predictions) else {}

    def report(self, step: int, device: OpenDevice, plan: Plan, threads: int) -> Report:
        """Return the report of the collected times.

        Args:
            step: How many steps have been done.
            device: Where kernels ran.
            plan: Of this rank.
            threads: Of this rank.
        """
        times, job, is_cpu = self.collected, self._job, device.is_cpu
        assert times is not None
        every_thread = threads * job.ranks_on_node
        return Report(
            ranks=job.size,
            steps=times.steps,
            seconds=times.seconds,
            cells=times.size.cells,
            updates=times.size.updates,
            rows=times.rows(self._predicted, is_on_device=not is_cpu),
            strategy=times.strategy,
            predicted_s=self._predicted.get(("step", ""), 0.0),
            bytes_stored=times.bytes_stored,
            link=str(job.link) if job.link else "",
            device=device.where,
            is_on_device=not is_cpu,
            later_steps=self._missing(step, times),
            levels=level_lines(plan, caches_here(), threads, every_thread) if is_cpu else (),
            balance=plan.decomposition.balance,
            measured_imbalance=times.imbalance if is_cpu else 0.0,
        )


def _prediction(plan: Plan, predictor: Predictor, masks: CompactedMasks) -> Prediction | None:
    """Return what the model says of a rank's step; None if it has no times for the plan."""
    model = predictor.model
    if model is None:
        return None
    try:
        return predict_step(plan, model.machine, model.placement, masks)
    except MachineError:
        return None
