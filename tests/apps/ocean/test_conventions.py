"""Files of oceans as the CF conventions want them: what each variable is, where and when.

Names and units are those of the CF standard name table; formulas those of appendix D of CF 1.11.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray
from command import halocline
from input_files import START, bathymetry

from halocline.apps.cases import make_case
from halocline.apps.ocean.diagnostics.layers import layer_diagnostics
from halocline.apps.ocean.model import make_model
from halocline.apps.ocean.setup.domain import Domain
from halocline.apps.ocean.setup.setup import Setup
from halocline.apps.ocean.setup.sigma import Sigma

SEAMOUNT = ("seamount", "--cells", "12", "--layers", "4", "--days", "0.05")


@pytest.fixture(scope="module")
def layered(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("layered")
    wanted = ("--every", "4", "--write", "all.nc every=4", "--write", "t.nc every=4 z=-0.5:0")
    done = halocline("run", *SEAMOUNT, *wanted, "--output", "out", folder=folder)
    assert done.returncode == 0, done.stderr
    return folder / "out"


@pytest.fixture(scope="module")
def dated(tmp_path_factory) -> Path:
    """A sea from a file, which has land and a date."""
    folder = tmp_path_factory.mktemp("dated")
    depth = np.full((12, 9), 20.0)
    depth[5:, :4] = np.nan
    bathymetry(folder / "depth.nc", depth, 1000.0)
    arguments = ("ocean", "--bathymetry", "depth.nc", "--begin", START, "--hours", "1")
    wanted = ("--write", "sea.nc every=3", "--write", "mean.nc every=6 mean=2")
    done = halocline("run", *arguments, *wanted, "--output", "out", folder=folder)
    assert done.returncode == 0, done.stderr
    return folder / "out"


@pytest.mark.parametrize(
    ("variable", "standard_name", "unit"),
    [
        ("zeta", "sea_surface_height_above_geoid", "m"),
        ("u", "barotropic_sea_water_x_velocity", "m s-1"),
        ("v", "barotropic_sea_water_y_velocity", "m s-1"),
        ("temperature", "sea_water_potential_temperature", "degC"),
        ("layer_eastward", "sea_water_x_velocity", "m s-1"),
        ("layer_northward", "sea_water_y_velocity", "m s-1"),
        ("depth", "sea_floor_depth_below_geoid", "m"),
    ],
)
def test_variables_have_the_names_and_units_of_cf(layered: Path, variable, standard_name, unit):
    for name, engine in (("all.nc", "h5netcdf"), ("series.zarr", "zarr"), ("fields.zarr", "zarr")):
        with xarray.open_dataset(layered / name, engine=engine) as found:
            attributes = found[variable].attrs
            assert (attributes["standard_name"], attributes["units"]) == (standard_name, unit)


def test_salinity_is_practical_and_so_a_pure_number():
    sea = Domain(np.full((4, 4), 10.0), spacing=(100.0, 100.0))
    model = make_model(Setup(sea, micro_step=1.0, layers=Sigma(2), salinity=34.0))
    shown = {quantity.name: quantity for quantity in layer_diagnostics(model)[0]}
    assert shown["salinity"].standard_name == "sea_water_practical_salinity"
    assert shown["salinity"].unit == "1"


def test_heights_of_layers_follow_from_the_formula_that_the_file_names(layered: Path):
    with xarray.open_dataset(layered / "all.nc") as found:
        z = found["z"]
        assert z.attrs["standard_name"] == "ocean_sigma_coordinate"
        assert z.attrs["computed_standard_name"] == "altitude"
        assert (z.attrs["positive"], z.attrs["axis"], z.attrs["units"]) == ("up", "Z", "1")
        words = z.attrs["formula_terms"].split()
        sigma, eta, depth = (
            found[words[words.index(f"{n}:") + 1]] for n in ("sigma", "eta", "depth")
        )
        heights = (eta + sigma * (depth + eta)).isel(time=-1, x=6, y=6)
        # Four layers that are all alike.
        whole = float((depth + eta).isel(time=-1, x=6, y=6))
        expected = float(eta.isel(time=-1, x=6, y=6)) - whole * np.array([7, 5, 3, 1]) / 8
        assert np.allclose(heights, expected, rtol=1e-13)


def test_a_part_of_the_layers_is_chosen_by_their_share_of_the_depth(layered: Path):
    with (
        xarray.open_dataset(layered / "t.nc") as part,
        xarray.open_dataset(layered / "all.nc") as all_,
    ):
        assert np.allclose(part["z"], [-0.375, -0.125], rtol=1e-15)
        assert part["temperature"].dims == ("time", "z", "y", "x")
        assert part["temperature"].equals(all_["temperature"].isel(z=slice(2, 4)))
        assert part["zeta"].equals(all_["zeta"])


def test_times_are_dates_where_the_sea_has_one(dated: Path):
    with xarray.open_dataset(dated / "sea.nc", decode_times=False) as raw:
        assert raw["time"].attrs["units"] == f"seconds since {START}"
        assert raw["time"].attrs["axis"] == "T"
        seconds = raw["time"].values
    with xarray.open_dataset(dated / "sea.nc") as found:
        expected = np.datetime64(START) + (1e9 * seconds).astype("timedelta64[ns]")
        assert np.array_equal(found["time"], expected)
        assert len(seconds) > 2


def test_land_is_missing_and_water_is_not(dated: Path):
    for name in ("sea.nc", "mean.nc"):
        with xarray.open_dataset(dated / name) as found:
            assert np.isnan(found["zeta"].encoding["_FillValue"])
            is_land = found["depth"].isnull()
            assert is_land.sum() == 28
            assert (found["zeta"].isnull() == is_land).all()


def test_bounds_of_means_are_those_of_their_time(dated: Path):
    with xarray.open_dataset(dated / "mean.nc") as found:
        bounds, time = found["time_bounds"], found["time"]
        assert time.attrs["bounds"] == "time_bounds"
        assert bounds.values[0, 0] == np.datetime64(START)
        assert np.array_equal(bounds.values[1:, 0], bounds.values[:-1, 1])
        assert np.array_equal(time, bounds.values[:, 0] + np.diff(bounds.values)[:, 0] // 2)
        assert found["zeta"].attrs["cell_methods"].startswith("time: mean (interval: ")


def test_a_sphere_has_longitudes_and_latitudes():
    problem = make_case("north-sea", {"minutes": 20, "periods": 1, "analysed": 1}).problem()
    x, y = problem.axes["x"], problem.axes["y"]
    assert (x.standard_name, x.unit) == ("longitude", "degrees_east")
    assert (y.standard_name, y.unit) == ("latitude", "degrees_north")
    names = [quantity.standard_name for quantity in problem.quantities]
    assert names[1:3] == [
        "barotropic_eastward_sea_water_velocity",
        "barotropic_northward_sea_water_velocity",
    ]
