"""Runs that need nothing of each other say so on devices; any order gives the same bits."""

from __future__ import annotations

import numpy as np
import pytest

import halocline as hc
from halocline.plan.pipeline import plan_for
from halocline.plan.platform import Platform
from halocline.plan.value import operations as ops

ON_DEVICES = Platform(near="via-host", far="via-host")


@hc.kernel
def twice(a, b):
    b[0, 0] = 2.0 * a[0, 0]


@hc.kernel
def next_door(a, b):
    b[0, 0] = a[1, 0] + a[0, -1]


@hc.kernel
def second(a, b):
    b[1][0, 0] = a[0, 0]


@hc.kernel
def first(a, b):
    b[0][0, 0] = a[0, 0]


def concurrent(steps, grid, platform=ON_DEVICES):
    """Return whether each run of a plan may be done with those before it."""
    found = plan_for(grid, steps, platform=platform)
    return [op.is_concurrent for op in found.operations() if isinstance(op, ops.Run)]


@pytest.fixture
def grid():
    return hc.Grid((8, 8), periodic=True)


def test_what_reads_and_assigns_other_fields_may_be_done_at_once(grid):
    a, b, c = (grid.field(name) for name in "abc")
    assert concurrent([twice(a, b), twice(a, c)], grid) == [False, True]
    assert concurrent([twice(a, b), twice(b, c)], grid) == [False, False]
    assert concurrent([twice(a, b), twice(c, a)], grid) == [False, False]
    assert concurrent([twice(a, b), twice(c, b)], grid) == [False, False]


def test_components_are_apart(grid):
    a, b = grid.field("a"), grid.field("b", components=2)
    assert concurrent([first(a, b), second(a, b)], grid) == [False, True]
    assert concurrent([second(a, b), second(a, b)], grid) == [False, False]


def test_a_third_one_must_suit_both_before_it(grid):
    a, b, c, d = (grid.field(name) for name in "abcd")
    assert concurrent([twice(a, b), twice(a, c), twice(b, d)], grid) == [False, True, False]
    assert concurrent([twice(a, b), twice(a, c), twice(a, d)], grid) == [False, True, True]


def test_what_comes_between_parts_them(grid):
    a, b, c, d = (grid.field(name) for name in "abcd")
    steps = [twice(a, b), hc.swap(c, d), twice(a, c)]
    assert concurrent(steps, grid)[0] is False
    assert concurrent([hc.repeat(2, twice(a, b), twice(a, c))], grid) == [False, True]


def test_only_devices_are_told(grid):
    a, b, c = (grid.field(name) for name in "abc")
    assert concurrent([twice(a, b), twice(a, c)], grid, Platform()) == [False, False]


def test_plans_say_it(grid):
    a, b, c = (grid.field(name) for name in "abc")
    text = str(plan_for(grid, [twice(a, b), twice(a, c)], platform=ON_DEVICES))
    assert "in 1 box, at once with the one before" in text


@pytest.mark.parametrize("seed", range(5))
def test_any_order_gives_the_same_bits(seed):
    def after(device):
        grid = hc.Grid((24, 20), periodic=True)
        a, b, c, d = (grid.field(name) for name in "abcd")
        a.set(np.random.default_rng(1).random((24, 20)))
        steps = [next_door(a, b), next_door(a, c), twice(a, d), next_door(c, a), twice(b, c)]
        simulation = hc.Simulation(grid, steps, device=device, blocks=4, threads=1)
        simulation.run(20, progress=False)
        return [field.gather() for field in (a, b, c, d)]

    for expected, found in zip(after("cpu"), after(f"emulated:{seed}"), strict=True):
        np.testing.assert_array_equal(expected, found)
