"""Selection: the strategy of a simulation, given or chosen while its first steps are done."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from halocline.plan.cells.strategy import Strategy
from halocline.runtime.progress import in_pieces
from halocline.tune.choose import (
    Candidate,
    Choice,
    Model,
    Trial,
    candidates,
    candidates_alone,
    candidates_on_devices,
    rank_candidates,
    shortlist,
    usual_strategy,
    widest,
)
from halocline.tune.iterations import assumption
from halocline.tune.learn import CompletedSteps, between, keep, kernel_rates
from halocline.tune.listed_cells import ListedCells
from halocline.tune.machine import MachineError
from halocline.tune.machine_file import identity_here
from halocline.tune.machines import machine_here
from halocline.tune.remember import case_key, choices_path, recall, remember
from halocline.tune.sides import side_prices
from halocline.tune.work import Placement

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from halocline.plan.blocks.decomposition import Decomposition
    from halocline.plan.program.program import Program
    from halocline.plan.value.plan import Plan
    from halocline.runtime.executor import Executor
    from halocline.runtime.job import Job
    from halocline.runtime.report import Timer
    from halocline.runtime.writer import Kernels
    from halocline.tune.machine import Machine
    from halocline.tune.planner import Planner

# So often, and each time so long, kernels are timed to learn how fast they are [s].
_LESSONS, _LESSON_S = 5, 0.02


@dataclass(frozen=True, slots=True)
class CandidatePlans:
    """The plans among which the first steps decide.

    Attributes:
        plans: One if nothing is left to decide; all with the same layouts.
        trial: What keeps the score, if there are several.
        reason: Why these, for the report.
        key: By what the choice will be remembered.
    """

    plans: tuple[Plan, ...]
    trial: Trial | None
    reason: str
    key: str


def candidate_plans(
    program: Program,
    decomposition: Decomposition,
    strategy: Strategy | str,
    make: Callable[[Strategy], Plan],
    job: Job,
    predictor: Predictor,
) -> CandidatePlans:
    """Return the plans worth trying; collective.

    Args:
        program: The step.
        decomposition: Blocks and their owners.
        strategy: The one that the user has chosen, or 'auto'.
        make: Makes this rank's plan for a strategy.
        job: The ranks.
        predictor: What predicts their steps.

    Raises:
        PlanError: Even the default strategy cannot be planned.
    """
    if isinstance(strategy, Strategy):
        return CandidatePlans((make(strategy),), None, f"strategy {strategy}, as given", "")
    make = cache(make)  # the default strategy is asked for again
    if job.size == 1:
        alone = make(Strategy())
        if all(how.stream == "never" for how in alone.executions):
            fits = "" if alone.has_devices else ", and its fields fit the caches"
            reason = f"a single rank sends nothing{fits}: default strategy"
            return CandidatePlans((alone,), None, reason, "")
    usual = usual_strategy(decomposition)
    if predictor.missing:
        return _default(make(usual), predictor.missing)
    key = case_key(program, decomposition, predictor.placement)
    for what in (job.link, predictor.device):
        key += f" {what}" if what else ""
    known = job.from_first(lambda: recall(choices_path(), identity_here(), key))
    if known is not None:
        return CandidatePlans((make(known.strategy),), None, str(known), "")
    wanted = _candidates(usual, job, predictor)
    try:
        ranked = rank_candidates(wanted, make, predictor.model, job.greatest)
    except MachineError as error:
        return _default(make(usual), str(error))
    short = shortlist(ranked, wanted[0])
    layouts = widest([candidate.plan.layouts for candidate in short])
    wide = [Candidate(c.strategy, replace(c.plan, layouts=layouts), c.predicted_s) for c in short]
    return CandidatePlans(tuple(c.plan for c in wide), Trial(wide), "", key)


def _default(plan: Plan, missing: str) -> CandidatePlans:
    return CandidatePlans((plan,), None, f"default strategy, for want of times: {missing}", "")


def _candidates(usual: Strategy, job: Job, predictor: Predictor) -> list[Strategy]:
    if job.size == 1:
        return candidates_alone()
    if predictor.device:
        return candidates_on_devices()
    others = len(set(job.nodes)) > 1
    near = any(job.nodes.count(node) > 1 for node in set(job.nodes))
    return candidates(usual, has_same_node=near, has_other_node=others)


@dataclass(frozen=True, slots=True)
class Predictor:
    """What is known of the steps of a job before any is done.

    Attributes:
        placement: How the ranks sit on nodes.
        machine: What predicts them; None if nothing does.
        missing: Why nothing does and nothing is tried; empty if something is.
        device: What the devices are called that compute, of which trials alone tell; else empty.
        is_taught: Whether kernels of this job have told how fast they are: once, however often
            blocks change.
    """

    placement: Placement
    machine: Machine | None = None
    missing: str = ""
    device: str = ""
    is_taught: bool = False

    @property
    def model(self) -> Model | None:
        """What predicts them; None if nothing does."""
        return Model(self.machine, self.placement) if self.machine else None


def predictor_of(job: Job, threads: int, device: str = "") -> Predictor:
    """Return what is known of the steps of a job; all ranks must call it."""
    placement = Placement(job.nodes.count(job.nodes[0]), threads, job.ranks_on_node)
    if job.process is not None:
        return Predictor(placement, missing="virtual ranks share the processors of one")
    if device:
        return Predictor(placement, device=device)
    try:
        machine = job.from_first(machine_here)
    except MachineError as error:
        return Predictor(placement, missing=str(error))
    assert machine is not None
    if job.link is not None:
        link = job.link
        machine = machine.with_link(link.name, link.latency_s, link.seconds_per_byte)
    return Predictor(placement, machine)


def prices_here(
    program: Program, strategy: Strategy, job: Job, predictor: Predictor
) -> tuple[float, ...] | None:
    """Return what a cell of a block's sides costs in this job, None where that is not known."""
    if predictor.model is None:
        return None
    near = len(set(job.nodes)) == 1
    try:
        return side_prices(program, strategy, predictor.model.machine, is_same_node=near)
    except MachineError:
        return None


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
        predictor: What predicts, with what the trial has taught about the kernels.
        tried_steps: How many steps the trial took.
        tried_s: How long it took, planning aside [s].
    """

    def __init__(
        self,
        candidates: CandidatePlans,
        executor: Executor,
        kernels: Kernels,
        job: Job,
        predictor: Predictor,
    ) -> None:
        self.candidates = candidates
        self.executor = executor
        self.job = job
        self.predictor = predictor
        self.trial = candidates.trial
        self._reason = candidates.reason
        self.tried_steps = 0
        self.tried_s = 0.0
        self._number = 0
        # Steps that count in the trial, by the number of the plan.
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
        if self.trial is None:
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
        done = self._try_kernels(limit) if self.trial is not None else 0
        while self.trial is not None and self._are_kernels_known:
            turn = self.trial.turn()
            if turn is None:
                self._decide(self.trial.choice())
                break
            depth = self.candidates.plans[turn.candidate].strategy.steps_between_exchanges
            steps = min(turn.steps, limit - done) // depth * depth
            if not steps:
                break
            seconds = self._steps(turn.candidate, steps)
            self.trial.record(replace(turn, steps=steps), seconds)
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
        done += self._lesson(steps - done)
        with self.executor.running(self.name):
            for count in in_pieces(steps - done, self.plan.strategy.steps_in_cache):
                self.executor.advance(self.name, count)
                done += count
                show(done)

    def kept(self, planner: Planner) -> Planner:
        """Return a planner that keeps to the strategy, whether or not trials have ended."""
        reason = self._reason or "predicted to be the fastest; blocks changed before trials ended"
        return replace(planner, strategy=self.plan.strategy, reason=reason)

    def _try_kernels(self, limit: int) -> int:
        """Do steps by the first plan until its kernels know how they are fastest.

        Else the plans that are tried first would pay for what the others then know.
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

    def _lesson(self, limit: int) -> int:
        """Do steps by the only plan that teach how fast its kernels are; return how many.

        As many as can be timed well, once kernels know how they are fastest. The lesson of median
        length counts: others may be at work beside it.
        """
        if self.predictor.is_taught or self.trial or self.predictor.model is None:
            return 0
        done = self._try_kernels(limit)
        depth = self.plan.strategy.steps_between_exchanges
        steps = depth * math.ceil(_LESSON_S / max(self._step_s, 1e-9))
        count = depth + _LESSONS * steps
        if not self._are_kernels_known or done + count > limit:
            return done
        found = []
        with self.executor.running(self.name):
            # Once at its begin a run lists the cells of masks.
            self._timed(self.name, depth)
            for _ in range(_LESSONS):
                before = self.executor.runtime.timers()
                seconds, _ = self._timed(self.name, steps)
                found.append((seconds, between(before, self.executor.runtime.timers())))
        _, usual = sorted(found, key=lambda one: one[0])[_LESSONS // 2]
        self._learn([CompletedSteps(self.plan, steps)], usual)
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
            # All plans have a first turn before the others; what is cold teaches nothing.
            self._steps_done[number] = 0
            self.executor.runtime.reset_timers()
        return seconds

    def _decide(self, choice: Choice) -> None:
        self.trial = None
        done = [
            CompletedSteps(self.candidates.plans[n], s) for n, s in self._steps_done.items() if s
        ]
        if done:
            self._learn(done, self.executor.runtime.timers())
        strategies = [plan.strategy for plan in self.candidates.plans]
        self._number = strategies.index(choice.strategy)
        self._reason = f"{choice}\nthe trial took {self.tried_steps} steps, {self.tried_s:.2f} s"
        key = self.candidates.key
        self.job.on_first(lambda: remember(choices_path(), identity_here(), key, choice))

    def _learn(self, done: Sequence[CompletedSteps], timers: Sequence[Timer]) -> None:
        """Take from rank 0's timers how fast the kernels are here, for the next predictions."""
        if self.predictor.model is None:
            return
        model = replace(self.predictor.model, listed=ListedCells(self.executor.slots))
        rates = self.job.from_first(lambda: kernel_rates(done, timers, model)) or ()
        machine = model.machine.with_kernels(rates)
        self.predictor = replace(self.predictor, machine=machine, is_taught=True)
        self.job.on_first(lambda: keep(rates))
