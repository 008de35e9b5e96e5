"""Thin shear layers roll up into two vortices, not more."""

from __future__ import annotations

import numpy as np
import pytest
from flows import found, picture_size, run
from spectral import shear_layers

import halocline as hc
from halocline.apps.lbm.cases.shear_layer import ShearLayer, count_vortices
from halocline.apps.lbm.collision.relaxation import stress

GREATEST = "greatest vorticity over the greatest at the beginning"


def layers(cells, **more):
    return ShearLayer(cells=cells, lattice_speed=0.1, **more)


def whirls(centres, cells=96, width=0.06):
    """Return the velocity gradient of Gaussian vortices with vorticity 1 in their middle."""
    x = (np.arange(cells) + 0.5) / cells
    gradient = np.zeros((2, 2, cells, cells))
    for middle in centres:
        dx, dy = (np.mod(x - m + 0.5, 1.0) - 0.5 for m in middle)
        dx, dy = dx.reshape(-1, 1) / width, dy / width
        fall = 0.5 * np.exp(-0.5 * (dx**2 + dy**2))
        # u = -y fall, v = x fall.
        gradient += np.array(
            [[dx * dy * fall, (dy**2 - 1) * fall], [(1 - dx**2) * fall, -dx * dy * fall]]
        )
    return gradient


@pytest.mark.parametrize(
    "centres",
    [
        [],
        [(0.5, 0.5)],
        [(0.0, 0.5)],
        [(0.0, 0.0), (0.5, 0.4)],
        [(0.2, 0.3), (0.9, 1.0), (0.6, 0.6)],
    ],
)
def test_vortices_are_counted_once_beyond_sides_too(centres):
    assert count_vortices(whirls(centres), 1.0) == len(centres)


def test_a_layer_is_no_vortex():
    y = (np.arange(64) + 0.5) / 64
    gradient = np.zeros((2, 2, 64, 64))
    gradient[0, 1] = 1.0 / np.cosh(20.0 * (y - 0.5)) ** 2
    assert count_vortices(gradient, 1.0) == 0


def test_thick_layers_roll_up_into_two_vortices():
    case = layers(64, reynolds=2000.0, steepness=20.0)
    assert found(case)["vortices"].measured == 2
    assert 0.3 < found(case)[GREATEST].measured < 1.0


def test_layers_that_are_not_resolved_make_more():
    case = layers(128, collision="bgk")
    assert found(case)["vortices"].measured > 2


def test_the_first_flow_is_what_was_asked_for():
    case = layers(64, reynolds=2000.0, steepness=10.0, perturbation=0.1)
    problem = case.problem()
    simulation = hc.Simulation(problem.grid, problem.steps, threads=1)
    simulation.execute(problem.flow.observe)
    u, v = problem.flow.velocity.gather() / 0.1
    x = (np.arange(64) + 0.5) / 64
    y = np.where(x < 0.5, x - 0.25, 0.75 - x)
    assert u == pytest.approx(np.tile(np.tanh(10.0 * y), (64, 1)), abs=1e-14)
    assert v[:, 0] == pytest.approx(0.1 * np.sin(2 * np.pi * (x + 0.25)), abs=1e-14)
    stress_xy = stress(problem.flow.velocity_set, list(problem.flow.f.gather()))[0, 1]
    strain = np.gradient(u, axis=1) + np.gradient(v, axis=0)
    expected = -(1 - case.scaling.omega) / case.scaling.omega / 3.0 * 0.1 * strain
    inside = np.s_[1:-1, 1:31]
    off = np.abs(stress_xy - expected)[inside].max()
    assert off < 0.02 * np.abs(expected).max()


def test_the_vorticity_is_drawn(tmp_path):
    case = layers(64, reynolds=2000.0, steepness=20.0)
    assert picture_size(case, tmp_path) > 20_000


@pytest.mark.slow
@pytest.mark.parametrize("collision", ["central", "mrt"])
def test_thin_layers_keep_two_vortices_and_their_enstrophy(collision, record):
    case = ShearLayer(collision=collision)
    result, _ = run(case)
    numbers = found(case)
    expected = shear_layers(1e-4, 256, 1.0, 640)
    off = {
        ("vortices, difference from two", "Minion & Brown 1997"): (
            abs(numbers["vortices"].measured - 2),
            0.0,
        ),
        (GREATEST, "maximum principle"): (numbers[GREATEST].measured, 1.0),
        ("enstrophy at the end, relative", "spectral program"): (
            abs(result.series("enstrophy")[-1] / expected - 1.0),
            0.03,
        ),
    }
    title = f"shear layers, kappa 80, 256x256, {collision}"
    for (quantity, source), (found_off, accepted) in off.items():
        record(title, quantity, source, found_off, accepted, result.seconds)
    assert all(found_off <= accepted for found_off, accepted in off.values()), off
