"""What plans, reports and predictions say of numbers that are known at run time."""

import numpy as np

import halocline as hc
from halocline.tune.iterations import assumption


def simulated(*, max_iterations=1000):
    grid = hc.Grid((8, 8), periodic=True)
    T, T_new = grid.field("T"), grid.field("T_new")

    @hc.kernel
    def scale(T, T_new, *, by, other, time):
        T_new[0, 0] = by * T + other + time + 0.0 * hc.random(seed=1)

    p, highest = hc.Parameter(0.5, "p"), hc.max(T, name="highest")
    call = scale(T, T_new, by=0.1 * highest / p, other=2.0, time=hc.time)
    steps = [highest, call, hc.until(p > 1, hc.assign(p, 2 * p), max_iterations=max_iterations)]
    return hc.Simulation(grid, steps, target="numpy", threads=1)


def test_a_plan_says_what_kernels_are_told_of_numbers_that_change():
    (line,) = (one for one in str(simulated().plan).splitlines() if one.startswith("  run"))
    assert line.endswith("64 cells in 1 box, by = (0.1 * highest) / p")


def test_a_report_says_how_many_iterations_the_model_assumes():
    simulation = simulated()
    simulation.run(1, progress=False)
    assert "the model takes a loop of 'until' for 10 iterations" in str(simulation.report())
    assert assumption(simulated(max_iterations=3).plan.steps).endswith("for 3 iterations")
    assert np.isfinite(simulation.fields["T_new"][...]).all()


def test_nothing_is_assumed_of_steps_without_such_loops():
    grid = hc.Grid(8, periodic=True)
    T = grid.field("T")

    @hc.kernel
    def double(T):
        T[0] = 2.0 * T

    simulation = hc.Simulation(grid, [hc.repeat(3, double(T))], target="numpy")
    assert assumption(simulation.plan.steps) == ""
