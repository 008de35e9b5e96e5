"""Files with the sea beyond open boundaries, as programs in Python read them."""

from __future__ import annotations

from datetime import datetime

import input_files as files
import numpy as np
import pytest
import xarray as xr
from basins import Run, flat

import halocline.ocean as ocean
from halocline.errors import CaseError

BEGIN = datetime(2004, 1, 1)
EAST = ocean.OpenBoundary("east", 5, 0, 3)
DOMAIN = flat(6, 4, 500.0, 10.0, open=(EAST,))
POINTS, DEPTHS = np.arange(4.0)[:, np.newaxis], np.array([0.0, 4.0, 10.0])


@pytest.fixture
def path(tmp_path):
    """Return a file with 30 + point + depth + hours, 12 times."""
    hours = np.arange(12.0)
    values = 30.0 + POINTS + DEPTHS + hours[:, np.newaxis, np.newaxis]
    axes = ("time", "point", "depth")
    salt = {"salt": (axes, values, {"units": "1e-3"})}
    depth = ("depth", DEPTHS, {"units": "m", "positive": "down"})
    files.saved(xr.Dataset(salt, {"time": files.since(hours), "depth": depth}), tmp_path / "sea.nc")
    return tmp_path / "sea.nc"


def test_what_comes_in_follows_the_file(path):
    sea = ocean.read_sea(path, "salinity", DOMAIN, BEGIN, 11.0)
    setup = ocean.Setup(
        DOMAIN, 10.0, 60, sigma=ocean.Sigma(5), salinity=30.0, sea_salinity=sea, sponge=1
    )
    run = Run(setup).steps(9)
    expected = 30.0 + POINTS + np.array([9.0, 7.0, 5.0, 3.0, 1.0]) + 1.5
    assert run.model.layers.tracers[0].gather()[-1] == pytest.approx(expected, abs=1e-12)


def test_a_file_whose_values_do_not_change(path):
    files.changed(path, lambda data: data.isel(time=0).drop_vars("time"))
    sea = ocean.read_sea(str(path), "salinity", DOMAIN, BEGIN, 1e4)
    assert sea(0.0, 0.0, np.full((4, 1), -2.0)) == pytest.approx(32.0 + POINTS)


@pytest.mark.parametrize(
    ("tracer", "hours", "message"),
    [
        ("salt", 1.0, "'read_sea' was given the tracer 'salt'; expected one of temperature, salin"),
        ("temperature", 1.0, "sea.nc' has no variable 'temp'"),
        ("salinity", 12.0, "sea.nc' ends at 2004-01-01 11:00:00, but the run goes from 2004-01-01"),
    ],
)
def test_what_a_file_does_not_have_is_refused(path, tracer, hours, message):
    with pytest.raises(CaseError) as error:
        ocean.read_sea(path, tracer, DOMAIN, BEGIN, hours)
    assert message in str(error.value)


def test_a_file_of_other_points_is_refused(path):
    files.changed(path, lambda data: data.isel(point=slice(3)))
    with pytest.raises(CaseError, match="has 'salt' at 3 points; expected 4, one for each cell"):
        ocean.read_sea(path, "salinity", DOMAIN, BEGIN, 1.0)
