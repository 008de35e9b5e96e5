"""Candidates, their ranking, trials and choices."""

import pytest
import stencils
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from toy import plan, times, toy

from halocline.box_array import BoxArray
from halocline.errors import PlanError
from halocline.geometry import Box
from halocline.language.spaces.role import Role
from halocline.plan.blocks.decomposition import Decomposition
from halocline.plan.blocks.levels import Levels
from halocline.plan.cells.strategy import Strategy
from halocline.plan.pipeline import plan_for
from halocline.plan.platform import Platform
from halocline.tune import candidates as module
from halocline.tune.autotuner import Autotuner, Candidate, Trial
from halocline.tune.candidates import (
    candidates,
    candidates_alone,
    candidates_on_devices,
    shortlist,
    usual_strategy,
    widest,
)
from halocline.tune.model import Model
from halocline.tune.work import Placement

BASE = Strategy(transport="two-sided")
MODEL = Model(toy(), Placement(1))


def make(strategy):
    options = ("overlap", "neighbours", "transport", "wait", "depth", "tiles", "width")
    return plan((24, 48), **{name: getattr(strategy, name) for name in options})


def rank_candidates(strategies, make, model, combine, timer=lambda: 0.0):
    """Rank with a clock that stands still, for this machine may be busy."""
    return module.rank_candidates(strategies, make, model, combine, timer)


def alone(numbers):
    return numbers


def made(*predicted, depths=(1, 1, 1, 1)):
    """Return candidates with such predicted times."""
    return [
        Candidate(Strategy(tiles=n + 1, depth=d), replace(make(BASE), steps=((),) * d), seconds)
        for n, (seconds, d) in enumerate(zip(predicted, depths))
    ]


@pytest.mark.parametrize("same", [True, False])
@pytest.mark.parametrize("other", [True, False])
def test_at_most_seventeen_candidates_the_base_first(same, other):
    found = candidates(BASE, has_same_node=same, has_other_node=other)
    assert found[0] == BASE
    assert len(found) == len(set(found)) <= 17
    assert len(found) == 2 if not (same or other) else len(found) > 5
    assert ("put" in {s.transport for s in found}) == other


def test_what_the_user_has_fixed_stays():
    found = candidates(Strategy(poison=True), has_same_node=True, has_other_node=True)
    assert all(strategy.poison for strategy in found)


def test_candidates_are_ranked_by_the_model():
    ranked = rank_candidates(
        candidates(BASE, has_same_node=False, has_other_node=True), make, MODEL, alone
    )
    seconds = [candidate.predicted_s for candidate in ranked]
    assert seconds == sorted(seconds)
    # A long latency and small blocks: deep halos.
    assert ranked[0].strategy.depth == 4
    fast = Model(toy(times(o=0.0, L=0.0, G=0.0)), Placement(1))
    ranked = rank_candidates(
        candidates(BASE, has_same_node=False, has_other_node=True), make, fast, alone
    )
    assert ranked[0].strategy.overlap == "none"
    assert ranked[0].strategy.depth == 1


def test_strategies_with_the_same_plan_are_tried_once():
    # Without overlap nothing is cut into tiles.
    plain = replace(BASE, overlap="none")
    both = [plain, replace(plain, tiles=1)]
    ranked = rank_candidates(both, make, MODEL, alone)
    assert [candidate.strategy for candidate in ranked] == [plain]
    # But if another rank's plans differ, all keep both.
    ranked = rank_candidates(both, make, MODEL, lambda numbers: [*numbers[:2], 1.0, 1.0])
    assert len(ranked) == 2


def test_what_cannot_be_planned_here_or_elsewhere_is_dropped():
    def narrow(strategy):
        if strategy.depth > 1:
            raise PlanError("too wide")
        return make(strategy)

    strategies = [BASE, replace(BASE, depth=2), replace(BASE, overlap="none")]
    ranked = rank_candidates(strategies, narrow, MODEL, alone)
    assert {candidate.strategy for candidate in ranked} == {strategies[0], strategies[2]}
    elsewhere = rank_candidates(
        strategies, make, MODEL, lambda numbers: [*numbers[:2], float("inf"), *numbers[3:]]
    )
    assert {candidate.strategy for candidate in elsewhere} == {strategies[0], strategies[1]}


def test_a_mistake_while_a_candidate_is_planned_is_told_and_the_run_goes_on():
    def mistaken(strategy):
        return make(strategy) if strategy == BASE else 1 / 0

    with pytest.warns(RuntimeWarning) as told:
        ranked = rank_candidates([BASE, replace(BASE, depth=2)], mistaken, MODEL, alone)
    assert [candidate.strategy for candidate in ranked] == [BASE]
    assert "could not be planned, by a mistake of Halocline's own: ZeroDivisionError: " in str(
        told[0].message
    )
    # What is wrong with the default is raised, after all ranks have spoken.
    with pytest.raises(ZeroDivisionError):
        rank_candidates([replace(BASE, depth=2)], mistaken, MODEL, alone)


