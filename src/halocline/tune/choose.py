"""Choose: which strategy to use, by the model first and then by short trials in the run itself.

How a simulation does it is in 'selection'. All ranks decide alike, though each has a plan, a
prediction and a clock of its own, because what they compare is the greatest over the ranks. Since
every strategy gives the same bits, trials are steps of the run and no lost time.
"""

from __future__ import annotations

import math
import time
import traceback
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from halocline.errors import PlanError
from halocline.plan.cells.strategy import Strategy
from halocline.tune.machine import MachineError
from halocline.tune.model import predict_step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from halocline.plan.blocks.decomposition import Decomposition
    from halocline.plan.schedule.layout import FieldLayout
    from halocline.plan.value.plan import Plan
    from halocline.tune.listed_cells import ListedCells
    from halocline.tune.machine import Machine
    from halocline.tune.work import Placement

# Trials: seconds in all, and rounds in which every candidate had its turn.
_BUDGET_S = 0.4
_ROUNDS = 3
# No plan is begun that would not be finished after so long; one of twice the depth takes about so
# many times as long as the others.
_PLANNING_S = 0.8
_DEEPER = 8
# Those predicted up to so much slower than the best are tried, the model being no better than that.
_WITHIN = 1.5
_MOST_TRIED = 4
# Of a single rank.
_STEPS_IN_CACHE = (4, 2, 8)
# Fields are stored with the halos of all that is tried, of which so many times that of the default.
_MOST_MEMORY = 1.1


@dataclass(frozen=True, slots=True)
class Candidate:
    """A strategy with its plan and the time predicted for it.

    Attributes:
        strategy: The strategy.
        plan: This rank's plan.
        predicted_s: Of a step, the greatest over the ranks; 0 where nothing predicts it [s].
    """

    strategy: Strategy
    plan: Plan
    predicted_s: float


@dataclass(frozen=True, slots=True)
class Model:
    """What predicts the time of a plan: a machine, how ranks sit on it, and the cells of masks."""

    machine: Machine
    placement: Placement
    listed: ListedCells | None = None


def usual_strategy(decomposition: Decomposition) -> Strategy:
    """Return the default on some blocks.

    In a forest no kernel is split: blocks are many, and beside others across x, too, where a rim is
    one cell wide and the core's rows no longer begin with a cache line.
    """
    return Strategy(overlap="postponed") if decomposition.roles else Strategy()


def candidates_alone() -> list[Strategy]:
    """Return those of a single rank, which sends nothing: how many steps it does in its caches."""
    return [Strategy(), *(Strategy(steps_in_cache=n) for n in _STEPS_IN_CACHE)]


def candidates(base: Strategy, *, has_same_node: bool, has_other_node: bool) -> list[Strategy]:
    """Return at most seventeen strategies worth a thought, the base itself first.

    Args:
        base: The default, with what the user has fixed.
        has_same_node: Whether any rank has neighbours on its own node.
        has_other_node: Whether any rank has neighbours on other nodes.
    """
    plain = replace(base, overlap="none")
    if not (has_same_node or has_other_node):
        return list(dict.fromkeys([base, plain]))
    found = [base, plain, replace(base, overlap="rim-first"), replace(base, overlap="postponed")]
    found += [replace(plain, neighbours="staged"), replace(base, wait="any")]
    if has_other_node:
        found += [replace(base, transport="put"), replace(base, tiles=4 * base.tiles)]
    if has_same_node:
        found.append(replace(base, tiles=1))
    # Last, for their plans take longest to make.
    found += [replace(base, recompute_in_loops="all"), replace(base, recompute="free")]
    found.append(replace(base, recompute="free", recompute_in_loops="all"))
    found += [replace(base, depth=2), replace(plain, depth=2), replace(plain, depth=4)]
    found += [replace(plain, steps_in_cache=n) for n in (2, 4)]
    return list(dict.fromkeys(found))


def candidates_on_devices() -> list[Strategy]:
    """Return the few strategies to be tried where devices compute, the default there first.

    Its core is one piece: nobody polls between launches. Staged messages are fewer, and so are
    what is launched to pack and unpack them.
    """
    base = Strategy(tiles=1)
    return [
        base,
        replace(base, overlap="none"),
        replace(base, neighbours="staged"),
        replace(base, depth=2),
    ]


