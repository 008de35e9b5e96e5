"""Simulations of one grid run one after the other: each goes on with the values that there are."""

from __future__ import annotations

import numpy as np
import pytest
from many_ranks import mpi, virtual
from parallel.several_simulations import expected, run, values_and_steps

import halocline as hc


@hc.kernel
def double(T):
    T[0, 0] = 2.0 * T[0, 0]


def test_values_and_steps_go_on():
    T, steps = run()
    assert steps == (7, 2)
    np.testing.assert_allclose(T.gather(), expected(), rtol=1e-13)


@pytest.mark.parametrize("ranks", [virtual(2), virtual(3), mpi(2)], ids=str)
def test_on_ranks_the_bits_are_those_of_one(ranks):
    values, steps = ranks(values_and_steps)
    assert steps == [7, 2]
    assert np.array(values).tobytes() == run()[0].gather().tobytes()


def test_a_cell_of_a_notebook_can_be_run_again():
    grid = hc.Grid((4, 4))
    T = grid.field("T")
    for _ in range(2):
        T.set(1.0)
        T.boundary("x-", hc.Dirichlet(0.0))
        simulation = hc.Simulation(grid, [double(T)], target="numpy", threads=1)
        simulation.run(3, progress=False)
    assert simulation.step == 3
    assert (T.gather() == 8.0).all()


def test_what_an_earlier_simulation_tells_does_not_move_the_fields():
    grid = hc.Grid((4, 4))
    T = grid.field("T")
    T.set(1.0)
    first, second = (hc.Simulation(grid, [double(T)], target="numpy", threads=1) for _ in range(2))
    first.run(1, progress=False)
    second.run(1, progress=False)
    before = T.storage
    assert "steps" in str(first.report())
    assert T.storage is before


def test_between_a_processor_and_a_device():
    grid = hc.Grid((4, 4))
    T = grid.field("T")
    T.set(1.0)
    for device in ("cpu", "emulated:3", "cpu"):
        hc.Simulation(grid, [double(T)], device=device, threads=1).run(1, progress=False)
    assert (T.gather() == 8.0).all()
