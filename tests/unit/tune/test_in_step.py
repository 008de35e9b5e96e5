"""A step of ranks that wait for each other: by hand, and beside what each predicts for itself."""

from __future__ import annotations

import pytest
from toy import plan, toy

import halocline as hc
from halocline.language.steps.subcycling import on_forest
from halocline.plan.pipeline import plan_for
from halocline.plan.platform import Platform
from halocline.tune.in_step import ALL, Pace, Received, Sent, round_s
from halocline.tune.model import in_step, predict_step
from halocline.tune.work import Placement

BOTH, TOGETHER = (0, 1), Placement(1)


def sent(rank, busy_s):
    """Return what a rank does that has something for the other one."""
    return Sent(((rank, 1 - rank, 0),), busy_s)


def received(rank, busy_s, flight_s=0.0, *, before=False):
    """Return what a rank does that waits for the other one."""
    return Received(((1 - rank, rank, 0),), busy_s, flight_s, before)


def test_a_rank_waits_for_the_one_that_has_more_to_do_each_time():
    first = Pace((sent(0, 2.0), received(0, 0.0), sent(0, 1.0), received(0, 0.0)), 0.0)
    second = Pace((sent(1, 1.0), received(1, 0.0), sent(1, 2.0), received(1, 0.0)), 0.0)
    alike = Pace((sent(1, 2.0), received(1, 0.0), sent(1, 1.0), received(1, 0.0)), 0.0)
    assert round_s([first, second]) == 4.0
    assert round_s([first, alike]) == 3.0


@pytest.mark.parametrize(("flight_s", "step_s"), [(5.0, 1.0 + 5.0 + 0.5), (1.5, 1.0 + 2.0 + 0.5)])
def test_messages_fly_before_anybody_waits_for_them(flight_s, step_s):
    paces = [Pace((sent(rank, 1.0), received(rank, 2.0, flight_s)), 0.5) for rank in BOTH]
    assert round_s(paces) == step_s


def test_what_left_a_round_before_holds_up_nobody_but_for_a_late_rank():
    quick, alike = (Pace((received(r, 1.0, before=True), sent(r, 1.0)), 0.0) for r in BOTH)
    slow = Pace((received(1, 1.0, before=True), sent(1, 2.0)), 1.0)
    assert round_s([quick, alike]) == 2.0
    assert round_s([quick, slow]) == 4.0


def test_a_reduction_waits_for_the_slowest_rank():
    paces = [Pace((Sent(((rank, ALL, 0),), float(rank)), Received(None, 0.0)), 0) for rank in BOTH]
    assert round_s(paces) == 1.0


def test_who_receives_nothing_waits_for_nobody():
    source = Pace((sent(0, 1.0),), 1.0)
    target = Pace((received(1, 0.0),), 0.5)
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
def move(a, a_new, b, b_new):
    a_new[0, 0] = a[0, -1]
    b_new[0, 0] = b[0, 1]


def test_messages_that_go_one_way_leave_before_the_round_in_which_they_are_needed():
    """Each rank has something for the other that it needs nothing of in return."""
    grid = hc.Grid((32, 32), periodic=(True, False))
    a, b = (grid.field(name, components=1) for name in "ab")
    a_new, b_new = (grid.field(name) for name in ("a_new", "b_new"))
    a.boundary("y-", hc.Dirichlet(0.0))
    b.boundary("y+", hc.Dirichlet(0.0))
    steps = [move(a, a_new, b, b_new), hc.swap(a, a_new), hc.swap(b, b_new)]
    how = {"ranks": 2, "strategy": hc.Strategy(overlap="rim-first", transport="two-sided")}
    plans = [plan_for(grid, steps, rank=rank, decomposition=(1, 2), **how) for rank in BOTH]
    said = [predict_step(found, toy(), TOGETHER) for found in plans]
    assert said[0].wait < said[0].seconds
    assert in_step(said)["step", ""] == pytest.approx(said[0].seconds, rel=0.1)


@hc.kernel
def smooth(a, b):
    b[0, 0] = a[0, 0] + 0.1 * (a[1, 0] + a[-1, 0] + a[0, 1] + a[0, -1] - 4.0 * a[0, 0])


@pytest.mark.parametrize("overlap", ["none", "core-first", "rim-first", "postponed"])
def test_levels_that_one_rank_has_more_of_add_up(overlap):
    """Rank 0 has the coarse leaves, rank 1 the fine ones, of which a step waits one by one."""
    forest = hc.Forest(
        (32, 16), block=8, finest=1, periodic=True, refine=lambda x, y: 0 * y + (x > 16)
    )
    a, b = forest.field("a"), forest.field("b")
    owners = hc.Owners([level for level, _ in forest.leaves])
    steps = on_forest([smooth(a, b), hc.swap(a, b)])
    strategy = hc.Strategy(overlap=overlap, transport="two-sided")
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


@hc.kernel
def grow(a):
    a[0, 0] = 1.5 * a[0, 0] + 1.0


def test_what_interrupts_steps_in_the_caches_is_waited_for_by_all():
    """Rank 0 does three steps at once, rank 1 one by one; every second step both exchange."""
    grid = hc.Grid((32, 32), periodic=True)
    a, b = grid.field("a"), grid.field("b")
    steps = [hc.every(2, smooth(a, b)), grow(a), grow(a)]
    strategy = hc.Strategy(steps_in_cache=3, transport="two-sided")
    how = {"ranks": 2, "strategy": strategy, "decomposition": (1, 2), "check_every": 0}
    plans = [
        plan_for(grid, steps, rank=rank, platform=Platform(kept_bytes=kept), **how)
        for rank, kept in enumerate((1, 10**9))
    ]
    assert [len(one.temporal_blocks) for one in plans] == [1, 0]
    said = [predict_step(one, toy(), TOGETHER) for one in plans]
    assert in_step(said)["step", ""] > 0
