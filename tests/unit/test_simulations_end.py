"""What a simulation takes is given back when nobody has it any more."""

import gc
from weakref import ref

import pytest

import halocline as hc


@pytest.mark.parametrize("kind", ["number", "formula", "step", "loop"])
def test_a_simulation_that_nobody_has_is_given_back(kind):
    def simulated():
        grid = hc.Grid(8, periodic=True)
        T, T_new = grid.field("T"), grid.field("T_new")

        @hc.kernel
        def scale(T, T_new, *, by):
            T_new[0] = by * T

        highest, p = hc.max(T, name="highest"), hc.Parameter(0.5)
        call = scale(T, T_new, by={"number": 2.0}.get(kind, 0.5 * highest))
        steps = [highest, call]
        if kind == "loop":
            steps = [hc.until(p > 1, *steps, hc.assign(p, p * 2 + highest))]
        simulation = hc.Simulation(
            grid, steps, dt=0.1 / (highest + 1.0) if kind == "step" else 0.1, target="numpy"
        )
        simulation.run(2, progress=False)
        return [ref(one) for one in (simulation, T, highest)]

    gone = simulated()
    gc.collect()
    assert [one() for one in gone] == [None] * 3
