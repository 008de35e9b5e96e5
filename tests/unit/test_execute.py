"""Steps done once, outside the time loop: planned once for all of the same value."""

import gc
import math
import time
import weakref
from pathlib import Path

import numpy as np
import pytest

import halocline as hc
from halocline.errors import CompileError
from halocline.session import one_shot


@hc.kernel
def add(a, *, by):
    a[0] = a[0] + by


@hc.kernel
def average(a, b):
    b[0] = 0.5 * (a[-1] + a[1])


@pytest.fixture
def grid():
    return hc.Grid((8,), periodic=True)


@pytest.fixture
def planned(monkeypatch):
    """Return a list that grows with every plan that is made."""
    plans, make = [], one_shot.plan_once

    def counting(*arguments):
        plans.append(make(*arguments))
        return plans[-1]

    monkeypatch.setattr(one_shot, "plan_once", counting)
    return plans


def simulate(grid, steps=(), **options):
    simulation = hc.Simulation(grid, list(steps) or [lambda: None], threads=1, **options)
    simulation.run(0, progress=False)
    return simulation


def resident() -> int:
    """Return the memory of this process [bytes]."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def test_a_thousand_reductions_written_anew_are_planned_once_and_quick(planned):
    grid = hc.Grid((16, 16, 16))
    a = grid.field("a")
    simulation = simulate(grid)
    planned.clear()
    values = []
    for _ in range(2):
        before, started = resident(), time.process_time()
        for number in range(1000):
            a.set(float(number))
            values.append(simulation.reduce(hc.sum(a * a)))
        elapsed, grown = time.process_time() - started, resident() - before
    assert values == [4096.0 * n * n for n in range(1000)] * 2
    assert len(planned) == 1
    # Some 0.1 ms on a processor of its own. A hidden field for each would take 32 MB.
    assert elapsed < 1.0
    assert grown < 4 << 20


@hc.kernel
def step_up(b, a):
    b[0] = a[0] - a[-1]


@hc.kernel
def from_right(c, b):
    c[0] = b[1]


@pytest.mark.parametrize("blocks", [1, 2])
def test_fields_of_steps_done_once_alone_have_the_halos_of_these(grid, blocks):
    a, c = (grid.field(name) for name in "ac")
    between = grid.hidden_field("between", dtype="float64", axes="x")
    a.set(lambda x: x**2)
    simulation = simulate(grid, [step_up(c, a)], blocks=blocks)
    simulation.execute(step_up(between, a), average(between, c))
    up = a.gather() - np.roll(a.gather(), 1)
    assert np.array_equal(c.gather(), 0.5 * (np.roll(up, 1) + np.roll(up, -1)))


def test_steps_done_once_need_no_wider_halo_than_each_of_them_reads(grid):
    a, b, c = (grid.field(name) for name in "abc")
    a.set(lambda x: x**2)
    # On the low side of 'a' and the high side of 'b' alone.
    simulation = simulate(grid, [step_up(c, a), from_right(c, b)])
    simulation.execute(step_up(b, a), from_right(c, b))
    squares = (np.arange(8.0) + 0.5) ** 2
    assert np.array_equal(c.gather(), np.roll(squares, -1) - squares)


def test_a_reduction_sees_swaps(grid):
    a, b = grid.field("a"), grid.field("b")
    a.set(1.0)
    b.set(2.0)
    simulation = simulate(grid, [hc.swap(a, b)])
    found = []
    for _ in range(3):
        found.append(simulation.reduce(hc.sum(a * a)))
        simulation.run(1, progress=False)
    assert found == [8.0, 32.0, 8.0]


def test_a_reduction_sees_what_lies_beyond_a_side(planned):
    grid = hc.Grid((4,))
    a, b = grid.field("a"), grid.field("b")
    for side in ("x-", "x+"):
        a.boundary(side, hc.Dirichlet(3.0))
    simulation = simulate(grid, [average(a, b)])
    planned.clear()
    # The layer below holds twice the value at the side less that of the first cell.
    for value in (1.0, 2.0):
        a.set(value)
        assert simulation.reduce(hc.sum(a[-1])) == 6.0 - value + 3 * value
    assert len(planned) == 1


def test_other_numbers_need_no_other_plan(grid, planned):
    a = grid.field("a")
    simulation = simulate(grid)
    planned.clear()
    for number in range(5):
        simulation.execute(add(a, by=float(number)), add(a, by=10.0))
    assert a.gather().tolist() == [60.0] * 8
    assert len(planned) == 1


def test_other_constants_in_reductions_need_no_other_plan(planned):
    grid = hc.Grid((8,), periodic=True)
    a = grid.field("a", dtype="float32")
    a.set(np.sin)
    simulation = simulate(grid)
    planned.clear()
    values, found = [0.1, 3.0, -2.5e-7, 1e300, math.inf], []
    for c in values:
        largest, total = hc.max(hc.where(a[0] > c, a[0] * c, c)), hc.sum(a[0] / c + 0.1)
        simulation.execute(largest, total)
        found.append((largest.value, total.value))
    x = a.gather()
    with np.errstate(over="ignore"):
        for c, (largest, total) in zip(values, found, strict=True):
            c32 = np.float32(c)
            assert largest == np.where(x > c32, x * c32, c32).max()
            expected = (x / c32 + np.float32(0.1)).sum(dtype=np.float64)
            assert total == expected
    # 0.1 is two constants of the same value in the first, and infinity is no parameter's value.
    assert len(planned) == 3


def test_a_formula_of_reductions_keeps_its_own_constants(grid, planned):
    a = grid.field("a")
    a.set(2.0)
    simulation = simulate(grid)
    planned.clear()
    found = hc.Parameter(0.0)
    for c in (0.5, 3.0):
        total = hc.sum(a * c)
        simulation.execute(total, hc.assign(found, total + 0.5))
        assert found.value == 16 * c + 0.5
    # The first has one constant in both places, the formula's is part of what is planned.
    assert len(planned) == 1


def test_other_fields_regions_kinds_masks_and_parameters_are_other_steps(grid, planned):
    a, b = grid.field("a"), grid.field("b")
    mask = grid.field("mask", dtype=bool)
    mask.set(np.arange(8) % 2)
    simulation = simulate(grid)
    planned.clear()
    different = [
        add(a, by=1.0),
        add(b, by=1.0),
        add(a, by=1.0, on=hc.Box((0,), (3,))),
        add(a, by=1.0, on=mask),
        add(a, by=hc.Parameter(1.0)),
        hc.repeat(2, add(a, by=1.0)),
        hc.repeat(3, add(a, by=1.0)),
        hc.swap(a, b),
        hc.sum(a),
        hc.max(a),
    ]
    for step in different:
        simulation.execute(step)
    assert len(planned) == len(different)
    assert b.gather().tolist() == [8.0, 9.0, 8.0, 8.0, 7.0, 8.0, 7.0, 8.0]
    assert a.gather().tolist() == [1.0] * 8


def test_a_parameter_is_read_each_time(grid, planned):
    a, by = grid.field("a"), hc.Parameter(1.0)
    simulation = simulate(grid)
    planned.clear()
    for value in (1.0, 20.0):
        by.value = value
        simulation.execute(add(a, by=by))
    assert a.gather()[0] == 21.0
    assert len(planned) == 1


def test_functions_see_the_reductions_before_them_and_are_not_kept(grid, planned):
    a = grid.field("a")
    simulation = simulate(grid)
    planned.clear()
    seen, kept = [], []
    for number in range(3):
        total = hc.sum(a)

        def look(total=total, number=number):
            seen.append((number, total.value))

        kept.append(weakref.ref(look))
        simulation.execute(add(a, by=1.0), total, look)
        assert total.value == 8.0 * (number + 1)
        del look, total
    gc.collect()
    assert seen == [(0, 8.0), (1, 16.0), (2, 24.0)]
    assert len(planned) == 1
    assert [reference() for reference in kept] == [None] * 3


def test_a_kernel_may_use_a_reduction_of_the_same_steps(grid, planned):
    a = grid.field("a")
    a.set(1.0)
    simulation = simulate(grid)
    planned.clear()
    for _ in range(2):
        total = hc.sum(a)
        simulation.execute(total, add(a, by=total))
    # 1 + 8, and eight times that more.
    assert a.gather()[0] == 81.0
    assert len(planned) == 1


def test_neighbours_are_read_as_they_are_at_the_time(grid, planned):
    a, b = grid.field("a"), grid.field("b")
    a.set(np.arange(8.0))
    simulation = simulate(grid, [average(a, b)], blocks=2)
    planned.clear()
    for _ in range(2):
        simulation.execute(average(a, b))
        before = a.gather()
        expected = 0.5 * (np.roll(before, 1) + np.roll(before, -1))
        np.testing.assert_array_equal(b.gather(), expected)
        a.set(np.arange(8.0) ** 2)
    assert len(planned) == 1


def test_steps_that_could_not_be_compiled_are_tried_again(grid, monkeypatch):
    a = grid.field("a")
    simulation = simulate(grid)

    def fail(*_):
        raise CompileError("The compiler has gone.")

    with monkeypatch.context() as broken:
        broken.setattr(one_shot, "compile_kernels", fail)
        with pytest.raises(CompileError):
            simulation.execute(add(a, by=1.0))
    simulation.execute(add(a, by=1.0))
    assert a.gather()[0] == 1.0
