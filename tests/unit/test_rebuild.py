"""A simulation goes on with other blocks as if nothing had happened."""

from __future__ import annotations

import numpy as np
import pytest
import stencils

import halocline as hc
from halocline.errors import HaloclineError, OutOfMemoryError
from halocline.geometry import Box
from halocline.io.checkpoint import load, save
from halocline.jit import build
from halocline.plan.cells.block import NOBODY
from halocline.runtime import memory

EXTENT = (12, 8)


@hc.kernel
def push(a, b):
    b[1, 0] = a[0, 0]


@hc.kernel
def look(b, c):
    c[0, 0] = b[1, 0]


@hc.kernel
def grow(a):
    a[0, 0] = 1.5 * a[0, 0]


def heat(*more, **options):
    problem = stencils.heat(EXTENT, (True, False))
    stencils.fill(problem)
    options = {"target": "numpy", "threads": 1} | options
    simulation = hc.Simulation(problem.grid, [*problem.steps, *more], **options)
    return problem.grid.fields["T"], simulation


def expected(steps: int) -> bytes:
    T, simulation = heat()
    simulation.run(steps, progress=False)
    return T.gather().tobytes()


@pytest.mark.parametrize("device", ["cpu", "emulated:2"])
def test_a_simulation_goes_on_with_other_cuts_and_owners(device):
    T, simulation = heat(target="c++", device=device)
    simulation.run(3, progress=False)
    simulation.rebuild(decomposition=(4, 2), blocks=8)
    assert [view.shape for view in T.local()] == [(3, 4)] * 8
    assert simulation.decomposition.shape == (4, 2)
    simulation.run(2, progress=False)
    simulation.rebuild(decomposition=hc.Decomposition(((0, 5, 12), (0, 1, 8)), (True, False), 1))
    simulation.run(1, progress=False)
    simulation.rebuild()
    assert simulation.step == 6
    assert T.gather().tobytes() == expected(6)


def test_before_the_first_run_it_chooses_blocks_as_the_simulation_does():
    T, simulation = heat(decomposition="rows", blocks=4)
    T.set(lambda x, y: x + y)
    simulation.rebuild(decomposition=(3, 1), blocks=3)
    simulation.run(0)
    assert [view.shape for view in T.local()] == [(4, 8)] * 3
    assert T.gather()[4, 2] == 4.5 + 2.5


def test_functions_that_fields_are_set_to_then_are_evaluated_in_the_new_blocks():
    T, simulation = heat(decomposition="rows", blocks=2)
    simulation.run(1, progress=False)
    simulation.rebuild(decomposition=(2, 1), blocks=2)
    seen = []
    T.set(lambda x, y: seen.append((x.size, y.size)) or x + y)
    assert seen == [(6, 8)] * 2
    assert T.gather()[7, 2] == 7.5 + 2.5


def test_arrays_that_the_user_has_are_those_of_before():
    T, simulation = heat()
    simulation.run(1, progress=False)
    (before,) = T.local()
    kept = before.copy()
    simulation.rebuild(decomposition=(2, 1), blocks=2)
    simulation.run(1, progress=False)
    before[...] += 1.0
    assert np.array_equal(before, kept + 1.0)
    assert T.gather().tobytes() == expected(2)


def test_old_blocks_take_no_memory():
    T, simulation = heat()
    simulation.run(1, progress=False)
    old, stored = T.storage, simulation.bytes_stored()
    simulation.reduce(hc.sum((T > 1).astype("int64")))  # stored before it is summed
    storages = simulation._executor.slots.storages
    assert len(storages) == 3
    simulation.rebuild()
    assert not storages
    assert simulation.bytes_stored() == stored
    with pytest.raises(ValueError, match=r"field 'T' has been removed"):
        old.local()


def test_nothing_is_compiled_again(monkeypatch):
    T, simulation = heat(target="c++")
    simulation.run(1, progress=False)
    total = simulation.reduce(hc.sum(T))
    monkeypatch.setattr(build, "_compile", lambda *_: pytest.fail("compiled again"))
    simulation.rebuild(decomposition=(2, 2), blocks=4)
    assert simulation.reduce(hc.sum(T)) == total
    simulation.run(1, progress=False)


def test_time_parameters_and_functions_go_on():
    found = []
    for split in ({}, {"decomposition": (2, 2), "blocks": 4}):
        seen, rate = [], hc.Parameter(1.0)
        grid = hc.Grid(EXTENT)
        a = grid.field("a")
        a.set(1.0)

        @hc.kernel
        def add(a, *, rate, time, total):
            a[0, 0] = a[0, 0] + rate * time + 1e-3 * total

        def note(seen=seen, rate=rate, a=a):
            seen.append(float(a.local()[0][0, 0]))
            rate.value += 0.5

        total = hc.sum(a)
        steps = [total, add(a, rate=rate, time=hc.time, total=total), hc.every(3, note)]
        simulation = hc.Simulation(grid, steps, dt=0.5, threads=1, target="numpy")
        simulation.run(4, progress=False)
        if split:
            simulation.rebuild(**split)
            assert total.value > 0
        simulation.run(5, progress=False)
        found.append((seen, a.gather().tobytes(), rate.value, total.value, simulation.step))
    assert len(found[0][0]) == 3
    assert found[0] == found[1]


