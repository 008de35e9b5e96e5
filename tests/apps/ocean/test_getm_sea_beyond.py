"""Folders of GETM: temperature and salinity of the sea beyond open boundaries."""

from __future__ import annotations

import input_files as files
import numpy as np
import pytest
import xarray as xr
from basins import Run
from getm_folders import DEPTH, N, box, layered

from halocline.apps.ocean.input.what_was_read import what_was_read
from halocline.apps.ocean.physics.relaxation import Relaxation

LEVELS = np.array([0.0, 20.0, 40.0])


@pytest.fixture
def folder(tmp_path):
    """Return a folder of the box with layers, whose file of boundaries has data for each cell."""
    folder = layered(box(tmp_path))
    sea(folder, 10.0 + np.arange(N)[:, np.newaxis] + 0.0 * LEVELS, 30.0 + 0.1 * LEVELS)
    return folder.set("m3d", bdy3d=True, bdyfile_3d="bdy_3d.nc", bdy3d_sponge_size=2)


def sea(folder, temperature, salinity, hours=(0.0, 24.0)):
    """Write temperature and salinity of points, (points, levels), or (hours, points, levels)."""
    shape = (len(hours), N, LEVELS.size)
    variables = {
        name: (("time", "nbdyp", "zax"), np.broadcast_to(values, shape), units)
        for name, values, units in (
            ("temp", temperature, {"units": "degC"}),
            ("salt", salinity, {"units": "psu"}),
        )
    }
    depths = ("zax", LEVELS, {"units": "m", "positive": "down"})
    data = xr.Dataset(variables, {"time": files.since(hours), "zax": depths})
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
    assert setup.sea_salinity(0.0, 0.0, height).at(0.0) == pytest.approx(np.array(expected))
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


def changed(folder, change):
    """Write the file of boundaries anew."""
    files.changed(folder.path / "bdy_3d.nc", change)


def of_columns(setup):
    """Return what the temperature of all columns is, at four heights."""
    return setup.sea_temperature(0.0, 0.0, np.linspace(-50.0, -5.0, 4) + np.zeros((N, 1)))


def test_a_sea_that_changes_in_time(folder):
    # Linear in depth and in time: 10 + point + 0.1 depth + 0.5 hours.
    hours = np.array([-3.0, 2.0, 11.0, 30.0])
    points = np.arange(N)[:, np.newaxis]
    temperature = 10.0 + points + 0.1 * LEVELS + 0.5 * hours[:, np.newaxis, np.newaxis]
    sea(folder, temperature, 30.0, hours)
    setup = folder.read().setup
    fractions = setup.layers.fractions
    # Below the lowest level of the file, at 40 m, its value goes on.
    depth = np.minimum(DEPTH * (1.0 - np.cumsum(fractions) + 0.5 * fractions), 40.0)
    run = Run(setup)
    for step in (1, 5):
        run.steps(step - round(run.simulation.time / setup.macro_step))
        expected = 10.0 + points + 0.1 * depth + 0.5 * step * setup.macro_step / 3600.0
        found = run.model.layers.tracers[0].gather()[:, -1]
        assert found == pytest.approx(expected, abs=1e-12)
    read = "temperature beyond open boundaries: 8.5 to 43 degC, 4 times from 2003-12-31 21:00:00"
    assert read in what_was_read(setup, folder.read().period.start)


def test_twelve_times_are_the_months_of_a_year(folder):
    means = np.arange(1.0, 13.0)
    sea(folder, means[:, np.newaxis, np.newaxis], 30.0, np.arange(12.0))
    folder.set("time", start="2004-11-16 00:00:00", stop="2005-01-02 00:00:00")
    boundary(folder, 0).set("m2d", bdy2d=False)
    series = of_columns(folder.read().setup)
    days = series.times / 86400.0
    assert days.tolist() == [-15.0, 15.0, 46.0, 77.0]
    # Between the means of two months at the beginning of each: 10.5, 11.5, 6.5 and 1.5.
    assert series.values[:, 3, 1].tolist() == [10.5, 11.5, 6.5, 1.5]


