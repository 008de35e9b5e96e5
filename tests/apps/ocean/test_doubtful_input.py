"""Input with more than one meaning: taken as is most likely, which the report says, or refused."""

from __future__ import annotations

from datetime import datetime

import input_files as files
import numpy as np
import pytest
import xarray as xr
from basins import flat
from command import halocline
from getm_folders import box

import halocline as hc
from halocline.apps.ocean.cases.ocean import Ocean
from halocline.apps.ocean.input.bathymetry_file import read_bathymetry
from halocline.apps.ocean.input.boundary_file import read_rows
from halocline.apps.ocean.input.initial_file import FieldFile, read_profile
from halocline.apps.ocean.input.input_file import Period, read_date
from halocline.apps.ocean.input.weather_file import WeatherFiles
from halocline.apps.ocean.input.what_was_read import what_was_read
from halocline.apps.ocean.setup.domain import Domain, OpenBoundary
from halocline.apps.ocean.setup.rivers import River
from halocline.apps.ocean.setup.setup import Setup
from halocline.errors import CaseError

NX, NY, WIDTH = 6, 4, 1000.0
DAY = Period(read_date(files.START, "start"), 86400.0)
START = datetime(2004, 1, 1)


def depths():
    """Return depths of 10 m and more, a corner of which is land."""
    found = 10.0 + np.arange(NX * NY, dtype=float).reshape(NX, NY)
    found[0, 0] = np.nan
    return found


def topo(path, depth, positive=None):
    """Write a bathymetry that may say which way its values go."""
    files.bathymetry(path / "topo.nc", depth, WIDTH)

    def said(data):
        data.bathymetry.attrs["positive"] = positive
        return data

    if positive:
        files.changed(path / "topo.nc", said)
    return path / "topo.nc"


def test_a_bathymetry_that_says_that_it_is_positive_upwards_is_turned_round(tmp_path):
    heights = np.where(np.isnan(depths()), 4.0, -depths())
    found = read_bathymetry(topo(tmp_path, heights, "up"))
    assert np.array_equal(found.depth, depths(), equal_nan=True)
    assert found.remarks == (
        "'bathymetry' is positive upwards, as its attribute says: what is not below 0 is land.",
    )


@pytest.mark.parametrize("is_high", [False, True])
def test_values_that_may_be_heights_are_refused_unless_the_file_says_what_they_are(
    tmp_path, is_high
):
    values = -depths()
    values[:3] *= -1.0 if is_high else 1.0
    path = topo(tmp_path, values)
    with pytest.raises(CaseError, match="does not say which of these are water") as told:
        read_bathymetry(path)
    assert "'ncatted -a positive,bathymetry,o,c,up in.nc' for heights" in str(told.value)
    if is_high:
        assert np.isfinite(read_bathymetry(topo(tmp_path, values, "down")).depth).sum() == 11
    with pytest.raises(CaseError, match="'positive' 'sideways'; expected 'up' or 'down'"):
        read_bathymetry(topo(tmp_path, values, "sideways"))


def test_one_number_far_above_the_sea_is_land_and_flats_may_be_above_the_mean_level(tmp_path):
    depth = np.where(np.isnan(depths()), -10.0, depths())
    depth[1, 1] = -2.0
    found = read_bathymetry(topo(tmp_path, depth))
    assert np.isnan(found.depth).sum() == 1
    assert found.depth[1, 1] == -2.0


@pytest.mark.parametrize("mark", [np.inf, 9999.0, -99999.0])
def test_marks_of_missing_depths_are_land_which_is_said(tmp_path, mark):
    found = read_bathymetry(topo(tmp_path, np.where(np.isnan(depths()), mark, depths())))
    assert np.array_equal(found.depth, depths(), equal_nan=True)
    assert found.remarks == (f"1 cells whose 'bathymetry' is {mark:g} are land.",)


def test_depths_that_no_sea_has_are_refused(tmp_path):
    with pytest.raises(CaseError, match="with 32767 m of water; expected 12000 m at most"):
        read_bathymetry(topo(tmp_path, np.where(np.isnan(depths()), 32767.0, depths())))


def test_depths_of_0_are_land_where_there_is_no_other(tmp_path):
    flooded = np.where(np.isnan(depths()), 0.0, depths())
    found = read_bathymetry(topo(tmp_path, flooded))
    assert np.array_equal(found.depth, depths(), equal_nan=True)
    assert found.remarks == ("1 cells whose 'bathymetry' is 0 are land, as the file has no other.",)
    flooded[5, 3] = np.nan
    assert read_bathymetry(topo(tmp_path, flooded)).depth[0, 0] == 0.0
    assert read_bathymetry(topo(tmp_path, flooded), is_of_getm=True).depth[0, 0] == 0.0


def test_axes_in_degrees_that_do_not_say_so_are_refused(tmp_path):
    def unsaid(data):
        x, y = 4.05 + 0.05 * np.arange(NX), 54.0 + 0.05 * np.arange(NY)
        return data.drop_vars("grid_type").assign_coords(x=("x", x), y=("y", y))

    files.changed(topo(tmp_path, depths()), unsaid)
    with pytest.raises(CaseError, match=r"cells that are 0\.05 wide by 'x', which has") as told:
        read_bathymetry(tmp_path / "topo.nc")
    assert "if in degrees, set 'grid_type' to 2" in str(told.value)


def test_elevations_that_stand_for_missing_ones_are_refused(tmp_path):
    values = np.zeros((25, 3))
    values[7, 1] = -9999.0
    files.boundary(tmp_path / "bdy.nc", range(25), values)
    with pytest.raises(CaseError) as told:
        read_rows(tmp_path / "bdy.nc", "elev", "m", 3, np.arange(3), DAY)
    assert str(told.value).endswith(
        "has 'elev' -9999 at (7, 1), counted from 0, and 1 such values in all; expected numbers of "
        "at least -100 and at most 100 [m]. If it stands for what is missing, say so: 'ncatted -a "
        "_FillValue,elev,o,d,-9999 FILE'; else convert the values."
    )