def test_a_transport_without_times_is_dropped():
    strategies = [BASE, replace(BASE, transport="shared")]
    assert len(rank_candidates(strategies, make, MODEL, alone)) == 1


def test_what_is_wrong_with_the_default_is_reported_after_all_ranks_have_spoken():
    spoken = []

    def combine(numbers):
        spoken.append(numbers)
        return numbers

    def never(strategy):
        raise PlanError("too wide")

    with pytest.raises(PlanError, match="too wide"):
        rank_candidates([BASE], never, MODEL, combine)
    assert spoken == [[float("inf"), 1.0]]
    with pytest.raises(PlanError, match="Another rank cannot plan the default strategy"):
        rank_candidates([BASE], make, MODEL, lambda numbers: [float("inf"), 1.0])


def test_planning_stops_when_it_takes_long():
    clock = iter(range(100))
    strategies = candidates(BASE, has_same_node=False, has_other_node=True)
    ranked = rank_candidates(strategies, make, MODEL, alone, lambda: float(next(clock)))
    assert [candidate.strategy for candidate in ranked] == [BASE]


def test_a_deep_plan_that_would_take_too_long_is_not_begun():
    now = 0.0

    def slow(strategy):
        nonlocal now
        now += 0.06 * strategy.depth**3
        return make(strategy)

    deep = [BASE, replace(BASE, depth=2), replace(BASE, depth=4)]
    ranked = rank_candidates(deep, slow, MODEL, alone, lambda: now)
    assert {candidate.strategy.depth for candidate in ranked} == {1, 2}
    assert now == pytest.approx(0.06 * 9)


def test_the_slowest_rank_decides():
    both = [BASE, replace(BASE, overlap="none")]
    ranked = rank_candidates(both, make, MODEL, lambda numbers: [5.0, 4.0, 1.0, 1.0])
    assert [(c.strategy, c.predicted_s) for c in ranked] == [(both[1], 4.0), (both[0], 5.0)]


def test_the_short_list_has_those_near_the_best_and_the_default():
    ranked = made(1.0, 1.2, 1.4, 1.6)
    assert [c.predicted_s for c in shortlist(ranked, BASE)] == [1.0, 1.2, 1.4]
    assert [c.predicted_s for c in shortlist(made(1.0, 1.1, 1.2, 1.3))] == [1.0, 1.1, 1.2, 1.3]
    assert [c.predicted_s for c in shortlist(ranked, ranked[3].strategy)] == [1.0, 1.2, 1.4, 1.6]
    crowd = [*made(1.0, 1.1, 1.2, 1.3), Candidate(BASE, make(BASE), 9.0)]
    assert [c.predicted_s for c in shortlist(crowd, BASE)] == [1.0, 1.1, 1.2, 9.0]
    assert len(shortlist(made(1.0))) == 1


def test_fields_are_stored_once_for_all_plans():
    shallow, deep = make(BASE).layouts, make(replace(BASE, depth=4)).layouts
    both = widest([shallow, deep])
    assert both == deep
    assert widest([deep, shallow]) == deep
    assert [layout.name for layout in both] == ["T", "T_new"]


def run(trial, seconds_of):
    """Do a trial whose candidates take so long a step; return the turns."""
    turns = []
    while (turn := trial.next_trial()) is not None:
        turns.append(turn)
        trial.record(turn, turn.steps * seconds_of(turn.candidate, len(turns)))
    return turns


def test_the_fastest_in_the_run_wins_whatever_was_predicted():
    trial = Autotuner(made(1e-4, 1e-4, 1e-4))
    turns = run(trial, lambda n, turn: (3e-4, 1e-4, 2e-4)[n])
    choice = trial.choice()
    assert choice.strategy == trial.short[1].strategy
    assert [one.measured_s for one in choice.tried] == pytest.approx([1e-4, 2e-4, 3e-4])
    # A first turn each that does not count, then three rounds in turn.
    assert [turn.candidate for turn in turns] == [0, 1, 2] * 4
    assert [turn.steps for turn in turns[:3]] == [1, 1, 1]


def test_one_slow_turn_changes_nothing():
    trial = Autotuner(made(1e-4, 1e-4))
    run(trial, lambda n, turn: 10.0 if turn == 1 else (1e-4, 2e-4)[n] * (2.9 if turn == 5 else 1))
    # The first turn of ten seconds has used up all the time, but everybody has had a turn since.
    assert trial.choice().strategy == trial.short[0].strategy
    assert [one.measured_s for one in trial.choice().tried] == pytest.approx([1e-4, 2e-4])
    trial = Autotuner(made(1e-4, 1e-4))
    run(trial, lambda n, turn: (1e-4, 2e-4)[n] * (2.9 if turn == 5 else 1))
    assert trial.choice().strategy == trial.short[0].strategy