def test_open_cells_relax_as_getm_says(folder):
    assert folder.read().setup.relaxation is None
    folder.set("m3d", bdy3d_tmrlx=True, bdy3d_tmrlx_max=0.5, bdy3d_tmrlx_min=0.1)
    assert folder.read().setup.relaxation == Relaxation(0.5, 0.1, 0.02)
    folder.set("m3d", bdy3d_tmrlx_min=0.6)
    assert "tmrlx_max = 0.5 and bdy3d_tmrlx_min = 0.6; expected a minimum" in folder.refusal()
    folder.set("m3d", bdy3d_tmrlx_min=0.1, bdy3d_tmrlx_ucut=0.0)
    assert "m3d: bdy3d_tmrlx_ucut = 0.0; supported: >0" in folder.refusal()
    # Without a sponge there is nothing to mix with, and open cells are clamped.
    folder.set("m3d", bdy3d_sponge_size=0, bdy3d_tmrlx_ucut=0.02)
    assert folder.read().setup.relaxation is None


def test_currents_of_layers(folder):
    units = {"units": "m/s"}
    values = 0.01 * np.arange(N)[:, np.newaxis] + 0.001 * LEVELS
    velocities = (("time", "nbdyp", "zax"), np.broadcast_to(values, (2, N, LEVELS.size)), units)
    changed(folder, lambda data: data.assign(uu=0.0 * data.temp, vv=velocities))
    assert folder.read().setup.layer_current is None
    setup = folder.set("m3d", bdy3d_vel=True).read().setup
    found = setup.layer_current(0.0, 0.0, np.full((N, 1), -10.0)).at(3600.0)
    assert found == pytest.approx(0.01 * np.arange(N)[:, np.newaxis] + 0.01)
    assert "bdy3d_vel = .true.; expected clamped boundaries" in boundary(folder, -1).refusal()


def test_one_time_stays(folder):
    sea(folder, 12.0, 30.0, hours=[5000.0])
    assert of_columns(folder.read().setup) == pytest.approx(12.0 * np.ones((N, 4)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda data: data.isel(time=[0, 1]).assign_coords(time=files.since([0.0, 12.0])),
            "bdy_3d.nc' ends at 2004-01-01 12:00:00, but the run goes from 2004-01-01 00:00:00 to",
        ),
        (
            lambda data: data.assign_coords(time=files.since([1.0, 24.0])),
            "bdy_3d.nc' begins at 2004-01-01 01:00:00, but the run goes from",
        ),
        (
            lambda data: data.assign_coords(time=files.since([24.0, 0.0])),
            "bdy_3d.nc' has times 'time' that do not increase: number 2 is not later than number 1",
        ),
        (
            lambda data: data.assign_coords(time=("time", [0.0, 86400.0], {"units": "s"})),
            "bdy_3d.nc' has times 'time' in 's'; expected 'seconds since 2004-01-31 12:00:00'",
        ),
        (lambda data: data.drop_vars("salt"), "bdy_3d.nc' has no variable 'salt'"),
        (
            lambda data: data.transpose("time", "zax", "nbdyp"),
            "has 'temp' with the axes (time, zax, nbdyp); expected (time, point, z), in this order",
        ),
        (
            lambda data: data.assign_coords(zax=("zax", [0.0, 40.0, 20.0], {"units": "m"})),
            "bdy_3d.nc' has depths 'zax' that neither increase nor decrease all the way",
        ),
        (
            lambda data: data.assign_coords(zax=("zax", [0.0, 0.2, 0.4], {"units": "km"})),
            "bdy_3d.nc' has 'zax' in 'km'; expected m",
        ),
        (
            lambda data: data.assign_coords(zax=("zax", LEVELS, {"positive": "up"})),
            "bdy_3d.nc' has heights 'zax' that lie above the mean level, up to 40 m",
        ),
        (
            lambda data: data.assign(temp=data.temp.assign_attrs(units="K")),
            "bdy_3d.nc' has 'temp' in 'K'; expected degC",
        ),
        (
            lambda data: data.assign(temp=data.temp + 273.0),
            "bdy_3d.nc' has 'temp' 283 at (0, 0, 0), counted from 0, and 90 such values in all",
        ),
    ],
    ids=lambda value: "" if isinstance(value, str) else "changed",
)
def test_files_with_something_else_are_refused(folder, change, message):
    changed(folder, change)
    assert message in folder.refusal()


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
    assert "lacks 2 values of 'salt' in water, the first at (4)" in folder.refusal()
