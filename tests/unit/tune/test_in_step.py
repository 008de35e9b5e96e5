"""A step of ranks that wait for each other: by hand, and beside what each predicts for itself."""

from __future__ import annotations

import pytest
from toy import plan, toy

import halocline as hc
from halocline.language.steps.subcycling import on_forest
from halocline.pipeline import plan_for
from halocline.tune.in_step import REDUCTION, Pace, Received, Sent, round_s
from halocline.tune.model import in_step, predict_step
from halocline.tune.work import Placement

BOTH, TOGETHER = (0, 1), Placement(1)


def met(exchange, busy_s, other, flight_s=0.0):
    """Return what a rank does that sends, and waits for another one at once."""
    return [Sent(exchange, busy_s), Received(exchange, 0.0, other, flight_s)]


def test_a_rank_waits_for_the_one_that_has_more_to_do_each_time():
    first = Pace((*met(0, 2.0, (1,)), *met(1, 1.0, (1,))), 0.0)
    second = Pace((*met(0, 1.0, (0,)), *met(1, 2.0, (0,))), 0.0)
    assert round_s([first, second]) == 4.0
    assert round_s([first, first]) == 3.0


def test_messages_fly_before_anybody_waits_for_them():
    pace = [Pace((Sent(0, 1.0), Received(0, 2.0, (other,), 5.0)), 0.5) for other in (1, 0)]
    assert round_s(pace) == 1.0 + 5.0 + 0.5
    quick = [Pace((Sent(0, 1.0), Received(0, 2.0, (other,), 1.5)), 0.5) for other in (1, 0)]
    assert round_s(quick) == 1.0 + 2.0 + 0.5


def test_what_is_sent_a_round_before_is_there_unless_a_rank_is_behind():
    """The next round's message leaves early: a late rank then holds up nobody within a round."""
    quick = Pace((Received(0, 1.0, (1,), 0.0), Sent(0, 1.0)), 0.0)
    slow = Pace((Received(0, 1.0, (0,), 0.0), Sent(0, 2.0)), 1.0)
    assert round_s([quick, slow]) == 4.0
    assert round_s([quick, quick]) == 2.0


def test_a_reduction_waits_for_the_slowest_rank():
    paces = [Pace((Sent(REDUCTION, n), Received(REDUCTION, 0.0, None, 0.0)), 0) for n in BOTH]
    assert round_s(paces) == 1.0


def test_who_receives_nothing_waits_for_nobody():
    source = Pace((Sent(0, 1.0),), 1.0)
    target = Pace((Sent(0, 0.0), Received(0, 0.0, (0,), 0.0)), 0.5)
    assert round_s([source, target]) == 2.0


@pytest.mark.parametrize("overlap", ["none", "core-first", "rim-first", "postponed"])
@pytest.mark.parametrize("problem", [{}, {"every": 10}, {"repeat": 5}])
def test_ranks_alike_take_what_each_predicts_for_itself(overlap, problem):
    said = [
        predict_step(plan((64, 64), 2, rank, overlap=overlap, **problem), toy(), TOGETHER)
        for rank in BOTH
    ]
    lines = {(line.kind, line.label): line.seconds for line in said[0].lines}
    assert in_step(said) == pytest.approx({**lines, ("step", ""): said[0].seconds})


def test_the_larger_of_two_blocks_waits_less_than_beside_its_like():
    blocks = hc.Decomposition(((0, 64), (0, 16, 64)), (True, True), 2)
    said = [predict_step(plan((64, 64), 2, r, decomposition=blocks), toy(), TOGETHER) for r in BOTH]
    assert said[1].compute > 2.5 * said[0].compute
    assert said[1].seconds - said[1].wait <= in_step(said)["step", ""] < said[1].seconds


@hc.kernel
def smooth(a, b):
    b[0, 0] = a[0, 0] + 0.1 * (a[1, 0] + a[-1, 0] + a[0, 1] + a[0, -1] - 4.0 * a[0, 0])


def test_levels_that_one_rank_has_more_of_add_up():
    """Rank 0 has the coarse leaves, rank 1 the fine ones, of which a step waits one by one."""
    forest = hc.Forest(
        (32, 16), block=8, finest=1, periodic=True, refine=lambda x, y: 0 * y + (x > 16)
    )
    a, b = forest.field("a"), forest.field("b")
    owners = hc.Owners([level for level, _ in forest.leaves])
    steps = on_forest([smooth(a, b), hc.swap(a, b)])
    strategy = hc.Strategy(overlap="none", transport="two-sided")
    said = [
        predict_step(
            plan_for(forest.grid, steps, ranks=2, rank=r, strategy=strategy, decomposition=owners),
            toy(),
            TOGETHER,
        )
        for r in BOTH
    ]
    together = in_step(said)["step", ""]
    assert together >= max(one.seconds for one in said)
    assert together <= sum(one.seconds for one in said)