@given(
    st.lists(st.floats(1e-7, 0.2), min_size=2, max_size=4),
    st.lists(st.sampled_from([1, 2, 4]), min_size=4, max_size=4),
)
def test_trials_take_about_a_second_or_two_turns_each_and_whole_rounds(seconds, depths):
    trial = Autotuner(made(*seconds, depths=depths))
    turns = run(trial, lambda n, turn: seconds[n])
    assert all(turn.steps % depths[turn.candidate] == 0 for turn in turns)
    shortest = [s * d for s, d in zip(seconds, depths)]
    assert trial.seconds <= max(1.0 + max(shortest), 2 * sum(shortest)) + 1e-9
    assert all(one.measured_s is not None for one in trial.choice().tried)
    best = trial.choice().tried[0]
    if best.measured_s is not None:
        assert best.measured_s <= min(one.measured_s or 9 for one in trial.choice().tried)


def test_a_turn_cut_short_by_the_end_of_the_run_counts():
    trial = Autotuner(made(1e-4, 1e-4))
    for _ in range(2):
        turn = trial.next_trial()
        trial.record(turn, 1e-3)
    turn = trial.next_trial()
    assert turn.steps > 3
    trial.record(Trial(turn.candidate, 3), 3e-3)
    assert trial.choice().tried[0].measured_s == pytest.approx(1e-3)


def test_a_single_candidate_needs_no_trial():
    trial = Autotuner(made(1e-4))
    assert trial.next_trial() is None
    assert trial.choice().strategy == trial.short[0].strategy


def test_without_any_turn_the_prediction_decides():
    trial = Autotuner(made(2e-4, 1e-4))
    assert trial.choice().strategy == trial.short[1].strategy


def test_where_nothing_predicts_all_are_tried_in_order():
    wanted = candidates_on_devices()
    ranked = rank_candidates(wanted, make, None, alone)
    assert [candidate.strategy for candidate in shortlist(ranked, wanted[0])] == wanted
    assert not any(candidate.predicted_s for candidate in ranked)
    trial = Autotuner(ranked)
    run(trial, lambda n, turn: (3e-4, 1e-4, 2e-4, 4e-4)[n])
    assert trial.choice().strategy == wanted[1]
    assert "predicted" not in str(trial.choice())


def test_in_a_forest_no_kernel_is_split_by_default():
    uniform = Decomposition(((0, 8), (0, 8)), (True, True), 1)
    forest = Decomposition(
        ((0, 8), (0, 8)),
        (True, True),
        1,
        (0,),
        levels=Levels((Role("leaf", 0),), (1,), BoxArray.of([Box((0, 0), (8, 8))])),
    )
    assert usual_strategy(uniform) == Strategy()
    assert usual_strategy(forest) == Strategy(overlap="postponed")
    found = candidates(usual_strategy(forest), has_same_node=True, has_other_node=True)
    assert "core-first" not in {strategy.overlap for strategy in found}


def test_the_choice_says_what_and_why():
    trial = Autotuner(made(1e-4, 2e-4))
    run(trial, lambda n, turn: (3e-4, 1e-4)[n])
    lines = str(trial.choice()).splitlines()
    assert lines[0] == "strategy tiles=2, chosen by trial"
    first, second = (" ".join(line.split()) for line in lines[1:])
    assert first == "tiles=2 predicted 200.0 us a step, measured 100.0 us"
    assert second == "tiles=1 predicted 100.0 us a step, measured 300.0 us"
    assert "measured not tried" in " ".join(str(Autotuner(made(1e-4)).choice()).split())


def test_steps_in_caches_are_tried_where_they_are_any_and_their_halos_are_thin():
    def plan_on(extent, kept_bytes):
        problem = stencils.heat(extent, (True,) * 3)
        platform = Platform(kept_bytes=kept_bytes)
        return lambda strategy: plan_for(
            problem.grid, problem.steps, strategy=strategy, check_every=0, platform=platform
        )

    def tried(extent, kept_bytes):
        make = plan_on(extent, kept_bytes)
        ranked = rank_candidates(candidates_alone(), make, None, alone, timer=lambda: 0.0)
        return [candidate.strategy.steps_in_cache for candidate in ranked]

    assert tried((200, 200, 200), 1 << 20) == [1, 4, 2]  # 8 would take a seventh more memory
    assert tried((600, 600, 600), 1 << 20) == [1, 4, 2, 8]
    assert tried((200, 200, 200), 1 << 30) == [1]
