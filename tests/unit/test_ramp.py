"""Ramps: from 0 to 1 without a jump in slope or curvature, of numbers and of the time."""

from __future__ import annotations

import numpy as np
import pytest

import halocline as hc
from halocline.errors import KernelError


def test_a_ramp_rises_from_0_to_1_and_stays_there():
    assert list(hc.ramp(np.array([-1.0, 0.0, 2.0, 4.0, 9.0]), 4.0)) == [0.0, 0.0, 0.5, 1.0, 1.0]
    assert (np.diff(hc.ramp(np.linspace(0.0, 4.0, 100), 4.0)) > 0.0).all()


@pytest.mark.parametrize("end", [0.0, 4.0])
def test_slope_and_curvature_do_not_jump_where_a_ramp_begins_and_ends(end):
    h = 1e-3
    before, at, after = hc.ramp(np.array([end - h, end, end + h]), 4.0)
    assert abs(after - before) / (2.0 * h) < 1e-6
    assert abs(before - 2.0 * at + after) / h**2 < 1e-3


def test_a_kernel_multiplies_by_a_ramp_of_the_time():
    grid = hc.Grid((4, 4), periodic=True)
    u = grid.field("u")

    @hc.kernel
    def add(u, *, time):
        u[0, 0] = u[0, 0] + hc.ramp(time, 4.0)

    hc.Simulation(grid, [add(u, time=hc.time)], dt=2.0, threads=1).run(4, progress=False)
    assert u.gather()[1, 2] == 2.5  # at 0, 2, 4 and 6


@pytest.mark.parametrize("duration", [0.0, -1.0, float("nan"), "1"])
def test_a_ramp_without_a_duration_is_refused(duration):
    with pytest.raises(KernelError) as caught:
        hc.ramp(hc.time, duration)
    assert f"'duration' of 'hc.ramp' was given {duration!r}; expected a number above 0." in str(
        caught.value
    )
