"""What the case 'ocean' promises of layers, temperature and salinity that come from files."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr
from input_files import bathymetry, saved

import halocline as hc
from halocline.apps.cases import make_case
from halocline.apps.ocean.setup.levels import BlendedSigma, SLevels, ZLevels
from halocline.apps.ocean.setup.sigma import Sigma
from halocline.errors import CaseError

NX, NY, DEPTH, WIDTH = 12, 9, 20.0, 500.0


@pytest.fixture
def folder(tmp_path):
    depth = np.full((NX, NY), DEPTH)
    depth[5, :3] = np.nan
    bathymetry(tmp_path / "topo.nc", depth, WIDTH)
    return tmp_path


def case(folder, **given):
    more = {"layers": 4, "micro_step": 10.0, "hours": 0.5}
    return make_case("ocean", {"bathymetry": str(folder / "topo.nc"), **more, **given})


def stratified(path, width=WIDTH, shape=(NX, NY), before=0, **names):
    """Write fields that are linear in the depth and along x, 'before' cells more at low sides."""
    x, y = ((np.arange(n) - before + 0.5) * width for n in shape)
    depth = np.array([0.0, 8.0, 20.0])
    coordinates = {
        "depth": ("depth", depth, {"units": "m", "positive": "down"}),
        "x": ("x", x, {"units": "m"}),
        "y": ("y", y, {"units": "m"}),
    }
    values = 1e-4 * x + 0.25 * depth[:, None, None] + 0.0 * y[:, None]
    fields = {name: (("depth", "y", "x"), first + values) for name, first in names.items()}
    saved(xr.Dataset(fields, coordinates), path)


def first_values(given):
    """Return temperature and salinity at the beginning, and the middles of cells and layers."""
    model = given.problem().model
    hc.Simulation(model.grid, model.steps, dt=model.setup.macro_step, threads=1).run(0)
    x = (np.arange(NX) + 0.5)[:, None, None] * WIDTH
    depths = DEPTH * (1.0 - (np.arange(4) + 0.5) / 4.0)
    is_wet = np.isfinite(model.setup.domain.depth)
    return [field[:, :, :][is_wet] for field in model.layers.tracers], (x, depths, is_wet)


@pytest.mark.parametrize("is_interpolated", [False, True])
def test_layers_begin_with_the_fields_of_a_file(folder, is_interpolated):
    coarse = {"width": 1.7 * WIDTH, "shape": (10, 8), "before": 1} if is_interpolated else {}
    stratified(folder / "start.nc", temp=5.0, salt=30.0, **coarse)
    start = dict.fromkeys(("temperature", "salinity"), str(folder / "start.nc"))
    found, (x, depths, is_wet) = first_values(
        case(folder, **start, interpolate_tracers=is_interpolated)
    )
    exact = (1e-4 * x + 0.25 * depths + np.zeros((NX, NY, 1)))[is_wet]
    for values, first in zip(found, (5.0, 30.0), strict=True):
        assert values == pytest.approx(first + exact, abs=1e-12)


def test_numbers_and_profiles_serve_as_well(folder):
    (folder / "t.dat").write_text("2\n0 15\n-20 10\n", "utf-8")
    start = {"temperature": str(folder / "t.dat"), "salinity": "35"}
    (temperature, salinity), (_, depths, _) = first_values(case(folder, **start))
    assert temperature == pytest.approx(np.broadcast_to(15.0 - 0.25 * depths, temperature.shape))
    assert np.all(salinity == 35.0)


def test_a_river_makes_the_water_fresher_and_its_volume_is_what_it_brought(folder):
    given = case(folder, temperature="10", salinity="35", rivers=["3 4 50 8 0"], hours=0.3)
    problem = given.problem()
    simulation = hc.Simulation(problem.grid, problem.steps, dt=problem.dt, threads=1)
    result = given.run(simulation, problem, lambda _: None)
    values = {variable.name: variable.values for variable in result.variables()}
    volume = result.series("volume")
    assert volume[-1] - volume[0] == pytest.approx(50.0 * given.steps * given.macro_step, rel=1e-9)
    assert np.nanmin(values["salinity"]) < 34.9
    found = {str(line).split(":")[0] for line in given.compare(result, values)}
    assert "lowest salinity at the end [1e-3]" in found


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ({}, Sigma),
        ({"layering": "blended", "zoom_surface": 1.0, "even_depth": 5.0}, BlendedSigma),
        ({"layering": "s-levels", "zoom_surface": 5.0}, SLevels),
        ({"layering": "z-levels", "thinnest": 0.1}, ZLevels),
    ],
)
def test_layers_are_of_the_kind_that_is_named(folder, given, kind):
    ocean = case(folder, **given)
    layers, deepest = ocean.setup.layers, np.nanmax(ocean.setup.domain.depth)
    assert (type(layers), layers.count) == (kind, ocean.layers)
    if kind is ZLevels:  # as thick as even layers in the deepest water
        assert np.allclose(layers.fractions_in(deepest), 1.0 / ocean.layers)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"layers": 1}, r"'layers' was given 1; expected at least 2, or 0"),
        ({"layers": 0, "mixing": 1e-4}, r"'mixing' was given to an ocean without layers"),
        (
            {"layers": 0, "zoom_bed": 1.0},
            r"'zoom_bed' was given to the case 'ocean' without layers",
        ),
        (
            {"layers": 0, "layering": "z-levels"},
            r"'layering' was given to the case 'ocean' without layers",
        ),
        ({"thinnest": 1.0}, r"'thinnest' was given .* without layers 'z-levels'"),
        ({"even_depth": 9.0}, r"'even_depth' was given .* without layers 'blended' or 's-levels'"),
        ({"layering": "z"}, r"'layering' was given 'z'; expected one of: sigma, blended, s-lev"),
        (
            {"interpolate_tracers": True},
            r"'interpolate_tracers' was given .* without a temperature",
        ),
        ({"temperature": "4"}, r"'temperature' was given alone; expected temperature and salinity"),
        ({"sponge": 3}, "'sponge' was given to an ocean without temperature, salinity, tracers or"),
        (
            {"temperature": "warm", "salinity": "35"},
            r"'temperature' was given 'warm'; expected a number, or a file: a profile as text",
        ),
        ({"temperature": "none.nc", "salinity": "35"}, r"There is no .*none.nc"),
        ({"rivers": ["3 4"]}, r"The river '3 4' was given; expected its cell along x and y"),
        ({"rivers": ["3 4 5 6"]}, r"The river '3 4 5 6' was given; expected its cell"),
        ({"rivers": ["5 1 10"]}, r"The cell \(5, 1\) of a river is land"),
        (
            {"getm": "x", "bathymetry": None, "micro_step": None, "hours": 24.0},
            r"'layers' was given beside 'getm'",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(folder, given, message):
    with pytest.raises(CaseError, match=message):
        case(folder, **given).check()


def test_a_file_without_the_tracer_is_refused_by_its_name(folder):
    stratified(folder / "start.nc", temp=5.0)
    start = dict.fromkeys(("temperature", "salinity"), str(folder / "start.nc"))
    with pytest.raises(CaseError, match=r"start.nc.*'salinity'"):
        case(folder, **start).check()
