"""Runs of several steps go through memory together, as far behind each other as they must be."""

from __future__ import annotations

import numpy as np
import pytest
import stencils
from errors.telling import told
from in_caches import small_caches, wavefronts

import halocline as hc
from halocline.errors import PlanError
from halocline.plan.passes.wavefronts import bytes_in_wavefront
from halocline.plan.pipeline import plan_for
from halocline.plan.platform import Platform
from halocline.plan.value import operations as ops
from halocline.runtime import _core

SMALL = Platform(kept_bytes=1)


@hc.kernel
def spread(T, T_new):
    T_new[0, 0, 0] = 0.25 * (T[0, 0, -1] + T[0, 0, 1] + T[0, -1, 0] + T[0, 1, 0])


@hc.kernel
def far(T, T_new):
    T_new[0, 0, 0] = T[0, 0, -3] + T[0, 0, 1] + T[0, 2, 0]


@hc.kernel
def count(T):
    T[0, 0, 0] = T + 1.0


def plan(steps_in_cache, *kernels, platform=SMALL, extent=(8, 9, 10), **choices):
    """Return the plan of kernels that write from one of two swapped fields to the other."""
    grid = hc.Grid(extent, periodic=True)
    T, T_new = grid.field("T"), grid.field("T_new")
    steps = [kernel(T, T_new) for kernel in kernels]
    strategy = hc.Strategy(steps_in_cache=steps_in_cache, **choices)
    return plan_for(
        grid, [*steps, hc.swap(T, T_new)], strategy=strategy, check_every=0, platform=platform
    )


def test_a_step_stays_behind_the_one_before_by_what_it_reads():
    (first, *_) = wavefronts(plan(4, spread))
    assert [skew.upper for skew in first.skews] == [0, 1, 2, 3]
    assert [skew.across for skew in first.skews] == [0, 1, 2, 3]
    assert [skew.is_first for skew in first.skews] == [True, False, False, False]


def test_distances_at_both_ends_differ_where_kernels_read_further_on_one_side():
    """What is written next lies where the one before still reads three planes above itself."""
    (first, *_) = wavefronts(plan(3, far))
    assert [skew.upper for skew in first.skews] == [0, 3, 6]
    assert [skew.lower for skew in first.skews] == [0, 3, 6]
    assert [skew.across for skew in first.skews] == [0, 2, 4]


def test_kernels_that_share_nothing_stay_beside_each_other():
    grid = hc.Grid((8, 9, 10), periodic=True)
    a, b = grid.field("a"), grid.field("b")
    strategy = hc.Strategy(steps_in_cache=2)
    found = plan_for(grid, [count(a), count(b)], strategy=strategy, check_every=0, platform=SMALL)
    (one,) = wavefronts(found)
    assert {(skew.lower, skew.upper, skew.across) for skew in one.skews} == {(0, 0, 0)}


def test_a_block_of_a_round_has_so_many_steps_and_counts_them():
    found = plan(2, spread)
    assert [(block.first, block.steps) for block in found.temporal_blocks] == [(0, 2)]
    (block,) = found.temporal_blocks
    assert sum(isinstance(op, ops.StepEnd) for op in ops.walk(block.operations)) == 2


def test_blocks_follow_each_other_between_two_exchanges():
    found = plan(2, spread, depth=4)
    assert [(block.first, block.steps) for block in found.temporal_blocks] == [(0, 2), (2, 2)]
    first, second = (ops.walk(block.operations) for block in found.temporal_blocks)
    assert any(isinstance(op, ops.Start) for op in first)
    assert not any(isinstance(op, ops.Start) for op in second)


def test_tiles_are_as_large_as_caches_keep():
    (small, *_) = wavefronts(plan(2, spread, platform=Platform(kept_bytes=5_000)))
    assert 1 <= small.rows < 9
    (large, *_) = wavefronts(plan(2, spread, platform=Platform(kept_bytes=9_000)))
    assert small.rows < large.rows


def test_rows_between_tiles_come_from_memory_twice():
    """Runs of the next tile are moved towards the one before by what they read across."""
    tiles = plan(3, far, platform=Platform(kept_bytes=40_000), extent=(8, 64, 40))
    whole = plan(3, far, platform=Platform(kept_bytes=300_000), extent=(8, 64, 40))
    (cut, *_), (uncut, *_) = wavefronts(tiles), wavefronts(whole)
    assert cut.skews[-1].across == 4
    assert (cut.rows > 0, uncut.rows) == (True, 0)
    once = bytes_in_wavefront(whole, uncut)
    assert bytes_in_wavefront(tiles, cut) == once + once * 4 // cut.rows


