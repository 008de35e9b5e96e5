"""Atmospheres from files: GETM's names and those of ERA5, their units, and what is refused."""

from __future__ import annotations

from datetime import datetime

import input_files as files
import numpy as np
import pytest
import xarray as xr
from basins import Run
from getm_folders import N, box, layered

from halocline.apps.cases import make_case
from halocline.apps.ocean.input.atmosphere_file import read_atmosphere
from halocline.apps.ocean.input.input_file import Period
from halocline.apps.ocean.setup.domain import Domain
from halocline.errors import CaseError

DAY = Period(datetime(2004, 1, 1), 86400.0)
HOURS = np.array([0.0, 12.0, 24.0])
# What ERA5 has, and its unit.
ERA5 = {
    "u10": (7.0, "m s**-1"),
    "v10": (-2.0, "m s**-1"),
    "t2m": (283.15, "K"),
    "d2m": (278.15, "K"),
    "msl": (101000.0, "Pa"),
    "tcc": (0.25, "(0 - 1)"),
    "ssrd": (360000.0, "J m**-2"),
    "strd": (1080000.0, "J m**-2"),
}
GETM = {
    "u10": (7.0, "m/s"),
    "v10": (-2.0, "m/s"),
    "t2": (10.0, "degC"),
    "rh": (71.0, "%"),
    "slp": (101000.0, "Pa"),
    "tcc": (0.25, "1"),
}


def written(path, variables, axes=("time", "lat", "lon")):
    """Write values that are the same everywhere and at all times."""
    arrays = {
        name: (axes, np.full((HOURS.size, 1, 1), value), {"units": unit})
        for name, (value, unit) in variables.items()
    }
    files.saved(xr.Dataset(arrays, {axes[0]: files.since(HOURS)}), path)


def read(path, **options):
    domain = Domain(np.full((2, 3), 10.0), (1e3, 1e3))
    return read_atmosphere([path], domain, DAY.start, 24.0, is_on_grid=True, **options)


def test_era5_is_understood_in_its_units(tmp_path):
    written(tmp_path / "era5.nc", ERA5, ("valid_time", "latitude", "longitude"))
    found = read(tmp_path / "era5.nc")
    assert [part.values.mean() for part in found.wind] == pytest.approx([7.0, -2.0])
    assert found.temperature.values.mean() == pytest.approx(10.0)
    # Over water at 5 degC saturated air has 8.76 hPa (Buck 1981, with its enhancement).
    assert found.humidity.values.mean() == pytest.approx(
        0.62197 * 8.757 / (1010.0 - 3.31), rel=1e-3
    )
    assert found.cloud.values.mean() == pytest.approx(0.25)
    assert found.sunlight.values.mean() == pytest.approx(100.0)
    assert found.long_waves.values.mean() == pytest.approx(300.0)
    # Means of an hour lie in its middle.
    hours = np.array([-0.5, 11.5, 23.5, 24.0])
    assert found.sunlight.times == pytest.approx(3600.0 * hours)
    assert found.begin == DAY.start


def test_getm_s_names_and_relative_humidity(tmp_path):
    written(tmp_path / "getm.nc", GETM)
    found = read(tmp_path / "getm.nc")
    # Saturated air at 10 degC has 12.33 hPa.
    assert found.humidity.values.mean() == pytest.approx(
        0.62197 * 8.756 / (1010.0 - 3.31), rel=1e-3
    )
    assert (found.sunlight, found.long_waves) == (None, None)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"t2": None}, "has no temperature of the air; expected one of 't2', 't2m', 'tas'"),
        ({"rh": None}, "has no humidity; expected one of 'dev2'"),
        ({"tcc": None}, "has no cloud cover; expected one of 'tcc'"),
        ({"slp": None}, "has no pressure; expected one of 'slp'"),
        ({"u10": None}, "has no variable 'u10'"),
        ({"t2": (50.0, "degF")}, "has 't2' in 'degF'; expected degC of air"),
        ({"t2": (283.0, "degC")}, "has 't2' 283 at"),
        ({"tcc": (25.0, "1")}, "has 'tcc' 25 at"),
        ({"slp": (1010.0, "Pa")}, "has 'slp' 1010 at"),
    ],
)
def test_files_that_lack_or_miss_something(tmp_path, change, message):
    variables = {k: v for k, v in (GETM | change).items() if v is not None}
    written(tmp_path / "w.nc", variables)
    with pytest.raises(CaseError, match=message):
        read(tmp_path / "w.nc")


@pytest.fixture
def folder(tmp_path):
    """Return a folder with layers and computed temperature under weather from a file."""
    written(tmp_path / "w.nc", GETM)
    folder = layered(box(tmp_path)).write("meteofiles.dat", "w.nc\n")
    return folder.set("meteo", metforcing=True, met_method=2, calc_met=True, metfmt=2)


