"""Wrong steps, targets, devices and runs, and what a user is told."""

from __future__ import annotations

import math

import numpy as np
import pytest
from errors.telling import told

import halocline as hc
from halocline.errors import DivergedError, GridError, KernelError, PlanError
from halocline.plan.pipeline import plan_for
from halocline.targets import source_for


def test_unknown_target(grid):
    assert told(PlanError, lambda: hc.Simulation(grid, [lambda: None], target="numpi")) == (
        "There is no target 'numpi'. Did you mean 'numpy'?"
    )


def test_a_target_of_a_device_is_not_chosen_by_itself(grid):
    assert told(PlanError, lambda: hc.Simulation(grid, [lambda: None], target="cuda")) == (
        "The target 'cuda' was asked for; expected c++ or numpy, and the text for a device follows "
        "from 'device'. Write device='cuda'; 'halocline show code CASE --target cuda' prints the "
        "kernels."
    )


@pytest.mark.parametrize(
    ("device", "message"),
    [
        (
            "emulate",
            "There is no device 'emulate'; expected cpu, cuda, auto or emulated. "
            "Did you mean 'emulated'?",
        ),
        (
            "gpu:1",
            "There is no device 'gpu:1'; expected cpu, cuda, auto or emulated. "
            "Did you mean 'cuda'?",
        ),
        (
            "cpu:1",
            "The device 'cpu:1' was asked for; only 'cuda' and 'emulated' take a number.",
        ),
        ("cuda:x", "The device 'cuda:x' has the number 'x'; expected 0, 1, 2, …"),
    ],
)
def test_unknown_devices(grid, device, message):
    assert told(PlanError, lambda: hc.Simulation(grid, [lambda: None], device=device)) == message


def test_a_target_without_text_is_not_shown(grid):
    assert told(PlanError, lambda: source_for(grid, [], "numpy")) == (
        "There is no text for the target 'numpy'. Known are: c++, cuda."
    )


def test_swap_of_different_types(grid, T):
    other = grid.field("f", components=2, dtype="float32")
    assert told(GridError, lambda: hc.swap(T, other)) == (
        "'swap' was given 'T' (float64, 1 components, soa) and 'f' (float32, 2 components, soa); "
        "expected fields of one type."
    )


def test_steps_with_a_kernel_that_was_not_called(grid):
    @hc.kernel
    def heat(T):
        T[0, 0] = 1.0

    message = told(PlanError, lambda: hc.Simulation(grid, [heat]))
    assert message.endswith(
        "stands in the list of steps; expected a called kernel, swap, repeat, every, until, "
        "assign, a reduction or a function. Call the kernel with its fields: heat(T, T_new, a=0.1)."
    )


@pytest.mark.parametrize("count", [0, 1.5])
def test_repeat_of_an_impossible_number(count):
    assert told(PlanError, lambda: hc.repeat(count)) == (
        f"'repeat' was given {count!r}; expected a whole number of at least 1."
    )


@pytest.mark.parametrize(
    ("name", "value", "least"),
    [
        ("check_every", -1, 0),
        ("check_every", 2.5, 0),
        ("blocks", None, 1),
        ("ranks_per_node", 0, 1),
    ],
)
def test_an_option_that_is_no_whole_number(grid, T, name, value, least):
    assert told(PlanError, lambda: hc.Simulation(grid, [lambda: None], **{name: value})) == (
        f"'{name}' was given {value!r}; expected a whole number of at least {least}."
    )


@pytest.mark.parametrize("dt", [None, "0.1", [0.1]])
def test_a_time_step_that_is_no_number(grid, dt):
    assert told(PlanError, lambda: hc.Simulation(grid, [lambda: None], dt=dt)) == (
        f"'dt' was given {dt!r}; expected a finite number."
    )


def test_a_time_step_that_is_not_finite(grid):
    assert told(PlanError, lambda: hc.Simulation(grid, [lambda: None], dt=math.nan)) == (
        "'dt' was given nan; expected a finite number."
    )


@pytest.mark.parametrize("steps", [-3, 2.5, "10", None])
def test_a_run_of_an_impossible_number_of_steps(grid, T, steps):
    simulation = hc.Simulation(grid, [lambda: None], target="numpy")
    assert told(PlanError, lambda: simulation.run(steps)) == (
        f"'run' was given {steps!r}; expected a whole number of at least 0."
    )
    assert T.storage is None