def rank_candidates(
    strategies: Iterable[Strategy],
    make: Callable[[Strategy], Plan],
    model: Model | None,
    combine: Callable[[list[float]], list[float]],
    timer: Callable[[], float] = time.perf_counter,
) -> list[Candidate]:
    """Return the strategies that can be planned, the one predicted fastest first.

    Of those that lead to the same plan on every rank only the first is kept. The first strategy is
    the default: what is wrong with it is the user's to know.

    Args:
        strategies: The default first.
        make: Makes this rank's plan, or raises PlanError.
        model: What predicts; None if nothing does, then they stay in order.
        combine: Takes numbers and returns, on all ranks, the greatest of each.
        timer: A clock [s].

    Raises:
        PlanError: The default cannot be planned.
    """
    found, failure = _planned(strategies, make, model, timer)
    # Even with a failure, since the other ranks wait for this one's numbers.
    numbers = combine([*(c.predicted_s if c else math.inf for c in found), *_are_new(found)])
    times, are_new = numbers[: len(found)], numbers[len(found) :]
    if times[0] == math.inf:
        raise failure or PlanError("Another rank cannot plan the default strategy.")
    usable = [
        replace(candidate, predicted_s=seconds)
        for candidate, seconds, is_new in zip(found, times, are_new, strict=True)
        if candidate and seconds < math.inf and is_new
    ]
    return sorted(usable, key=lambda candidate: candidate.predicted_s)


def _planned(
    strategies: Iterable[Strategy],
    make: Callable[[Strategy], Plan],
    model: Model | None,
    timer: Callable[[], float],
) -> tuple[list[Candidate | None], Exception | None]:
    """Return a candidate for each strategy, or None, and what is wrong with the first one.

    One whose planning fails by a mistake of Halocline's is left out with a warning.
    """
    started, longest, deepest = timer(), 0.0, 1
    found: list[Candidate | None] = []
    failure: Exception | None = None
    for number, strategy in enumerate(strategies):
        before, candidate = timer(), None
        depth = strategy.steps_between_exchanges
        expected = longest * (_DEEPER if depth > deepest else 1)
        if number == 0 or before - started + expected < _PLANNING_S:
            try:
                plan = make(strategy)
                if strategy.steps_in_cache > 1 and not _is_worth_trying(plan, found):
                    raise PlanError("Steps in the caches gain nothing here, or cost too much.")
                candidate = Candidate(strategy, plan, _predicted_s(plan, model))
            except Exception as error:
                failure = error if number == 0 else failure
                if number > 0 and not isinstance(error, PlanError | MachineError):
                    _warn_of_mistake(strategy, error)
            longest, deepest = max(longest, timer() - before), max(deepest, depth)
        found.append(candidate)
    return found, failure


def _warn_of_mistake(strategy: Strategy, error: Exception) -> None:
    where = traceback.extract_tb(error.__traceback__)[-1]
    warnings.warn(
        f"The strategy '{strategy}' could not be planned, by a mistake of Halocline's own: "
        f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno}). The run "
        "goes on with another strategy; its numbers do not depend on which. Please report this.",
        RuntimeWarning,
        stacklevel=2,
    )


def _is_worth_trying(plan: Plan, before: Sequence[Candidate | None]) -> bool:
    """Return whether steps in the caches are any, and need little more memory than the default."""
    default = next((one.plan for one in before if one is not None), plan)
    return bool(plan.temporal_blocks) and _stored(plan) <= _MOST_MEMORY * _stored(default)


def _stored(plan: Plan) -> int:
    return sum(plan.bytes_on_largest_block().values())


def _predicted_s(plan: Plan, model: Model | None) -> float:
    return predict_step(plan, model.machine, model.placement).seconds if model else 0.0


def _are_new(found: Sequence[Candidate | None]) -> list[float]:
    """Return 1 for plans that do something else than all before them, 0 for the others."""
    result: list[float] = []
    known: list[Plan] = []
    for candidate in found:
        is_new = not candidate or not any(_are_alike(candidate.plan, plan) for plan in known)
        known += [candidate.plan] if candidate else []
        result.append(float(is_new))
    return result


