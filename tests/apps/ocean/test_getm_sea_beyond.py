"""Folders of GETM: temperature and salinity of the sea beyond open boundaries."""

from __future__ import annotations

import input_files as files
import numpy as np
import pytest
import xarray as xr
from basins import Run
from getm_folders import N, box, layered

LEVELS = np.array([0.0, 20.0, 40.0])


@pytest.fixture
def folder(tmp_path):
    """Return a folder of the box with layers, whose file of boundaries has data for each cell."""
    folder = layered(box(tmp_path))
    sea(folder, 10.0 + np.arange(N)[:, np.newaxis] + 0.0 * LEVELS, 30.0 + 0.1 * LEVELS)
    return folder.set("m3d", bdy3d=True, bdyfile_3d="bdy_3d.nc", bdy3d_sponge_size=2)


def sea(folder, temperature, salinity, times=2):
    """Write temperature and salinity of points, (points, levels), or (times, points, levels)."""
    variables = {
        name: (("time", "nbdyp", "zax"), np.broadcast_to(values, (times, N, LEVELS.size)), units)
        for name, values, units in (
            ("temp", temperature, {"units": "degC"}),
            ("salt", salinity, {"units": "psu"}),
        )
    }
    data = xr.Dataset(variables, {"time": files.since(np.arange(times)), "zax": LEVELS})
    files.saved(data, folder.path / "bdy_3d.nc")


def boundary(folder, kind, other=None):
    """Make the boundary one of a 3-D type, with a western one of another type if that is given."""
    west = "0\n" if other is None else f"1\n1 3 9 3 {other}\n"
    return folder.write("bdyinfo.dat", f"{west}1\n{N} 1 {N} 3 {kind}\n0\n0\n")


def test_open_cells_have_the_sea_of_the_file_and_a_sponge_draws_to_it(folder):
    # Of a corner that is land the file has data that nobody needs.
    folder.write("mask.adjust", f"1\n1 {N} 1 {N}\n")
    setup = folder.read().setup
    assert setup.sponge == 3
    height = np.linspace(-50.0, -10.0, 3) + np.zeros((N - 1, 1))
    expected = [[34.0, 33.0, 31.0]] * (N - 1)
    assert setup.sea_salinity(0.0, 0.0, height) == pytest.approx(np.array(expected))
    run = Run(setup).steps(2)
    temperature = run.model.layers.tracers[0].gather()
    points = np.arange(1, N)
    assert temperature[1:, -1] == pytest.approx(10.0 + points[:, None] + np.zeros((1, 4)))
    # Next to them four ninths of the difference are made up for in each of two steps.
    assert temperature[9, -2].mean() == pytest.approx(19.0 - 7.0 * (5.0 / 9.0) ** 2, abs=0.05)


def test_constant_boundaries_keep_what_is_there_at_the_beginning(folder):
    folder.write("tprof.dat", "2\n0.0 20.0\n-60.0 8.0\n").set("temp", temp_method=2)
    setup = boundary(folder, -1).set("m3d", bdyfile_3d="none.nc").read().setup
    assert (setup.sponge, setup.sea_salinity) == (3, 30.0)
    assert setup.sea_temperature(0.0, 0.0, np.array([-30.0])) == pytest.approx(14.0)


def test_newer_versions_have_a_sponge_without_data(folder):
    folder.set("m3d", bdy3d=False, bdy3d_sponge_size=None)
    assert folder.read().setup.sponge == 0
    setup = folder.set("m3d", bdy3d_vel=False).read().setup
    assert (setup.sponge, setup.sea_temperature, setup.sea_salinity) == (4, 12.0, 30.0)


def test_a_sea_that_changes_in_time(folder):
    warming = np.arange(3.0)[:, np.newaxis, np.newaxis] + np.zeros((3, N, LEVELS.size))
    sea(folder, 10.0 + warming, 30.0, times=3)
    assert "bdy_3d.nc' has 'temp' that changes in time; supported is a sea" in folder.refusal()


@pytest.mark.parametrize(
    ("kind", "other", "message"),
    [
        (1, None, "the 3-D type 1; supported is -1 (constant) or 0 (clamped)"),
        (0, -1, "a boundary of the kind 'clamped', but another one is 'constant'"),
    ],
)
def test_types_of_boundaries_that_are_not_followed(folder, kind, other, message):
    assert message in boundary(folder, kind, other).refusal()


def test_a_sea_of_other_points(folder):
    files.changed(folder.path / "bdy_3d.nc", lambda data: data.isel(nbdyp=slice(3)))
    assert f"has 'temp' at 3 points; expected {N}, one for each cell" in folder.refusal()


def test_a_sea_without_values(folder):
    sea(folder, 10.0, np.where(np.arange(N)[:, np.newaxis] == 4, -9999.0, 30.0))
    assert "lacks 1 values of 'salt' in water, the first at (4)" in folder.refusal()
