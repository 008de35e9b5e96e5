"""Shear waves on a stream, from the eigenvalues of one step: how fast they are carried along."""

from __future__ import annotations

import numpy as np
import pytest

from halocline.apps.lbm.collision.relaxation import MAGIC
from halocline.lbm import central, cumulant, equilibrium, trt, velocity_set

TAU = 0.52


def step(name, collision, stream, k, tau=TAU):
    """Return the matrix of one step for small waves exp(i k x) on a uniform stream."""
    lattice = velocity_set(name)
    size, small = len(lattice), 1e-6
    rest = np.array([float(f) for f in equilibrium(lattice, 1.0, list(stream))])
    shifted = rest[:, None] + small * np.concatenate([np.eye(size), -np.eye(size)], axis=1)
    after = np.array(collision(lattice, list(shifted), 1.0 / tau, ()))
    slopes = (after[:, :size] - after[:, size:]) / (2.0 * small)
    return np.exp(-1j * np.array(lattice.velocities) @ k)[:, None] * slopes


def speed_error(name, collision, stream, k):
    """Return how much too fast shear waves are, over the stream's speed along k and k²."""
    values = np.linalg.eigvals(step(name, collision, stream, k))
    viscosity, square = (TAU - 0.5) / 3.0, k @ k
    carried = np.exp(-1j * (k @ stream))
    waves = values[np.argsort(abs(values - carried * np.exp(-viscosity * square)))[: len(k) - 1]]
    return -np.log(waves / carried).imag / (k @ stream) / square


@pytest.mark.parametrize("name", ["D2Q9", "D3Q19", "D3Q27"])
@pytest.mark.parametrize("magic", [MAGIC, 1.0 / 12.0])
def test_odd_moments_delay_waves_with_two_rates_but_not_in_the_frame_of_the_flow(name, magic):
    stream, k = np.zeros((2, int(name[1])))
    stream[0], k[0] = 0.05, 0.2
    assert speed_error(name, trt(magic), stream, k) == pytest.approx(-2.0 / 3.0 * magic, rel=0.02)
    assert np.abs(speed_error(name, central(magic), stream, k)).max() < 1e-3


@pytest.mark.parametrize("name", ["D2Q9", "D3Q27"])
def test_along_diagonals_the_second_rate_makes_no_difference(name):
    axes = int(name[1])
    stream, k = np.array([0.04, 0.02, 0.01])[:axes], np.full(axes, 0.1)
    first, second = (speed_error(name, central(magic), stream, k) for magic in (MAGIC, 1e-3))
    assert first == pytest.approx(second, abs=1e-3)


def test_on_a_square_no_stream_makes_waves_grow():
    def growth(collision, stream):
        waves = np.pi * np.arange(-8, 9) / 8
        steps = [
            step("D2Q9", collision, np.array(stream), np.array([x, y]), 0.503)
            for x in waves
            for y in waves
        ]
        return np.abs(np.linalg.eigvals(np.array(steps))).max() - 1.0

    for stream in ((0.1, 0.0), (0.1, 0.1), (0.1, 0.05)):
        assert growth(central(), stream) < 1e-9
    assert growth(trt(), (0.1, 0.05)) > 1e-4


@pytest.mark.parametrize("along", [(1, 0, 0), (1, 1, 0), (2, 1, 0), (1, 1, 1)])
def test_cumulants_have_viscous_errors_of_fourth_order(along):
    def error(collision, k):
        """Return how wrong the viscosity of shear waves is, relative to it."""
        wave = np.array(along) / np.linalg.norm(along) * k
        values = np.linalg.eigvals(step("D3Q27", collision, np.zeros(3), wave))
        decay = (TAU - 0.5) / 3.0 * k**2
        shear = values[np.argsort(abs(values - np.exp(-decay)))[:2]]
        return np.abs(np.log(abs(shear)) / decay + 1.0).max()

    coarse, fine = (error(cumulant, k) for k in (0.4, 0.2))
    assert coarse < 0.002
    assert coarse / fine > 2**3.2
    assert error(central(), 0.4) > 0.005
