"""Oceans whose values leave their limits fail, with the place, the time and the value."""

from __future__ import annotations

import input_files as files
import numpy as np
import pytest
from basins import Run, flat
from command import halocline
from getm_folders import box, layered
from msgspec.structs import replace

from halocline.apps.ocean.physics.tides import Wave
from halocline.apps.ocean.setup.domain import OpenBoundary
from halocline.apps.ocean.setup.limits import Limits
from halocline.apps.ocean.setup.setup import Setup
from halocline.apps.ocean.setup.sigma import Sigma
from halocline.errors import CaseError, DivergedError


def channel(**more):
    """Return a channel that a tide of 1 m enters from the west."""
    domain = flat(12, 4, 1000.0, 10.0, open=(OpenBoundary("west", 0, 0, 3),))
    return Setup(domain, 40.0, 2, tide=(Wave(1.4e-4, 1.0),), **more)


LAYERS = {"layers": Sigma(4), "temperature": 12.0, "salinity": 30.0}


@pytest.mark.parametrize(
    ("limits", "more", "field"),
    [
        ({"elevation": (-9.0, 0.5)}, {}, "zeta"),
        ({"velocity": (-9.0, 0.05)}, {}, "u"),
        ({"temperature": (-2.0, 11.0)}, LAYERS, "temperature"),
    ],
)
def test_values_beyond_the_limits_of_a_setup_are_an_error(limits, more, field):
    run = Run(channel(limits=Limits(**limits), **more), check_every=10, target="numpy")
    low, high = next(iter(limits.values()))
    with pytest.raises(DivergedError, match=f"Field '{field}' is .* in cell .* at step 10") as told:
        run.steps(30)
    assert f"expected values from {low:.4g} to {high:.4g}." in str(told.value)


def test_currents_of_layers_are_watched_where_their_mean_is_slow():
    wind = {"stress": (1e-3, 0.0), "limits": Limits(velocity=(-0.05, 0.05)), "layers": Sigma(4)}
    run = Run(Setup(flat(4, 2, 500.0, 10.0), 10.0, **wind), check_every=10, target="numpy")
    with pytest.raises(DivergedError, match=r"Field 'layer_u' is 0\.") as told:
        run.steps(60)
    assert "in cell (1, 0, 0)" in str(told.value)


def test_limits_of_the_elevation_count_from_dry_beds_and_lakes():
    depth = np.full((8, 4), 5.0)
    depth[6:] = -60.0  # a hill of 60 m
    domain = replace(flat(8, 4, 1000.0, 5.0), depth=depth)
    run = Run(Setup(domain, 20.0, 2), check_every=1, target="numpy").steps(2)
    assert run.zeta[7, 0] == pytest.approx(60.05)
    assert run.model.zeta.allowed == (-20.0, pytest.approx(80.05))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"velocity": 4.0}, "'limits.velocity' was given 4.0; expected two numbers, the lowest"),
        ({"velocity": (4.0, -4.0)}, "expected the lowest value, then a greater one"),
        ({"salinity": (0.0, "40")}, "'limits.salinity' was given '40'"),
    ],
)
def test_limits_that_are_no_intervals_are_refused(given, message):
    with pytest.raises(CaseError) as told:
        Limits(**given)
    assert message in str(told.value)


def test_a_run_of_the_command_line_that_leaves_its_limits_fails_with_the_time(tmp_path):
    files.bathymetry(tmp_path / "topo.nc", np.full((12, 4), 10.0), 1000.0)
    options = ["--bathymetry", "topo.nc", "--open", "west", "--constituents", "M2 1 0"]
    options += ["--hours", "6", "--elevation-limits", "-9 0.9", "--check-every", "1"]
    options += ["--micro-step", "27"]
    done = halocline("run", "ocean", *options, folder=tmp_path)
    assert done.returncode == 2
    assert (
        "Field 'zeta' is 0.9993 in cell (0, 0) at step 1; expected values from -9 to 0.9. This is "
        "0.075 hours after the begin, 2000-01-01 00:04:30."
    ) in " ".join(done.stderr.split())
    done = halocline("run", "ocean", *options[:-4], "--salinity-limits", "40", folder=tmp_path)
    assert "'salinity_limits' was given '40'; expected the lowest value and the highest" in (
        " ".join(done.stderr.split())
    )


def test_checks_of_getm_are_honoured(tmp_path):
    folder = layered(box(tmp_path)).set("m3d", vel_check=10, max_vel=3.0)
    folder.set("temp", temp_check=-1, max_temp=9.0).set("salt", salt_check=1, min_salt=1.0)
    ours = Limits()
    assert folder.read().setup.limits == Limits(
        velocity=(-4.0, 3.0), temperature=ours.temperature, salinity=(1.0, 40.0)
    )
    folder.set("m3d", vel_check=0)
    assert folder.read().setup.limits.velocity == ours.velocity
    assert folder.set("param", runtype=1).read().setup.limits == ours
