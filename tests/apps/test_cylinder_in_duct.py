"""Flow past a cylinder from wall to wall of a square duct, against the benchmark 3D-1Z."""

from __future__ import annotations

import numpy as np
import pytest
from flows import found, run

from halocline.apps.lbm.cases.cylinder_in_duct import CylinderInDuct
from halocline.apps.lbm.cases.sphere import Sphere
from halocline.errors import CaseError


@pytest.mark.slow
def test_drag_of_a_very_coarse_cylinder_is_near_the_benchmark():
    size = {"upstream": 2.0, "downstream": 3.0}
    case = CylinderInDuct(
        cells=4, lattice_speed=0.05, tolerance=0.0, max_convective_times=8, **size
    )
    assert found(case)["drag coefficient at the end"].measured == pytest.approx(6.185, rel=0.05)
    result, _ = run(case)
    # With 4 cells a diameter it is in the middle of the duct, which is 16 cells high.
    assert np.abs(result.series("lift_coefficient")).max() < 1e-10
    assert np.abs(result.series("side_force_coefficient")).max() < 1e-10


def test_a_cylinder_goes_from_wall_to_wall_where_the_benchmark_has_it():
    case = CylinderInDuct(cells=10)
    assert case.extent == (251, 41, 41)
    assert case.middle == pytest.approx((5.05, 2.0, 2.05))
    assert case.area == 10 * 41
    solid = case.solid()
    assert (solid == solid[:, :, :1]).all()
    x, y = np.nonzero(solid[:, :, 0])
    assert np.hypot(x + 0.5 - 50.5, y + 0.5 - 20.0).max() <= 5.0
    assert len(x) == pytest.approx(0.25 * np.pi * 10**2, rel=0.05)


def test_what_comes_in_is_what_the_benchmark_says():
    case = CylinderInDuct(cells=10, ramp=0.0, length=0.1, velocity=0.2, viscosity=1e-3)
    height, greatest = 0.41, 0.45
    y, z = np.array([0.1, 0.205, 0.3]), np.array([0.05, 0.205, 0.4])
    u, v, w = case.setup().sides["x-"].velocity(y=y, z=z)
    known = 16 * greatest * y * z * (height - y) * (height - z) / height**4
    assert u * case.units.velocity == pytest.approx(known)
    assert (v, w) == (0.0, 0.0)


def test_cells_in_the_wake_of_a_cylinder_are_halved_along_all_of_it():
    case = CylinderInDuct(cells=20, levels=1, wake=4.0, near=0.1)
    x, y, z = np.broadcast_arrays(8.0, 2.0, np.linspace(0.05, 4.05, 9))
    assert (case.wanted(x, y, z) == 1).all()
    assert (case.wanted(x, y + 1.6, z) == 0).all()


def test_only_the_benchmark_is_compared_with_the_benchmark():
    known = CylinderInDuct().known()
    assert known["drag coefficient"][0] == 6.185
    assert known["pressure difference over rho U²"][0] == pytest.approx(0.1708 / 0.2**2)
    assert CylinderInDuct(upstream=2.0).known() == {}
    assert CylinderInDuct(reynolds=100.0).known() == {}


def test_a_sphere_in_a_wide_stream_has_no_parabola():
    with pytest.raises(CaseError, match="A parabola was asked for around a sphere"):
        Sphere(sides="wall", inlet="parabola").check()
