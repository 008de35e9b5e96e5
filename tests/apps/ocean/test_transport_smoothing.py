"""Diffusion of the vertically integrated transports, which GETM calls An."""

from __future__ import annotations

import numpy as np
import pytest
from basins import DEEP, FRICTIONLESS, Run

from halocline.apps.ocean.setup.domain import Domain
from halocline.apps.ocean.setup.setup import Setup
from halocline.errors import CaseError

N, WIDTH, STEP, SMOOTHING = 16, 100.0, 2.0, 40.0


def shear(depth, profile, steps=10, smoothing=SMOOTHING):
    """Return by which factors the steps change a transport along x that differs along y alone."""
    domain = Domain(depth, (WIDTH, WIDTH), periodic=(True, bool(np.isfinite(depth).all())))
    smooth = {"transport_diffusivity": smoothing, "advection": "none", "drag": FRICTIONLESS}
    run = Run(Setup(domain, STEP, 1, **smooth, **DEEP), target="numpy")
    first = np.broadcast_to(profile, run.U.shape).copy()
    found = run.start(U=first).steps(steps).U
    wet = np.isfinite(depth[0])
    return (found / np.where(first == 0.0, 1.0, first))[:, wet]


def test_a_shear_decays_as_fast_as_the_diffusion_of_its_wave():
    wave = 1e-3 * np.cos(2.0 * np.pi * (np.arange(N) + 0.5) / N)
    rate = SMOOTHING * STEP * (2.0 * np.sin(np.pi / N) / WIDTH) ** 2
    assert shear(np.full((N, N), 10.0), wave) == pytest.approx((1.0 - rate) ** 10, rel=1e-9)


def test_a_coast_does_not_slow_down_what_flows_along_it():
    depth = np.full((N, N), 10.0)
    depth[:, [0, -1]] = np.nan
    even = np.where(np.isfinite(depth[0]), 1e-3, 0.0)
    assert shear(depth, even) == pytest.approx(1.0, abs=1e-13)


def test_a_diffusivity_of_cells_acts_at_corners_as_the_mean_of_the_water_around():
    depth = np.full((N, N), 10.0)
    depth[:, [0, -1]] = np.nan
    smoothing = np.broadcast_to(np.linspace(10.0, 40.0, N), (N, N))
    flow = np.where(np.isfinite(depth[0]), 1e-3 * (1.0 + 0.1 * np.sin(np.arange(N))), 0.0)
    found = shear(depth, flow, steps=1, smoothing=smoothing)[3]
    wet, across = flow[1:-1], 0.5 * (smoothing[0, 1:-2] + smoothing[0, 2:-1])
    flux = np.pad(across * np.diff(wet) / WIDTH, 1)
    assert found == pytest.approx(1.0 + STEP * np.diff(flux) / WIDTH / wet, rel=1e-9)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.full((N, N), -1.0), r"'transport_diffusivity' was given -1 m²/s; a step"),
        (np.ones((N, 2)), r"'transport_diffusivity' was given .*; expected a number, or an array"),
    ],
)
def test_a_diffusivity_that_cannot_be_is_refused(given, message):
    with pytest.raises(CaseError, match=message):
        Setup(Domain(np.full((N, N), 10.0), (WIDTH, WIDTH)), STEP, transport_diffusivity=given)


def test_more_than_an_explicit_step_can_diffuse_is_refused():
    with pytest.raises(CaseError, match=r"'transport_diffusivity' was given 2000 m²/s; a step"):
        Setup(Domain(np.full((N, N), 10.0), (WIDTH, WIDTH)), STEP, transport_diffusivity=2000.0)