def test_a_folder_of_getm_computes_fluxes_from_the_weather(folder):
    setup = folder.read().setup
    air = setup.atmosphere
    assert (air.formula, air.back_radiation, air.albedo) == ("kondo", "clark", None)
    assert air.place == (folder.settings["domain"]["latitude"], 0.0)
    assert setup.stress is setup.heat_flux is setup.pressure is None
    run = Run(setup).steps(1)
    assert -300.0 < run.model.forcing.heat_flux.gather()[5, 5] < -100.0
    folder.set("meteo", fluxes_method=2, albedo_method=0, albedo_const=0.06)
    air = folder.read().setup.atmosphere
    assert (air.formula, air.albedo) == ("coare", 0.06)


@pytest.mark.parametrize("method", [3, 4])
def test_a_folder_of_getm_computes_evaporation(folder, method):
    written(folder.path / "w.nc", GETM | {"precip": (2e-8, "m/s")})
    setup = folder.set("meteo", fwf_method=method, precip_factor=1.5).read().setup
    assert setup.atmosphere.evaporates
    rain = setup.rain.values if setup.rain is not None else 0.0
    assert np.all(rain == pytest.approx(1.5 * 2e-8 if method == 3 else 0.0))
    refusal = folder.set("temp", temp_method=1).set("meteo", calc_met=False).refusal()
    assert f"has fwf_method = {method}, which computes evaporation" in refusal


def test_a_folder_of_getm_takes_fluxes_that_files_have(folder):
    units = {"tausx": "N/m2", "tausy": "N/m2", "swr": "W/m2", "shf": "W/m2", "slp": "Pa"}
    values = {"tausx": 0.1, "tausy": 0.0, "swr": 150.0, "shf": -80.0, "slp": 1e5}
    written(folder.path / "w.nc", {name: (values[name], units[name]) for name in units})
    setup = folder.set("meteo", calc_met=False).read().setup
    assert setup.atmosphere is None
    assert setup.heat_flux.values.mean() == -80.0
    assert setup.sunlight.values.mean() == 150.0
    assert setup.heat_flux.shape == (N, N)


def test_an_albedo_of_getm_that_is_not_followed(folder):
    assert "albedo_method = 2; supported: 0 or 1" in folder.set("meteo", albedo_method=2).refusal()


def case(folder, **given):
    """Return the case of the command line, with weather from a file."""
    files.bathymetry(folder / "topo.nc", np.full((5, 4), 20.0), 500.0)
    usual = {"bathymetry": str(folder / "topo.nc"), "layers": 4, "temperature": "12"}
    usual |= {"salinity": "35", "weather": [str(folder / "w.nc")], "begin": str(DAY.start)}
    return make_case("ocean", {**usual, **given})


PLACE = {"latitude": 54.0, "longitude": 7.0}


def test_the_command_line_computes_fluxes_from_the_weather(tmp_path):
    written(tmp_path / "w.nc", GETM)
    more = {"back_radiation": "hastenrath-lamb", "albedo": 0.1, "wind_height": 12.0}
    setup = case(tmp_path, fluxes="kondo", air_height=3.0, water_type="II", **more, **PLACE).setup
    air = setup.atmosphere
    assert (air.formula, air.back_radiation, air.albedo) == ("kondo", "hastenrath-lamb", 0.1)
    assert (air.wind_height, air.height, air.place) == (12.0, 3.0, (54.0, 7.0))
    assert air.begin == DAY.start
    assert (setup.water_type, setup.stress, setup.heat_flux) == ("II", None, None)
    run = Run(setup).steps(1)
    assert -300.0 < run.model.forcing.heat_flux.gather()[2, 2] < -50.0


def test_the_command_line_takes_fluxes_that_files_have(tmp_path):
    given = {"tausx": (0.1, "N/m2"), "tausy": (0.0, "Pa")}
    given |= {"shf": (-80.0, "W/m2"), "swr": (120.0, "W m-2")}
    written(tmp_path / "w.nc", given)
    setup = case(tmp_path, fluxes="given").setup
    assert np.all(setup.heat_flux.values == -80.0)
    assert np.all(setup.sunlight.values == 120.0)
    assert setup.stress[0].values == pytest.approx(0.1 / 1025.0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"fluxes": "coare"}, "has no 'place'.*--latitude 54 --longitude 7"),
        ({"fluxes": "coare", "latitude": 54.0}, "has no 'place'"),
        ({"fluxes": "coare", "heat_flux": 9.0, **PLACE}, "'heat_flux' was .* 'fluxes' 'wind'"),
        ({"fluxes": "given"}, "has no variable 'tausx'"),
        ({"fluxes": "given", "wind_drag": "constant"}, "'wind_drag' was .* 'fluxes' 'wind'"),
        ({"fluxes": "large"}, "'fluxes' was given 'large'; expected one of: wind, coare, kondo"),
        ({"albedo": 0.1}, "'albedo' was given .* without 'fluxes' 'coare' or 'kondo'"),
        ({"fluxes": "coare", "weather": None}, "'fluxes' was given .* without 'weather'"),
        (
            {"fluxes": "coare", "temperature": None, "salinity": None},
            "'fluxes' was given .* without a temperature",
        ),
        ({"water_type": "II"}, "'water_type' was given to an ocean without sunlight"),
    ],
)
def test_weather_of_the_command_line_that_cannot_be(tmp_path, given, message):
    written(tmp_path / "w.nc", GETM)
    with pytest.raises(CaseError, match=message):
        case(tmp_path, **given)