def test_fields_that_caches_hold_need_no_blocks():
    found = plan(2, spread, platform=Platform(kept_bytes=1 << 20))
    assert found.temporal_blocks == ()
    assert "no steps are done together: the caches hold what they use" in str(found)


def test_a_reduction_ends_a_wavefront():
    grid = hc.Grid((8, 9, 10), periodic=True)
    T, T_new = grid.field("T"), grid.field("T_new")
    steps = [spread(T, T_new), hc.swap(T, T_new), hc.max(T)]
    strategy = hc.Strategy(steps_in_cache=2)
    found = plan_for(grid, steps, strategy=strategy, check_every=0, platform=SMALL)
    assert found.temporal_blocks == ()


def test_plans_say_what_is_done_together():
    text = str(plan(2, spread))
    assert "steps 1 to 2 at once" in text
    assert "runs together along z, 1 planes at once, in tiles of 1 rows" in text
    assert "1 planes behind" in text


def test_what_is_done_now_and_then_pauses_a_block_unless_it_stands_at_its_end():
    seen = []
    grid = hc.Grid((8, 9, 10), periodic=True)
    T = grid.field("T")

    def look():
        seen.append((simulation.step, simulation.time, float(T.gather()[0, 0, 0])))

    with small_caches(1):
        simulation = hc.Simulation(
            grid,
            [count(T), count(T), hc.every(3, look)],
            dt=0.5,
            strategy=hc.Strategy(steps_in_cache=2),
            target="numpy",
            check_every=0,
        )
        simulation.run(7, progress=False)
        (block,) = simulation.plan.temporal_blocks
    assert [(one.offset, one.interval) for one in block.pauses] == [(0, 3)]
    assert seen == [(3, 1.0, 6.0), (6, 2.5, 12.0)]
    assert simulation.step == 7
    assert (T.gather() == 14.0).all()


def test_each_step_of_a_block_has_its_own_time_and_numbers():
    @hc.kernel
    def add(T, *, t, p):
        T[0, 0] = 10.0 * T + t + p

    def value(**choices):
        grid = hc.Grid((6, 7), periodic=True)
        T, p = grid.field("T"), hc.Parameter(1.0, "p")
        steps = [add(T, t=hc.time, p=p), hc.assign(p, 2.0 * p)]
        with small_caches(1):
            simulation = hc.Simulation(
                grid, steps, dt=0.25, strategy=hc.Strategy(**choices), target="numpy"
            )
            simulation.run(6, progress=False)
        return bool(simulation.plan.temporal_blocks), T.gather()

    (_, expected), (has_blocks, found) = value(), value(steps_in_cache=3)
    assert has_blocks
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("steps", [1, 2, 3, 4, 5, 9])
def test_runs_may_end_anywhere(steps):
    def value(**choices):
        problem = stencils.make("heat 2-D", "none", "float64")
        stencils.fill(problem)
        with small_caches(1):
            simulation = hc.Simulation(
                problem.grid, problem.steps, strategy=hc.Strategy(**choices), target="numpy"
            )
            simulation.run(steps, progress=False)
            simulation.run(2, progress=False)
        return simulation.fields["T"].gather()

    assert np.array_equal(value(), value(steps_in_cache=4))


def test_halos_deeper_than_blocks_for_steps_in_the_caches():
    assert told(PlanError, lambda: plan(8, spread, extent=(8, 4, 4))) == (
        "Halos of depth 8, for 8 steps in the caches, make field 'T' need 8 cells from its "
        "neighbours along y, but the narrowest block has only 4 there. Use a smaller depth, fewer "
        "ranks or another decomposition."
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([_core.StepEnd()], [_core.Skew(0, 0, 0, True)], 1, 1, 0), "there are 0 runs and 1 skews"),
        (([], [], 0, 1, 0), "it goes along axis 0, with 1 planes and 0 rows at once"),
        (([], [], 2, 0, 0), "it goes along axis 2, with 0 planes and 0 rows at once"),
    ],
)
def test_the_runtime_refuses_wavefronts_that_cannot_be(arguments, message):
    with pytest.raises(ValueError, match=message):
        _core.Runtime(1).set_program("step", [_core.Wavefront("some", *arguments)])
