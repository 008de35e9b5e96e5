"""A run that leads to values outside of the limits of a field fails; growth without bound does."""

from __future__ import annotations

import numpy as np
import pytest

import halocline as hc
from halocline.errors import DivergedError


@hc.kernel
def grow(u, *, by):
    u[0, 0] = by * u[0, 0]


def simulated(by=10.0, dtype="float64", **options):
    grid = hc.Grid((6, 5))
    u = grid.field("u", dtype=dtype)
    u.set(lambda x, y: np.where((x == 2.5) & (y == 3.5), 1, 0))
    return hc.Simulation(grid, [grow(u, by=by)], **options), u


@pytest.mark.parametrize("device", ["cpu", "emulated:3"])
def test_growth_without_bound_is_an_error_though_all_values_are_numbers(device):
    simulation, _ = simulated(by=100.0, device=device)
    with pytest.raises(DivergedError) as found:
        simulation.run(150, progress=False)
    assert str(found.value).endswith(
        "Field 'u' is 1e+200 in cell (2, 3) at step 100; expected values from -1e+100 to 1e+100. "
        "The computation has become unstable: use a smaller time step, a finer grid or a larger "
        "viscosity. If such values are right, 'limits(…)' of the field says so."
    )


@pytest.mark.parametrize(("dtype", "steps"), [("float32", 31), ("float64", 101)])
def test_the_end_of_a_run_is_looked_at_too(dtype, steps):
    simulation, _ = simulated(dtype=dtype, check_every=1000)
    simulation.run(steps - 2, progress=False)
    with pytest.raises(DivergedError, match="'u' is 1e"):
        simulation.run(2, progress=False)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32"])
def test_limits_of_a_field_hold_for_its_values(dtype):
    simulation, u = simulated(by=2 if dtype == "int32" else 2.0, dtype=dtype, check_every=1)
    u.limits(0, 8)
    simulation.run(3, progress=False)
    with pytest.raises(DivergedError, match=r"'u' is 16 in cell \(2, 3\) at step 4; .* 0 to 8\."):
        simulation.run(2, progress=False)


def test_limits_may_change_between_two_runs():
    simulation, u = simulated(by=2.0, check_every=1)
    simulation.run(3, progress=False)
    u.limits(high=9)
    with pytest.raises(DivergedError, match=r"at step 4; expected values from -inf to 9\."):
        simulation.run(1, progress=False)
    u.limits()
    simulation.run(1, progress=False)


def test_values_of_any_size_are_right_if_limits_say_so():
    simulation, u = simulated(check_every=1)
    u.limits()
    u.set(np.inf)
    simulation.run(2, progress=False)
    u.set(np.nan)
    with pytest.raises(DivergedError, match="'u' is not a number in cell"):
        simulation.run(1, progress=False)


def told():
    simulation, u = simulated(by=2.0, check_every=1)
    u.limits(high=9)
    try:
        simulation.run(9, progress=False)
    except DivergedError as error:
        return str(error)
    return ""


def test_all_ranks_tell_of_the_same_value():
    assert set(hc.on_virtual_ranks(3, told)) == {told()}


def test_limits_that_allow_nothing_are_refused():
    u = hc.Grid((6, 5)).field("u")
    with pytest.raises(
        hc.HaloclineError, match=r"'u' was given the limits 3 and 3; expected the l"
    ):
        u.limits(3, 3)
    with pytest.raises(hc.HaloclineError, match=r"'u' was given the limits nan and 3; expected"):
        u.limits(np.nan, 3)
    with pytest.raises(
        hc.HaloclineError, match=r"'high' of field 'u' was given '3'; expected a nu"
    ):
        u.limits(1, "3")
