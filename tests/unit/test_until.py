"""Numbers that steps compute, and loops that go on until a condition holds."""

import pytest
from loops import PROBLEMS, STEPS, STRATEGIES, differences

import halocline as hc
from halocline.io import checkpoint


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("name", PROBLEMS)
def test_the_same_as_numpy_with_every_strategy_on_blocks(name, strategy):
    options = {"strategy": STRATEGIES[strategy], "decomposition": (2, 1), "blocks": 2}
    assert differences(name, **options) == []


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("options", [{"target": "numpy"}, {"device": "emulated:3"}, {}])
def test_the_same_as_numpy_on_every_target(name, options):
    assert differences(name, strategy=hc.Strategy(), **options) == []


def run_on(problem, steps, **options):
    simulation = hc.Simulation(
        problem.grid, problem.steps, strategy=hc.Strategy(), **problem.options, **options
    )
    simulation.run(steps, progress=False)
    return simulation


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_plan_from_a_file_computes_the_same(name, tmp_path):
    first = PROBLEMS[name]()
    made = hc.Simulation(
        first.grid, first.steps, strategy=STRATEGIES["rim first"], blocks=2, **first.options
    )
    made.write_plan(tmp_path / "loops.plan")
    problem = PROBLEMS[name]()
    options = {**problem.options, "plan": tmp_path / "loops.plan"}
    simulation = hc.Simulation(problem.grid, problem.steps, **options)
    simulation.run(STEPS, progress=False)
    assert problem.differences(simulation) == []
    assert str(simulation.plan) == str(made.plan)


@pytest.mark.parametrize("name", ["conjugate gradients", "trial steps", "swapped"])
def test_a_run_goes_on_from_a_checkpoint_with_the_same_bits(name, tmp_path):
    first = PROBLEMS[name]()
    checkpoint.save(run_on(first, 1), tmp_path / "loops.npz")
    second = PROBLEMS[name]()
    simulation = run_on(second, 0)
    checkpoint.load(simulation, tmp_path / "loops.npz")
    simulation.run(STEPS - 1, progress=False)
    assert second.differences(simulation) == []


@pytest.mark.parametrize("name", PROBLEMS)
def test_blocks_are_replaced_on_the_way(name):
    problem = PROBLEMS[name]()
    simulation = run_on(problem, 1)
    simulation.rebuild(decomposition=(1, 2), blocks=2)
    simulation.run(STEPS - 1, progress=False)
    assert problem.differences(simulation) == []


@hc.kernel
def grow(u, *, rate):
    u[0] = u[0] + rate * u[0]


def test_the_length_of_a_step_that_follows_from_fields(tmp_path):
    def made():
        grid = hc.Grid((8,))
        u = grid.field("u")
        u.set(1.0)
        dt = 0.5 / hc.max(u)
        return grid, hc.Simulation(grid, [dt, grow(u, rate=dt)], dt=dt, strategy=hc.Strategy())

    def expected(steps):
        u, time = 1.0, 0.0
        for _ in range(steps):
            dt = 0.5 / u
            u, time = u + dt * u, time + dt
        return u, time

    grid, simulation = made()
    assert simulation.time == 0.0
    simulation.run(3, progress=False)
    assert (grid.fields["u"].gather()[0], simulation.time) == expected(3)
    assert hc.time.value == simulation.time
    checkpoint.save(simulation, tmp_path / "time.npz")
    simulation.rebuild(blocks=2)
    simulation.run(2, progress=False)
    assert (grid.fields["u"].gather()[0], simulation.time) == expected(5)
    grid, other = made()
    checkpoint.load(other, tmp_path / "time.npz")
    other.run(2, progress=False)
    assert (grid.fields["u"].gather()[0], other.time) == expected(5)


def test_steps_done_once_with_formulas_and_loops_are_planned_once():
    grid = hc.Grid((8,))
    u = grid.field("u")
    simulation = hc.Simulation(grid, [print], check_every=0)
    rate = hc.Parameter(0.0, "rate")
    for number in range(1, 4):
        u.set(1.0)
        rate.value = float(number)
        largest = hc.max(u)
        loop = hc.until(largest > 100 * rate, grow(u, rate=2 * rate), largest)
        simulation.execute(loop)
        value, passes = 1.0, 0
        while passes == 0 or value <= 100 * number:
            value, passes = value + 2 * number * value, passes + 1
        assert (u.gather()[0], largest.value, loop.iterations.value) == (value, value, passes)


def test_a_loop_in_the_printed_plan():
    problem = PROBLEMS["trial steps"]()
    lines = [line.strip() for line in str(run_on(problem, 1).plan).splitlines()]
    assert "loop    until error <= 0.125, at most 20 times" in lines
    assert "compute dt = where((error > 0.125), (0.5 * dt), dt)" in lines


def test_the_number_of_iterations_is_a_whole_number():
    grid = hc.Grid(4)
    T = grid.field("T")

    @hc.kernel
    def cool(T):
        T[0] = 0.5 * T

    T.set(8.0)
    loop = hc.until(hc.max(T) < 1.5, cool(T))
    simulation = hc.Simulation(grid, [loop])
    assert str(loop.iterations.value) == "0"
    simulation.run(1, progress=False)
    assert str(loop.iterations.value) == "3"
    assert isinstance(hc.step.value, int)
    assert (loop.iterations / 2).value == 1.5