def test_pressures_in_hectopascals_and_temperatures_in_kelvins_are_refused(tmp_path):
    wind = np.ones((2, NY, NX))
    files.weather(tmp_path / "w.nc", [0, 24], u10=wind, v10=wind, slp=1013.0 * wind)
    domain = Domain(depths(), (WIDTH, WIDTH))
    with pytest.raises(CaseError, match=r"has 'slp' 1013 at .* at least 80000 and at most 110000"):
        WeatherFiles([tmp_path / "w.nc"], domain, DAY).read()
    field = xr.Dataset({"temp": (("y", "x"), 283.0 * np.ones((NY, NX)))})
    files.saved(field, tmp_path / "temp.nc")
    with pytest.raises(CaseError, match=r"has 'temp' 283 at .* at least -10 and at most 60"):
        FieldFile(tmp_path / "temp.nc", "temp", "degC", domain).read()
    (tmp_path / "prof.dat").write_text("2\n0 10\n-5 -99\n", "utf-8")
    with pytest.raises(CaseError, match=r"prof.dat:3: This line has the value -99; expected a num"):
        read_profile(tmp_path / "prof.dat", "degC")


def test_a_latitude_beside_longitudes_and_latitudes_is_refused(tmp_path):
    def turned(data):
        x = ("x", 4.05 + 0.1 * np.arange(NX), {"units": "degrees_east"})
        y = ("y", 54.025 + 0.05 * np.arange(NY), {"units": "degrees_north"})
        return data.drop_vars("grid_type").assign_coords(x=x, y=y)

    files.changed(topo(tmp_path, depths()), turned)
    case = Ocean(bathymetry=str(tmp_path / "topo.nc"), latitude=54.0)
    with pytest.raises(CaseError, match=r"'latitude' was given 54, but .* has longitudes"):
        case.check()
    with pytest.raises(CaseError, match="'f' or 'beta' was given beside is_spherical=True; expect"):
        Domain(depths(), (0.1, 0.1), (4.0, 54.0), is_spherical=True, f=1e-4)


def test_what_was_read_names_extremes_land_lakes_gaps_and_withdrawals():
    depth = depths()
    depth[4, :] = np.nan
    depth[1, 1] = -0.5
    hours = np.array([0.0, 1.0, 2.0, 9.0, 10.0, 24.0])
    elevation = hc.Series(3600.0 * hours, np.linspace(-1.0, 1.0, 6)[:, None] * np.ones((6, 3)))
    domain = Domain(depth, (WIDTH, 2000.0), open=(OpenBoundary("west", 0, 1, 3),))
    flow = hc.Series([0.0, 86400.0], [5.0, -3.0], name="elbe")
    setup = Setup(domain, 10.0, elevation=elevation, rivers=(River((2, 2), flow),))
    assert what_was_read(setup, START, ["A remark."]).splitlines() == [
        "What was read",
        "  bathymetry: 6 x 4 cells of 1000 x 2000 m, 19 water, 20.8 % land",
        "  depth: -0.5 to 33 m, mean 20.026 m",
        "  1 cells have their bed at the mean level or above it",
        "  1 lakes that no open boundary and no water of the largest basin reaches: 4 cells, the "
        "largest at (5, 0) with 4",
        "  A remark.",
        "  open boundaries: 3 cells, clamped",
        "  elevation beyond open boundaries: -1 to 1 m, 6 times from 2004-01-01 00:00:00 to "
        "2004-01-02 00:00:00",
        "  elevation beyond open boundaries has 2 gaps, linear in between: the longest takes 14 h "
        "from 2004-01-01 10:00:00 on; usual are 1 h",
        "  river 'elbe' in cell (2, 2): -3 to 5 m³/s, 2 times from 2004-01-01 00:00:00 to "
        "2004-01-02 00:00:00",
        "  river 'elbe' takes water away where its discharge is below 0",
    ]


def test_what_was_read_of_numbers():
    setup = Setup(flat(4, 4, 100.0, 5.0), 1.0, zeta=0.5, stress=(1e-4, 0.0), rain=1e-8)
    assert what_was_read(setup, START).splitlines()[3:] == [
        "  elevation at the beginning: 0.5 m",
        "  rain less evaporation: 1e-08 m/s",
        "  stress of the wind along x, over the density 1025: 0.0001",
    ]


@pytest.mark.parametrize("axis", [0, 1])
def test_water_that_meets_across_a_periodic_axis_is_no_lake(axis):
    depth = np.full((5, 4), 10.0)
    depth[2] = np.nan
    depth = np.moveaxis(depth, 0, axis)

    def names_lakes(**more):
        return "lakes" in what_was_read(Setup(Domain(depth, (1e3, 1e3), **more), 10.0), START)

    assert names_lakes()
    assert names_lakes(periodic=(axis == 1, axis == 0))
    assert not names_lakes(periodic=(axis == 0, axis == 1))


def test_the_report_and_the_log_say_what_was_read(tmp_path):
    box(tmp_path).set("time", stop="2004-01-01 08:00:00").read()
    options = ["--getm", str(tmp_path), "--output", str(tmp_path / "output")]
    done = halocline("run", "ocean", *options, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    line = "  bathymetry: 15 x 15 cells of 32000 x 32000 m, 225 water, 0 % land\n"
    for name in ("report.txt", "run.log"):
        assert line in (tmp_path / "output" / name).read_text("utf-8")
