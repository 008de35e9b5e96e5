"""Autotuner: which of a few strategies is the fastest, by short trials that are steps of the run.

All ranks decide alike, though each has a plan, a prediction and a clock of its own, because they
compare the greatest times over the ranks. Since every strategy gives the same bits, trials are
steps of the run and no lost time.
"""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING

from halocline.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.plan.cells.strategy import Strategy
    from halocline.plan.value.plan import Plan

# Trials: seconds in all, and trials of each candidate that count.
_BUDGET_S = 0.4
_ROUNDS = 3


class Candidate(Frozen):
    """A strategy with its plan and the time predicted for it.

    Attributes:
        strategy: The strategy.
        plan: This rank's plan.
        predicted_s: Of a step, the greatest over the ranks; 0 where nothing predicts it [s].
    """

    strategy: Strategy
    plan: Plan
    predicted_s: float


class Trial(Frozen):
    """Some steps for one candidate.

    Attributes:
        candidate: Its position in the short list.
        steps: How many: a multiple of the depth of its halos.
    """

    candidate: int
    steps: int


class TrialResult(Frozen):
    """The result of a candidate.

    Attributes:
        strategy: Its text, 'default' or what differs from it.
        predicted_s: Of a step; 0 if nothing predicts it [s].
        measured_s: Median of its turns; None if it was not tried [s].
    """

    strategy: str
    predicted_s: float
    measured_s: float | None


class Choice(Frozen):
    """What was chosen, and why.

    Attributes:
        strategy: The strategy.
        tried: All candidates of the trial, the fastest first.
        is_remembered: Whether it was chosen in an earlier run.
    """

    strategy: Strategy
    tried: tuple[TrialResult, ...]
    is_remembered: bool = False

    def __str__(self) -> str:
        """Return the choice with the predicted and measured time of each candidate."""
        how = "chosen in an earlier run" if self.is_remembered else "chosen by trial"
        lines = [f"strategy {self.strategy}, {how}"]
        for trial in self.tried:
            measured = (
                "not tried" if trial.measured_s is None else f"{trial.measured_s * 1e6:.1f} us"
            )
            predicted = f"predicted {trial.predicted_s * 1e6:>10.1f} us a step, "
            times = (predicted if trial.predicted_s else "") + f"measured {measured:>12}"
            lines.append(f"  {trial.strategy:<40} {times}")
        return "\n".join(lines)


class Autotuner:
    """Lets candidates take turns at steps of the run, and times them.

    The first trial of each, as many steps as its halos are deep, does not count: it finds what is
    cold, and how long the next ones must be.

    Args:
        short: The candidates.
        budget_s: After so many measured seconds it is over, if each has had a turn that counts [s].
        rounds: It is over too when each candidate had so many turns that count.
    """

    def __init__(
        self, short: Sequence[Candidate], budget_s: float = _BUDGET_S, rounds: int = _ROUNDS
    ) -> None:
        self.short = tuple(short)
        self.budget_s = budget_s
        self.rounds = rounds
        self.seconds = 0.0
        self._first: dict[int, float] = {}
        self._times: list[list[float]] = [[] for _ in self.short]

    def next_trial(self) -> Trial | None:
        """Return the next trial; None once it is decided."""
        if len(self.short) == 1 or (self.seconds >= self.budget_s and all(self._times)):
            return None
        for n, candidate in enumerate(self.short):
            if n not in self._first:
                return Trial(n, candidate.strategy.steps_between_exchanges)
        fewest = min(map(len, self._times))
        if fewest >= self.rounds:
            return None
        next_one = next(n for n, times in enumerate(self._times) if len(times) == fewest)
        return Trial(next_one, self._steps(next_one))

    def record(self, trial: Trial, seconds: float) -> None:
        """Take down a trial.

        Args:
            trial: The candidate, and the steps that were really done.
            seconds: How long they took, the greatest over the ranks, so that all decide alike.
        """
        self.seconds += seconds
        if trial.candidate in self._first:
            self._times[trial.candidate].append(seconds / trial.steps)
        else:
            self._first[trial.candidate] = seconds / trial.steps

    def choice(self) -> Choice:
        """Return the candidate with the least median time; those not timed come last."""
        order = sorted(range(len(self.short)), key=self._score)
        tried = tuple(
            TrialResult(
                str(self.short[n].strategy),
                self.short[n].predicted_s,
                median(self._times[n]) if self._times[n] else None,
            )
            for n in order
        )
        return Choice(self.short[order[0]].strategy, tried)

    def _score(self, n: int) -> tuple[float, float]:
        times = self._times[n]
        return (median(times) if times else math.inf, self.short[n].predicted_s)

    def _steps(self, candidate: int) -> int:
        """Return how many steps, a multiple of the depth, fill an even share of what is left."""
        depth = self.short[candidate].strategy.steps_between_exchanges
        left = self.rounds * len(self.short) - sum(map(len, self._times))
        share = (self.budget_s - self.seconds) / left
        expected = min([self._first[candidate], *self._times[candidate]]) * depth
        return depth * max(1, int(share / max(expected, 1e-9)))
