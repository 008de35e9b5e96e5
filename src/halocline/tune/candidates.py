"""Candidates: the strategies worth trying; 'autotuner' then decides among the best few."""

from __future__ import annotations

import math
import time
import traceback
import warnings
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.errors import PlanError
from halocline.frozen import Frozen
from halocline.plan.cells.strategy import Strategy
from halocline.tune.autotuner import Autotuner, Candidate
from halocline.tune.machine import MachineError
from halocline.tune.machine_file import identity_here
from halocline.tune.model import predict_step
from halocline.tune.remember import case_key, choices_path, recall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from halocline.plan.blocks.decomposition import Decomposition
    from halocline.plan.program.program import Program
    from halocline.plan.schedule.layout import FieldLayout
    from halocline.plan.value.plan import Plan
    from halocline.runtime.job import Job
    from halocline.tune.model import Model
    from halocline.tune.predictor import Predictor

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


def usual_strategy(decomposition: Decomposition) -> Strategy:
    """Return the default on some blocks.

    In a forest no kernel is split: blocks are many, and beside others across x, too, where a rim is
    one cell wide and the core's rows no longer begin with a cache line.
    """
    return Strategy(overlap="postponed") if decomposition.is_forest else Strategy()


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
    strategies = [
        base,
        plain,
        replace(base, overlap="rim-first"),
        replace(base, overlap="postponed"),
    ]
    strategies += [replace(plain, neighbours="staged"), replace(base, wait="any")]
    if has_other_node:
        strategies += [replace(base, transport="put"), replace(base, tiles=4 * base.tiles)]
    if has_same_node:
        strategies.append(replace(base, tiles=1))
    # Last, for their plans take longest to make.
    strategies += [replace(base, recompute_in_loops="all"), replace(base, recompute="fewest-bytes")]
    strategies.append(replace(base, recompute="fewest-bytes", recompute_in_loops="all"))
    strategies += [replace(base, depth=2), replace(plain, depth=2), replace(plain, depth=4)]
    strategies += [replace(plain, steps_in_cache=n) for n in (2, 4)]
    return list(dict.fromkeys(strategies))


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
    planned, failure = _planned(strategies, make, model, timer)
    # Even with a failure, since the other ranks wait for this one's numbers.
    numbers = combine([*(c.predicted_s if c else math.inf for c in planned), *_are_new(planned)])
    times, are_new = numbers[: len(planned)], numbers[len(planned) :]
    if times[0] == math.inf:
        raise failure or PlanError("Another rank cannot plan the default strategy.")
    usable = [
        replace(candidate, predicted_s=seconds)
        for candidate, seconds, is_new in zip(planned, times, are_new, strict=True)
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
    planned: list[Candidate | None] = []
    failure: Exception | None = None
    for number, strategy in enumerate(strategies):
        before, candidate = timer(), None
        depth = strategy.steps_between_exchanges
        expected = longest * (_DEEPER if depth > deepest else 1)
        if number == 0 or before - started + expected < _PLANNING_S:
            try:
                plan = make(strategy)
                if strategy.steps_in_cache > 1 and not _is_worth_trying(plan, planned):
                    raise PlanError("Steps in the caches gain nothing here, or cost too much.")
                candidate = Candidate(strategy, plan, _predicted_s(plan, model))
            except Exception as error:
                failure = error if number == 0 else failure
                if number > 0 and not isinstance(error, PlanError | MachineError):
                    _warn_of_mistake(strategy, error)
            longest, deepest = max(longest, timer() - before), max(deepest, depth)
        planned.append(candidate)
    return planned, failure


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
    default = next((candidate.plan for candidate in before if candidate is not None), plan)
    return bool(plan.temporal_blocks) and _stored(plan) <= _MOST_MEMORY * _stored(default)


def _stored(plan: Plan) -> int:
    return sum(plan.bytes_on_largest_block().values())


def _predicted_s(plan: Plan, model: Model | None) -> float:
    return predict_step(plan, model.machine, model.placement).seconds if model else 0.0


def _are_new(candidates: Sequence[Candidate | None]) -> list[float]:
    """Return 1 for plans that do something else than all before them, 0 for the others."""
    result: list[float] = []
    before: list[Plan] = []
    for candidate in candidates:
        is_new = not candidate or not any(_are_alike(candidate.plan, plan) for plan in before)
        before += [candidate.plan] if candidate else []
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
    layouts_by_name: dict[str, FieldLayout] = {}
    for layout in (layout for group in layouts for layout in group):
        layouts_by_name[layout.name] = layout.widened(layouts_by_name.get(layout.name, layout))
    return tuple(layouts_by_name.values())


class CandidatePlans(Frozen):
    """The plans among which the first steps decide.

    Attributes:
        plans: One if nothing is left to decide; all with the same layouts.
        autotuner: Decides among them, if there are several.
        reason: Why these, for the report.
        key: By what the choice will be remembered.
    """

    plans: tuple[Plan, ...]
    autotuner: Autotuner | None
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
    remembered = job.from_first(lambda: recall(choices_path(), identity_here(), key))
    if remembered is not None:
        return CandidatePlans((make(remembered.strategy),), None, str(remembered), "")
    strategies = _candidates(usual, job, predictor)
    try:
        ranked = rank_candidates(strategies, make, predictor.model, job.greatest)
    except MachineError as error:
        return _default(make(usual), str(error))
    short = shortlist(ranked, strategies[0])
    layouts = widest([candidate.plan.layouts for candidate in short])
    wide = [Candidate(c.strategy, replace(c.plan, layouts=layouts), c.predicted_s) for c in short]
    return CandidatePlans(tuple(c.plan for c in wide), Autotuner(wide), "", key)


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