def test_steps_done_once_are_planned_for_the_new_blocks():
    T, simulation = heat()
    simulation.run(2, progress=False)
    before = simulation.reduce(hc.sum(T * T))
    simulation.execute(grow(T))
    simulation.rebuild(decomposition=(3, 2), blocks=6)
    simulation.execute(grow(T))
    assert simulation.reduce(hc.sum(T * T)) == pytest.approx(before * 1.5**4)


def test_a_field_declared_later_has_the_values_it_was_set_to():
    T, simulation = heat()
    simulation.run(1, progress=False)
    late = T.grid.field("late")
    late.set(2.0)
    simulation.execute(grow(late))
    assert (late.gather() == 3.0).all()
    latest = T.grid.field("latest")
    latest.set(lambda x, y: x)
    simulation.rebuild(decomposition=(2, 1), blocks=2)
    assert (late.gather() == 3.0).all()
    assert latest.gather()[7, 0] == 7.5


def test_layers_beyond_the_domain_keep_what_kernels_have_assigned_there():
    found = []
    for split in (
        {},
        {"decomposition": (1, 4), "blocks": 4},
        {"decomposition": (3, 1), "blocks": 3},
    ):
        grid = hc.Grid((9, 8))
        a, b, c = (grid.field(name) for name in "abc")
        a.set(lambda x, y: x + 10 * y)
        strategy = hc.Strategy(poison=True)
        steps = [look(b, c), push(a, b), grow(a)]
        simulation = hc.Simulation(grid, steps, strategy=strategy, threads=1, check_every=0)
        simulation.run(2, progress=False)
        if split:
            simulation.rebuild(**split)
        simulation.run(1, progress=False)
        found.append(c.gather())
    assert found[0][-1, 3] == 1.5 * (8.5 + 35)
    assert all(np.array_equal(one, found[0]) for one in found)


def test_blocks_that_are_dropped_have_zeros_when_they_come_back():
    grid = hc.Grid((8, 8), periodic=True)
    a = grid.field("a")
    a.set(lambda x, y: 1.0 + x)
    cells = np.zeros((8, 8), bool)
    cells[1:3, 1:3] = True
    simulation = hc.Simulation(grid, [grow(a)], target="numpy", threads=1)
    simulation.run(1, progress=False)
    before = a.gather()
    simulation.rebuild(decomposition=hc.Sparse(cells, (4, 4)))
    assert simulation.decomposition.pieces.owners.count(NOBODY) == 3
    simulation.rebuild(decomposition=(2, 4), blocks=8)
    after = a.gather()
    assert np.array_equal(after[:4, :4], before[:4, :4])
    after[:4, :4] = 0
    assert not after.any()


def test_checkpoints_go_on_from_either_side(tmp_path):
    T, simulation = heat()
    simulation.run(2, progress=False)
    simulation.rebuild(decomposition=(2, 2), blocks=4)
    save(simulation, tmp_path / "c.npz")
    simulation.run(2, progress=False)
    load(simulation, tmp_path / "c.npz")
    simulation.rebuild(decomposition=(3, 1), blocks=3)
    simulation.run(3, progress=False)
    assert simulation.step == 5
    assert T.gather().tobytes() == expected(5)


def test_reports_tell_of_the_steps_since():
    _, simulation = heat()
    simulation.run(7, progress=False)
    simulation.rebuild(decomposition=(2, 1), blocks=2)
    assert simulation.report().steps == 0
    simulation.run(3, progress=False)
    report = simulation.report()
    assert report.steps == 3
    assert max(row.count for row in report.rows if row.kind == "run") == 3
    assert report.bytes_stored == simulation.bytes_stored()


def refused(action) -> str:
    with pytest.raises(HaloclineError) as caught:
        action()
    return str(caught.value)


def test_what_is_refused_changes_nothing(monkeypatch):
    T, simulation = heat(decomposition="rows", blocks=2)
    simulation.run(2, progress=False)
    before, blocks = simulation.decomposition, T.own_boxes()
    small = hc.Decomposition(((0, 4), (0, 8)), (True, False), 1)
    for wrong in ({"decomposition": "row"}, {"blocks": 0}, {"decomposition": small}):
        refused(lambda wrong=wrong: simulation.rebuild(**wrong))
    with monkeypatch.context() as short:
        short.setattr(memory, "free_memory", lambda: 100)
        with pytest.raises(OutOfMemoryError):
            simulation.rebuild(decomposition=(2, 1), blocks=2)
    assert simulation.decomposition is before
    assert T.own_boxes() == blocks == (Box((0, 0), (12, 4)), Box((0, 4), (12, 8)))
    simulation.run(1, progress=False)
    assert T.gather().tobytes() == expected(3)


def test_blocks_are_not_shared_by_times_before_any_were_taken():
    _, simulation = heat(target="c++", decomposition=(4, 2), blocks=8)
    with pytest.raises(HaloclineError, match="the times of 0 steps, in which no kernel was timed"):
        simulation.rebalance(100)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"device": "emulated:1"}, "by the times of kernels, which run on a device"),
        ({"decomposition": hc.Bisection(np.ones(EXTENT))}, "Blocks of a list were to be shared"),
        ({"rebalance_every": -1}, "'rebalance_every'"),
    ],
)
def test_what_cannot_be_shared_anew_is_refused_before_anything_runs(options, message):
    with pytest.raises(HaloclineError, match=message):
        heat(**{"target": "c++", "rebalance_every": 10} | options)
