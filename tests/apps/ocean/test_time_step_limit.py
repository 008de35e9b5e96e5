"""The longest micro step: that of the actual cells, their depth and the highest known elevation."""

from __future__ import annotations

import numpy as np
import pytest
from basins import FRICTIONLESS, Run, flat
from msgspec.structs import replace

import halocline as hc
from halocline.apps.ocean.physics.tides import Wave
from halocline.apps.ocean.setup.domain import Domain, OpenBoundary
from halocline.apps.ocean.setup.limits import Limits
from halocline.apps.ocean.setup.setup import Setup
from halocline.errors import CaseError, DivergedError

ROUGH = np.random.default_rng(3)


def basin(width, share, **more):
    """Return rough water that is stepped by a share of the longest micro step."""
    domain = Domain(np.full((10, 8), 20.0), width)
    zeta = 1e-3 * ROUGH.standard_normal((10, 8))
    more = {"drag": FRICTIONLESS, "advection": "none", "zeta": zeta, "check_cfl": False, **more}
    longest = Setup(domain, 1.0, 2, **more).longest_step
    return Setup(domain, share * longest, 2, **more)


@pytest.mark.parametrize("width", [(100.0, 100.0), (400.0, 150.0)])
def test_the_limit_is_that_of_the_shape_of_the_cells(width):
    setup = basin(width, 0.995)
    dx, dy = width
    expected = 1.0 / np.sqrt(9.81 * 20.0 * (dx**-2 + dy**-2))
    assert setup.micro_step == pytest.approx(0.995 * expected, rel=1e-4)
    stable = Run(replace(setup, check_cfl=True), target="numpy").steps(60)
    assert np.abs(stable.zeta).max() < 0.02
    limits = Limits(elevation=(-0.1, 0.1))
    unstable = Run(basin(width, 1.03, limits=limits), target="numpy", check_every=10)
    with pytest.raises(DivergedError, match="Field 'zeta' is"):
        unstable.steps(60)


def test_the_highest_known_elevation_counts_as_depth():
    open_side = (OpenBoundary("west", 0, 0, 7),)
    closed, opened = flat(8, 8, 1000.0, 10.0), flat(8, 8, 1000.0, 10.0, open=open_side)
    deep = Setup(flat(8, 8, 1000.0, 14.0), 10.0).longest_step
    tide = (Wave(1e-4, 3.0),)
    series = hc.Series([0.0, 1e4], np.array([[0.0] * 8, [1.0] * 8]))
    assert Setup(closed, 10.0, zeta=4.0).longest_step == pytest.approx(deep)
    assert Setup(opened, 10.0, tide=tide, elevation=series).longest_step == pytest.approx(deep)


def test_a_longer_step_is_refused_unless_it_is_asked_for():
    domain = flat(8, 8, 100.0, 10.0)
    with pytest.raises(CaseError, match=r"too long: waves over 10 m of water in cell \(0, 0\)"):
        Setup(domain, 10.0)
    assert Setup(domain, 10.0, check_cfl=False).micro_step == 10.0
    with pytest.raises(CaseError, match="'check_cfl' was given 1; expected true or false"):
        Setup(domain, 1.0, check_cfl=1)
