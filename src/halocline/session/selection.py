"""Selection: the strategy of a simulation, given or chosen while its first steps are done."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.runtime.progress import in_pieces
from halocline.runtime.timers import elapsed
from halocline.tune.calibration import CompletedSteps, kernel_rates, save_rates
from halocline.tune.compacted_masks import CompactedMasks
from halocline.tune.iterations import assumption
from halocline.tune.machine_file import identity_here
from halocline.tune.remember import choices_path, remember

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from halocline.plan.cells.strategy import Strategy
    from halocline.plan.value.plan import Plan
    from halocline.runtime.compiled import CompiledKernels
    from halocline.runtime.executor import Executor
    from halocline.runtime.job import Job
    from halocline.runtime.timers import Timer
    from halocline.tune.autotuner import Choice
    from halocline.tune.candidates import CandidatePlans
    from halocline.tune.predictor import Predictor

# For a calibration kernels are timed so often, each time for so long [s].
_REPETITIONS, _REPETITION_S = 5, 0.02


class Selection:
    """The plans of a simulation in its runtime, and the one that is followed.

    Args:
        candidates: The plans.
        executor: What does steps.
        kernels: The compiled kernels of all of them.
        job: The ranks.
        predictor: What predicts their steps.

    Attributes:
        plan: The plan that is followed, or will be if no trial says otherwise.
        predictor: What predicts, with the rates of kernels measured in trials.
        tried_steps: Steps of all trials.
        tried_s: Time of all trials, planning aside [s].
    """

    def __init__(
        self,
        candidates: CandidatePlans,
        executor: Executor,
        kernels: CompiledKernels,
        job: Job,
        predictor: Predictor,
    ) -> None:
        self.candidates = candidates
        self.executor = executor
        self.job = job
        self.predictor = predictor
        self.autotuner = candidates.autotuner
        self._reason = candidates.reason
        self.tried_steps = 0
        self.tried_s = 0.0
        self._number = 0
        # Steps that count in the trials, by the number of the plan.
        self._steps_done: dict[int, int] = {}
        self._are_kernels_known = False
        self._step_s = 0.0  # of the last one with which kernels were tried
        for number, plan in enumerate(candidates.plans):
            executor.load(f"main {number}", plan, kernels)

    @property
    def plan(self) -> Plan:
        """The plan that is followed."""
        return self.candidates.plans[self._number]

    @property
    def reason(self) -> str:
        """Why it is followed, for the report."""
        if self.autotuner is None:
            return "\n".join(filter(None, (self._reason, assumption(self.plan.steps))))
        names = "; ".join(str(plan.strategy) for plan in self.candidates.plans)
        return f"strategies on trial when the run ended: {names}"

    @property
    def name(self) -> str:
        """What the runtime calls it."""
        return f"main {self._number}"

    def try_out(self, limit: int) -> int:
        """Do steps of the simulation as trials of the plans, until it is decided.

        Args:
            limit: How many steps there are to do at most.

        Returns:
            How many were done.
        """
        done = self._try_kernels(limit) if self.autotuner is not None else 0
        while self.autotuner is not None and self._are_kernels_known:
            trial = self.autotuner.next_trial()
            if trial is None:
                self._decide(self.autotuner.choice())
                break
            depth = self.candidates.plans[trial.candidate].strategy.steps_between_exchanges
            steps = min(trial.steps, limit - done) // depth * depth
            if not steps:
                break
            seconds = self._steps(trial.candidate, steps)
            self.autotuner.record(replace(trial, steps=steps), seconds)
            done += steps
            self.tried_steps += steps
            self.tried_s += seconds
        return done

    def advance(self, done: int, steps: int, show: Callable[[int], None]) -> None:
        """Do steps of the simulation by the plan that is followed.

        Args:
            done: How many of them have been done.
            steps: How many there are.
            show: Told how many have been done, now and then.
        """
        done += self._calibrate(steps - done)
        with self.executor.running(self.name):
            for count in in_pieces(steps - done, self.plan.strategy.steps_in_cache):
                self.executor.advance(self.name, count)
                done += count
                show(done)

    @property
    def settled(self) -> tuple[Strategy, str]:
        """The strategy to keep to, whether or not trials have ended, and why."""
        reason = self._reason or "predicted to be the fastest; blocks changed before trials ended"
        return self.plan.strategy, reason

    def _try_kernels(self, limit: int) -> int:
        """Do steps by the first plan until its kernels have chosen their variants.

        Otherwise the plans that are tried first would pay for the trials of all.
        """
        depth = self.candidates.plans[0].strategy.steps_between_exchanges
        done = 0
        while not self._are_kernels_known and done + depth <= limit:
            self._step_s, calls = self._advance("main 0", depth)
            self._are_kernels_known = calls == 0
            self.tried_s += self._step_s
            self.tried_steps += depth
            done += depth
        return done

    def _calibrate(self, limit: int) -> int:
        """Do steps by the only plan to measure the rates of its kernels; return how many.

        As many as can be timed well, once kernels have chosen their variants. The repetition of
        median length counts: other programs may run beside it.
        """
        if self.predictor.is_calibrated or self.autotuner or self.predictor.model is None:
            return 0
        done = self._try_kernels(limit)
        depth = self.plan.strategy.steps_between_exchanges
        steps = depth * math.ceil(_REPETITION_S / max(self._step_s, 1e-9))
        count = depth + _REPETITIONS * steps
        if not self._are_kernels_known or done + count > limit:
            return done
        rates = []
        with self.executor.running(self.name):
            # Once at its begin a run lists the cells of masks.
            self._timed(self.name, depth)
            for _ in range(_REPETITIONS):
                before = self.executor.runtime.timers()
                seconds, _ = self._timed(self.name, steps)
                rates.append((seconds, elapsed(before, self.executor.runtime.timers())))
        _, usual = sorted(rates, key=lambda one: one[0])[_REPETITIONS // 2]
        self._save_calibration([CompletedSteps(self.plan, steps)], usual)
        return done + count

    def _advance(self, name: str, steps: int) -> tuple[float, float]:
        """Do steps as a run of their own; see '_timed'."""
        with self.executor.running(name):
            return self._timed(name, steps)

    def _timed(self, name: str, steps: int) -> tuple[float, float]:
        """Do steps; return how long the slowest rank took [s], and the most calls on trial."""
        runtime = self.executor.runtime
        started, before = time.perf_counter(), runtime.trial_calls()
        self.executor.advance(name, steps)
        taken_s, calls = time.perf_counter() - started, runtime.trial_calls() - before
        seconds, most_calls = self.job.greatest([taken_s, float(calls)])
        return seconds, most_calls

    def _steps(self, number: int, steps: int) -> float:
        """Do steps by one of the plans; return how long the slowest rank took [s]."""
        seconds, _ = self._advance(f"main {number}", steps)
        if number in self._steps_done:
            self._steps_done[number] += steps
        else:
            # All plans have a first trial before any has a second; cold ones do not count.
            self._steps_done[number] = 0
            self.executor.runtime.reset_timers()
        return seconds

    def _decide(self, choice: Choice) -> None:
        self.autotuner = None
        done = [
            CompletedSteps(self.candidates.plans[n], s) for n, s in self._steps_done.items() if s
        ]
        if done:
            self._save_calibration(done, self.executor.runtime.timers())
        strategies = [plan.strategy for plan in self.candidates.plans]
        self._number = strategies.index(choice.strategy)
        self._reason = f"{choice}\nthe trial took {self.tried_steps} steps, {self.tried_s:.2f} s"
        key = self.candidates.key
        self.job.on_first(lambda: remember(choices_path(), identity_here(), key, choice))

    def _save_calibration(self, done: Sequence[CompletedSteps], timers: Sequence[Timer]) -> None:
        """Calibrate the predictor by rank 0's timers."""
        if self.predictor.model is None:
            return
        model = replace(self.predictor.model, masks=CompactedMasks(self.executor.slots))
        rates = self.job.from_first(lambda: kernel_rates(done, timers, model)) or ()
        machine = model.machine.with_kernels(rates)
        self.predictor = replace(self.predictor, machine=machine, is_calibrated=True)
        self.job.on_first(lambda: save_rates(rates))
