"""Flow past a cylinder and a sphere against published drag, lift and frequency."""

from __future__ import annotations

import numpy as np
import pytest
from flows import found, picture_size, run

from halocline.apps.lbm.cylinder import Cylinder
from halocline.apps.lbm.sphere import Sphere


def coarse(**more):
    return Cylinder(cells=10, downstream=6.0, tolerance=1e-4, **more)


def test_drag_and_lift_of_a_coarse_cylinder_are_near_the_benchmark():
    case = coarse()
    result, _ = run(case)
    assert result.is_steady
    # Ten cells a diameter: steps in place of a circle (docs/validation.md).
    assert found(case)["drag coefficient"].measured == pytest.approx(5.58, rel=0.08)
    assert found(case)["lift coefficient"].measured == pytest.approx(0.0107, rel=0.3)


def test_drag_in_physical_units_is_the_same():
    case = coarse(length=0.1, velocity=0.2, viscosity=0.001)
    drag = found(coarse())["drag coefficient"].measured
    assert found(case)["drag coefficient"].measured == pytest.approx(drag, rel=1e-6)


def test_only_the_benchmark_is_compared_with_the_benchmark():
    assert Cylinder().known()["drag coefficient"][0] == 5.5795
    assert Cylinder(reynolds=100.0).known()["Strouhal number"][0] == 0.3
    assert Cylinder(reynolds=50.0).known() == {}
    assert Cylinder(above=3.0).known() == {}


def test_the_frequency_of_the_lift_is_the_strouhal_number():
    case = coarse()
    result, _ = run(case)
    unit = case.scaling.length / case.scaling.speed * case.units.step
    time = np.linspace(0.0, 40.0 * unit, 801)
    history = np.zeros((801, result.history.shape[1]))
    history[:, 0] = time
    names = [integral.name for integral in result.problem.integrals]
    history[:, 1 + names.index("lift_coefficient")] = 0.1 + 0.5 * np.sin(
        2 * np.pi * 0.3 * time / unit
    )
    assert case.strouhal(result) is None
    swinging = type(result)(case, _never_steady(result.problem), history, 0, 0.0)
    assert case.strouhal(swinging) == pytest.approx(0.3, rel=1e-3)


def _never_steady(problem):
    """Return the problem without what says that it is steady."""
    from dataclasses import replace

    return replace(problem, change=None)


def test_a_sphere_feels_no_force_across_the_stream():
    case = Sphere(
        cells=6,
        upstream=2.0,
        downstream=4.0,
        below=2.0,
        above=2.0,
        tolerance=0.0,
        max_convective_times=4,
    )
    result, _ = run(case)
    assert np.abs(result.series("lift_coefficient")).max() < 1e-10
    assert np.abs(result.series("side_force_coefficient")).max() < 1e-10
    # A narrow stream: more than in an unbounded one.
    drag, known = result.series("drag_coefficient")[-1], case.known()["drag coefficient"][0]
    assert known < drag < 2.5 * known


def test_the_picture_of_a_cylinder_is_drawn(tmp_path):
    assert picture_size(coarse(), tmp_path) > 50_000


@pytest.mark.slow
def test_cylinder_of_schaefer_and_turek_2d_1(record):
    """Steps in place of a circle: the error falls with the cell size, so two grids give its end."""
    drags, lifts, seconds = [], [], 0.0
    for cells in (20, 40):
        case = Cylinder(cells=cells, tolerance=0.0, max_convective_times=80)
        result, _ = run(case)
        seconds += result.seconds
        drags.append(found(case)["drag coefficient"].measured)
        lifts.append(found(case)["lift coefficient"].measured)
    title = "cylinder 2D-1, D = 40 cells, TRT"
    off, lift_off = abs(drags[1] / 5.5795 - 1.0), abs(lifts[1] / 0.01062 - 1.0)
    end = abs((2.0 * drags[1] - drags[0]) / 5.58 - 1.0)
    record(title, "drag against Schäfer & Turek, relative", off, 0.03, seconds)
    record(title, "the same, D = 20 and 40 to cells of size 0", end, 0.01, seconds)
    record(title, "lift against Schäfer & Turek, relative", lift_off, 0.05, seconds)
    assert off <= 0.03
    assert end <= 0.01
    assert lift_off <= 0.05


@pytest.mark.slow
def test_cylinder_of_schaefer_and_turek_2d_2(record):
    case = Cylinder(cells=20, reynolds=100.0, tolerance=0.0, max_convective_times=80)
    result, _ = run(case)
    off = abs(found(case)["Strouhal number"].measured - 0.3)
    record("cylinder 2D-2, D = 20 cells, TRT", "Strouhal number", off, 0.005, result.seconds)
    assert off <= 0.005


@pytest.mark.slow
def test_sphere_at_reynolds_20(record):
    case = Sphere(cells=12, tolerance=0.0, max_convective_times=25)
    result, _ = run(case)
    off = abs(found(case)["drag coefficient"].error)
    title = "sphere Re 20, D = 12 cells, 8 D wide, TRT"
    record(title, "drag against Schiller & Naumann, relative", off, 0.1, result.seconds)
    assert off <= 0.1
