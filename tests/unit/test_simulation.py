"""A simulation in one process."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest
import stencils

import halocline as hc
from halocline.errors import DivergedError


@hc.kernel
def count(a, *, by=1.0):
    a[0] = a[0] + by


@hc.kernel
def record(a, *, now):
    a[0] = now


@hc.kernel
def average(a, b):
    b[0] = 0.5 * (a[-1] + a[1])


@pytest.fixture
def grid():
    return hc.Grid((8,), periodic=True, spacing=0.5)


@pytest.fixture(params=["numpy", "c++"])
def target(request):
    return request.param


def simulate(grid, steps, count_of_steps, **options):
    simulation = hc.Simulation(grid, steps or [lambda: None], threads=1, **options)
    simulation.run(count_of_steps, progress=False)
    return simulation


def test_repeat_runs_several_times_within_a_step(grid, target):
    a = grid.field("a")
    simulate(grid, [hc.repeat(3, count(a))], 4, target=target)
    assert a.gather().tolist() == [12.0] * 8


def test_every_runs_at_the_end_of_each_nth_step(grid, target):
    a = grid.field("a")
    simulate(grid, [hc.every(3, count(a))], 8, target=target)
    assert a.gather().tolist() == [2.0] * 8


def test_step_and_time_are_those_of_the_step_being_executed(grid, target):
    a, b = grid.field("a"), grid.field("b")
    steps = [record(a, now=hc.step), record(b, now=hc.time)]
    simulate(grid, steps, 4, dt=0.25, target=target)
    assert (a.gather()[0], b.gather()[0]) == (3.0, 0.75)


def test_steps_go_on_where_the_last_run_ended(grid, target):
    a = grid.field("a")
    simulation = simulate(grid, [record(a, now=hc.step)], 4, target=target)
    simulation.run(2, progress=False)
    assert a.gather()[0] == 5.0
    assert simulation.step == 6


def test_a_parameter_may_change_between_runs(grid):
    a = grid.field("a")
    by = hc.Parameter(1.0)
    simulation = simulate(grid, [count(a, by=by)], 1)
    by.value = 10.0
    simulation.run(1, progress=False)
    assert a.gather()[0] == 11.0


def test_a_function_may_change_fields_and_parameters_between_steps(grid, target):
    a, b = grid.field("a"), grid.field("b")
    by = hc.Parameter(1.0)

    def change():
        a.set(lambda x: x)
        by.value = 5.0

    strategy = hc.Strategy(poison=True)
    steps = [average(a, b), count(b, by=by), hc.every(1, change)]
    simulate(grid, steps, 2, blocks=2, strategy=strategy, target=target)
    x = 0.25 + 0.5 * np.arange(8)
    np.testing.assert_array_equal(b.gather(), 0.5 * (np.roll(x, 1) + np.roll(x, -1)) + 5.0)


def test_a_function_sees_the_reductions_before_it(grid, target):
    a = grid.field("a")
    total, seen = hc.sum(a), []
    steps = [count(a), total, hc.every(1, lambda: seen.append(total.value))]
    simulate(grid, steps, 3, target=target)
    assert seen == [8.0, 16.0, 24.0]


def test_a_reduction_may_be_a_scalar_of_a_kernel(grid, target):
    a = grid.field("a")
    a.set(1.0)
    total = hc.sum(a)
    simulate(grid, [total, count(a, by=total)], 2, target=target)
    assert a.gather()[0] == 1.0 + 8.0 + 72.0


def test_sums_are_exact_and_rounded_once(grid):
    a = grid.field("a")
    a.set(np.array([1e16, 1.0, -1e16, 1e-8, 3.0, -3.0, 1e300, -1e300]))
    simulation = simulate(grid, [], 0, blocks=3)
    assert simulation.reduce(hc.sum(a)) == 1.00000001


def test_reductions_have_the_same_bits_for_any_blocks():
    found = set()
    for blocks in (1, 2, 5):
        grid = hc.Grid((97,), periodic=True)
        a = grid.field("a")
        a.set(np.random.default_rng(2).standard_normal(97) * 1e6)
        simulation = hc.Simulation(grid, [lambda: None], blocks=blocks, threads=1)
        found.add(tuple(simulation.reduce(kind(a * a - a)) for kind in (hc.sum, hc.min, hc.max)))
    assert len(found) == 1


def test_execute_runs_steps_once_outside_the_time_loop(grid, target):
    a = grid.field("a")
    simulation = simulate(grid, [count(a)], 2, target=target)
    simulation.execute(count(a, by=100.0), count(a, by=1000.0))
    assert a.gather()[0] == 1102.0
    assert simulation.step == 2


def test_values_are_set_by_a_function_of_the_coordinates_of_the_location():
    grid = hc.Grid((3, 2), spacing=2.0)
    u = grid.field("u", location="x_face")
    v = grid.field("v", components=2)
    u.set(lambda x, y: x + 100.0 * y)
    v.set(lambda x, y: (x + 0.0 * y, y))
    simulate(grid, [], 0, target="numpy", blocks=2)
    # There is a face more than there are cells.
    faces = [[100.0, 300.0], [102.0, 302.0], [104.0, 304.0], [106.0, 306.0]]
    assert u.gather().tolist() == faces
    assert v.gather()[:, 2, 1].tolist() == [5.0, 3.0]


def test_local_views_are_the_memory_itself(grid):
    a = grid.field("a")
    simulation = simulate(grid, [count(a)], 1, blocks=2)
    assert [view.shape for view in a.local()] == [(4,), (4,)]
    a.local()[1][0] = 50.0
    simulation.run(1, progress=False)
    assert a.gather().tolist() == [2.0] * 4 + [51.0] + [2.0] * 3


def test_a_mask_keeps_what_is_outside(grid, target):
    a, wet = grid.field("a"), grid.field("wet", dtype=bool)
    wet.set(np.arange(8) % 2)
    simulate(grid, [count(a, on=wet)], 3, target=target)
    assert a.gather().tolist() == [0.0, 3.0] * 4


def test_a_box_is_all_that_changes(grid, target):
    a = grid.field("a")
    simulate(grid, [count(a, on=hc.Box((2,), (5,)))], 3, blocks=3, target=target)
    assert a.gather().tolist() == [0.0, 0.0, 3.0, 3.0, 3.0, 0.0, 0.0, 0.0]


def test_a_read_across_a_periodic_side_sees_what_a_kernel_on_a_box_wrote_there():
    # Two chains: the box has no periodic images and could not be recomputed.
    for blocks in (1, 2):
        grid = hc.Grid((6,), periodic=True)
        a, b = grid.field("a"), grid.field("b")

        @hc.kernel
        def left(a, b):
            b[0] = a[-1]

        steps = [count(a, on=hc.Box((5,), (6,))), left(a, b)]
        strategy = hc.Strategy(poison=True)
        simulate(grid, steps, 2, blocks=blocks, strategy=strategy, target="numpy")
        assert b.gather().tolist() == [2.0, 0.0, 0.0, 0.0, 0.0, 0.0]


def test_a_value_on_the_low_side_does_not_depend_on_who_reads_it():
    # The layer is a field's own cells there: all of them are set, on any blocks.
    for blocks in (1, 2):
        grid = hc.Grid((3, 4))
        u, b = grid.field("u", location="x_face"), grid.field("b")
        for side in ("x-", "x+", "y-", "y+"):
            u.boundary(side, hc.Dirichlet(7.0))

        @hc.kernel
        def corner(u, b):
            b[0, 0] = u[0, 1]

        simulate(grid, [corner(u, b)], 1, blocks=blocks, target="numpy")
        assert u.gather()[0].tolist() == [7.0] * 4


def test_the_report_counts_every_operation():
    problem = stencils.heat((32, 32), (True, True))
    simulation = stencils.run(problem, 10, threads=1, blocks=2)
    report = simulation.report()
    counts = {(row.kind, row.label): row.count for row in report.rows}
    assert (report.steps, report.cells, report.ranks) == (10, 1024, 1)
    assert counts["run", "diffuse all"] == 10
    assert "10 steps of 1,024 cells on 1 rank(s)" in str(report)


def test_the_compiled_and_the_numpy_target_give_the_same_bits():
    sums = set()
    for target in ("numpy", "c++"):
        problem = stencils.cavity((6, 5, 4), periodic=False)
        stencils.run(problem, 4, target=target, threads=1)
        sums.add(stencils.checksum(problem))
    assert len(sums) == 1


def test_progress_is_silent_when_asked_and_rare_without_a_terminal(grid, capfd):
    a = grid.field("a")
    simulation = hc.Simulation(grid, [count(a)], threads=1)
    simulation.run(100)
    assert capfd.readouterr() == ("", "")


def test_a_field_may_be_called_what_a_reduction_would_call_its_own():
    grid = hc.Grid((4,))
    field = grid.field("value_0")
    field.set(2.0)
    total = hc.sum(field[0] * 3.0)
    simulate(grid, [total], 1)
    assert total.value == 24.0
    assert field.gather().tolist() == [2.0] * 4


def swapped(**options):
    grid = hc.Grid((12,), periodic=True)
    a, b = grid.field("a"), grid.field("b")
    a.set(lambda x: x)
    steps = [average(a, b), hc.swap(a, b), *options.pop("more", lambda _: [])(a)]
    return hc.Simulation(grid, steps, threads=1, **options), a


def test_fields_are_found_by_name_after_any_number_of_steps():
    values = np.arange(12.0) + 0.5
    for counts in ((1, 1, 3), (2, 1), (5,), (0, 3)):
        simulation, a = swapped()
        for count in counts:
            simulation.run(count, progress=False)
        expected = values
        for _ in range(sum(counts)):
            expected = 0.5 * (np.roll(expected, 1) + np.roll(expected, -1))
        assert np.array_equal(a.gather(), expected)


def test_functions_see_fields_by_name_and_the_report_counts_them_once():
    seen = []
    simulation, _ = swapped(more=lambda a: [hc.sum(a), lambda: seen.append(a.gather()[0])])
    simulation.run(3, progress=False)
    first = np.arange(12.0) + 0.5
    expected = []
    for _ in range(3):
        first = 0.5 * (np.roll(first, 1) + np.roll(first, -1))
        expected.append(first[0])
    assert seen == expected
    counts = {(row.kind, row.label): row.count for row in simulation.report().rows}
    assert [n for (kind, _), n in counts.items() if kind in ("run", "reduce", "call")] == [3] * 3


def test_a_value_that_is_no_number_is_told_by_the_name_of_its_field():
    simulation, a = swapped(check_every=1)
    a.set(np.where(np.arange(12) == 3, np.nan, 0.0))
    with pytest.raises(DivergedError, match=r"Field 'a' is not a number in cell \(2,\) at step 1"):
        simulation.run(5, progress=False)
    assert list(np.flatnonzero(np.isnan(a.gather()))) == [2, 4]


def test_fields_are_found_by_name_after_an_interruption(monkeypatch):
    class Interrupt:
        def __call__(self, done):
            if done >= 3:
                raise KeyboardInterrupt

    monkeypatch.setattr(
        "halocline.session.simulation.progress_display", lambda *_, **__: nullcontext(Interrupt())
    )
    simulation, a = swapped()
    with pytest.raises(KeyboardInterrupt):
        simulation.run(30)
    done, found = simulation.step, a.gather()
    monkeypatch.undo()
    simulation, a = swapped()
    simulation.run(done, progress=False)
    assert done % 2
    assert np.array_equal(found, a.gather())


@pytest.mark.parametrize("strategy", [hc.Strategy(), hc.Strategy(steps_in_cache=2)])
def test_what_is_done_now_and_then_stands_where_it_is_written(strategy):
    """In the midst of a step it sees what was done before, and not what comes after."""
    grid = hc.Grid(8, periodic=True)
    a = grid.field("a")
    by = hc.Parameter(1.0, name="by")
    seen = []

    def note():
        seen.append(float(a.local()[0][0]))

    steps = [count(a, by=by), hc.every(2, note), count(a, by=by), hc.every(3, count(a, by=by))]
    hc.Simulation(grid, steps, strategy=strategy).run(6, progress=False)
    # Two a step, and one more in the third.
    assert seen == [3.0, 8.0, 12.0]
    assert a.gather()[0] == 14.0