@pytest.mark.parametrize("value", ["abc", "1.0", None, [1.0, 2.0], 1j])
def test_a_parameter_that_is_given_no_number(value):
    parameter = hc.Parameter(1.0, "a")

    def give() -> None:
        parameter.value = value

    assert told(KernelError, give) == f"The parameter 'a' was given {value!r}; expected a number."
    assert told(KernelError, lambda: hc.Parameter(value, "a")).startswith("The parameter 'a'")
    assert parameter.value == 1.0


def simulated(grid, *steps, **options):
    steps = steps or (lambda: None,)
    simulation = hc.Simulation(grid, steps, target="numpy", threads=1, **options)
    simulation.run(0, progress=False)
    return simulation


@pytest.mark.parametrize("shape", [(6, 8), (6,), (1, 8, 6)])
def test_values_of_the_wrong_shape(grid, T, shape):
    expected = (
        f"Field 'T' was given values of shape {shape}; expected (8, 6). The axes are x, y; one "
        "along which values do not change may have one entry."
    )
    assert told(GridError, lambda: T.set(np.zeros(shape))) == expected
    assert told(GridError, lambda: T.set(lambda x, y: np.zeros(shape))) == expected


def test_one_number_for_each_component(grid):
    f = grid.field("f", components=3)
    assert told(GridError, lambda: f.set([1.0, 2.0, 3.0])) == (
        "Field 'f' was given values of shape (3,); expected (3, 8, 6). The axes are component, x, "
        "y; one along which values do not change may have one entry."
    )


def test_simulation_run_by_a_function_of_another_one_of_the_same_grid(grid, T):
    inner = hc.Simulation(grid, [lambda: None], target="numpy", threads=1)
    outer = hc.Simulation(grid, [lambda: inner.run(1)], target="numpy", threads=1)
    assert told(PlanError, lambda: outer.run(1, progress=False)) == (
        "'run' was called by a function of the step, whose fields are in use. Call it between two "
        "runs."
    )


@pytest.mark.parametrize(
    ("call", "action"),
    [
        ("reduce", lambda simulation, T: simulation.reduce(hc.sum(T))),
        ("execute", lambda simulation, T: simulation.execute(hc.swap(T, T.grid.field("U")))),
    ],
)
def test_a_function_of_the_step_that_wants_more_done(grid, T, call, action):
    simulation = hc.Simulation(grid, [lambda: action(simulation, T)], target="numpy", threads=1)
    assert told(PlanError, lambda: simulation.run(1, progress=False)) == (
        f"'{call}' was called by a function of the step, whose fields are in use. Put it among the "
        "steps, maybe in hc.every(…): a reduction there has its result in 'value'. Or call it "
        "between two runs."
    )


def test_a_function_of_the_step_that_runs_it(grid, T):
    simulation = hc.Simulation(grid, [lambda: simulation.run(1)], target="numpy", threads=1)
    assert told(PlanError, lambda: simulation.run(1, progress=False)).startswith(
        "'run' was called by a function of the step"
    )


def test_reduction_of_a_field_of_another_grid(grid, T):
    other = hc.Grid((4, 4)).field("other")
    assert told(GridError, lambda: plan_for(grid, [hc.sum(other)])) == (
        "The reduction 'sum' uses the field 'other', which is not on the simulation's grid."
    )


def test_steps_done_once_that_read_further_than_fields_are_stored(grid, T, out):
    @hc.kernel
    def left(T, out):
        out[0, 0] = T[-1, 0]

    simulation = simulated(grid)
    assert told(PlanError, lambda: simulation.execute(left(T, out))) == (
        "Field 'T' would need a halo of 1 cells, but is stored with 0. Put the kernel into the "
        "steps of the simulation, then its halo is known."
    )


@pytest.mark.parametrize("components", [1, 2])
def test_a_value_that_is_no_number_names_field_cell_and_step(components):
    grid = hc.Grid((8, 6), periodic=True)
    f = grid.field("f", components=components)

    @hc.kernel
    def grow(f, *, s):
        last = f[components - 1] if components > 1 else f
        cell = hc.where((hc.index("x") == 3) & (hc.index("y") == 4), 1.0, 0.0)
        value = last[0, 0] + hc.sqrt(2.5 - cell * s)
        if components > 1:
            f[components - 1] = value
        else:
            f[0, 0] = value

    simulation = hc.Simulation(grid, [grow(f, s=hc.step)], target="numpy", threads=1, check_every=1)
    which = " component 1" if components > 1 else ""
    assert told(DivergedError, lambda: simulation.run(10, progress=False)) == (
        f"Field 'f'{which} is not a number in cell (3, 4) at step 4. The computation has become "
        "unstable: use a smaller time step, a finer grid or a larger viscosity."
    )
