"""Time levels: fields whose contents move on by one."""

import numpy as np
import pytest
from errors.telling import told

import halocline as hc
from halocline.errors import GridError, PlanError


@hc.kernel
def wave(u_old, u, u_new):
    u_new[0, 0] = 2.0 * u - u_old + 0.1 * hc.laplacian(u)


@pytest.fixture
def levels():
    grid = hc.Grid((12, 10), periodic=True)
    fields = [grid.field(name) for name in ("u_old", "u", "u_new")]
    for field in fields:
        field.set(np.random.default_rng(1).random((12, 10)))
    return fields


@pytest.mark.parametrize("steps", [1, 2, 3, 7])
@pytest.mark.parametrize("options", [{}, {"blocks": 3}, {"strategy": hc.Strategy(depth=2)}])
def test_what_is_new_becomes_present_and_what_is_present_old(levels, steps, options):
    simulation = hc.Simulation(
        levels[0].grid, [wave(*levels), hc.rotate(*levels)], threads=1, target="numpy", **options
    )
    simulation.run(steps, progress=False)
    old = now = np.random.default_rng(1).random((12, 10))
    for _ in range(steps):
        around = sum(np.roll(now, way, axis) for axis in (0, 1) for way in (1, -1))
        old, now = now, 2.0 * now - old + 0.1 * (around - 4.0 * now)
    assert np.allclose(levels[0].gather(), old, atol=1e-13)
    assert np.allclose(levels[1].gather(), now, atol=1e-13)


def test_the_plan_says_which_fields_take_turns(levels):
    simulation = hc.Simulation(levels[0].grid, [wave(*levels), hc.rotate(*levels)])
    assert "step 2 as step 1 with u_new for u, u_old for u_new, u for u_old" in str(simulation.plan)


def test_a_rotation_moves_values_by_one_field(levels):
    for number, field in enumerate(levels):
        field.set(float(number))
    simulation = hc.Simulation(levels[0].grid, [hc.rotate(*levels)], target="numpy")
    simulation.run(1, progress=False)
    assert [field.gather()[0, 0] for field in levels] == [1.0, 2.0, 0.0]


def test_what_cannot_take_turns(levels):
    single = levels[0].grid.field("single", dtype="float32")
    assert told(PlanError, lambda: hc.rotate(levels[0])) == (
        "'rotate' was given 1 field(s); expected at least two fields."
    )
    assert told(PlanError, lambda: hc.rotate(levels[0], levels[1], levels[0])) == (
        "'rotate' was given the field 'u_old' twice; expected different fields."
    )
    assert told(PlanError, lambda: hc.rotate(levels[0], 3)) == (
        "'rotate' was given 3; expected at least two fields."
    )
    assert told(GridError, lambda: hc.rotate(*levels, single)) == (
        "'rotate' was given 'u_old' (float64, 1 components, soa) and 'single' (float32, 1 "
        "components, soa); expected fields of one type."
    )