def _are_alike(plan: Plan, other: Plan) -> bool:
    return (
        plan.strategy.transport == other.strategy.transport
        and plan.steps == other.steps
        and plan.exchanges == other.exchanges
        and plan.temporal_blocks == other.temporal_blocks
    )


def shortlist(ranked: Sequence[Candidate], default: Strategy | None = None) -> list[Candidate]:
    """Return the few candidates to be tried: those near the best, and always the default.

    Args:
        ranked: As 'rank_candidates' returns them.
        default: What is always tried; None for 'Strategy()'.
    """
    usual = default or Strategy()
    near = [c for c in ranked if c.predicted_s <= _WITHIN * ranked[0].predicted_s]
    kept = near[:_MOST_TRIED]
    always = [c for c in ranked if c.strategy == usual and c not in kept]
    return [*kept[: _MOST_TRIED - len(always)], *always]


def widest(layouts: Iterable[tuple[FieldLayout, ...]]) -> tuple[FieldLayout, ...]:
    """Return layouts that hold the halos of all plans, so that fields need be stored only once."""
    found: dict[str, FieldLayout] = {}
    for layout in (layout for group in layouts for layout in group):
        found[layout.name] = layout.widened(found.get(layout.name, layout))
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class Turn:
    """Some steps for one candidate.

    Attributes:
        candidate: Its position in the short list.
        steps: How many: a multiple of the depth of its halos.
    """

    candidate: int
    steps: int


@dataclass(frozen=True, slots=True)
class Tried:
    """What became of a candidate.

    Attributes:
        strategy: Its text, 'default' or what differs from it.
        predicted_s: Of a step; 0 if nothing predicts it [s].
        measured_s: Median of its turns; None if it was not tried [s].
    """

    strategy: str
    predicted_s: float
    measured_s: float | None


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen, and why.

    Attributes:
        strategy: The strategy.
        tried: All candidates of the trial, the fastest first.
        is_remembered: Whether it was chosen in an earlier run.
    """

    strategy: Strategy
    tried: tuple[Tried, ...]
    is_remembered: bool = False

    def __str__(self) -> str:
        """Return the choice with the predicted and measured time of each candidate."""
        how = "chosen in an earlier run" if self.is_remembered else "chosen by trial"
        lines = [f"strategy {self.strategy}, {how}"]
        for one in self.tried:
            measured = "not tried" if one.measured_s is None else f"{one.measured_s * 1e6:.1f} us"
            predicted = f"predicted {one.predicted_s * 1e6:>10.1f} us a step, "
            times = (predicted if one.predicted_s else "") + f"measured {measured:>12}"
            lines.append(f"  {one.strategy:<40} {times}")
        return "\n".join(lines)


class Trial:
    """Lets candidates take turns at steps of the run, and keeps the score.

    The first turn of each, as many steps as its halos are deep, does not count: it finds what is
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

    def turn(self) -> Turn | None:
        """Return who is next and for how many steps, or None when it is decided."""
        if len(self.short) == 1 or (self.seconds >= self.budget_s and all(self._times)):
            return None
        for n, candidate in enumerate(self.short):
            if n not in self._first:
                return Turn(n, candidate.strategy.steps_between_exchanges)
        fewest = min(map(len, self._times))
        if fewest >= self.rounds:
            return None
        next_one = next(n for n, times in enumerate(self._times) if len(times) == fewest)
        return Turn(next_one, self._steps(next_one))

    def record(self, turn: Turn, seconds: float) -> None:
        """Take down a turn.

        Args:
            turn: Who, and the steps that were really done.
            seconds: How long they took, the greatest over the ranks, so that all decide alike.
        """
        self.seconds += seconds
        if turn.candidate in self._first:
            self._times[turn.candidate].append(seconds / turn.steps)
        else:
            self._first[turn.candidate] = seconds / turn.steps

    def choice(self) -> Choice:
        """Return the candidate with the least median time; those not timed come last."""
        order = sorted(range(len(self.short)), key=self._score)
        tried = tuple(
            Tried(
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
