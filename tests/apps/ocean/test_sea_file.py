"""Files with the sea beyond open boundaries, as programs in Python read them."""

from __future__ import annotations

from datetime import datetime

import input_files as files
import numpy as np
import pytest
import xarray as xr
from basins import Run, flat

import halocline.ocean as ocean
from halocline.apps.cases import make_case
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
        DOMAIN, 10.0, 60, layers=ocean.Sigma(5), salinity=30.0, sea_salinity=sea, sponge=1
    )
    run = Run(setup).steps(9)
    expected = 30.0 + POINTS + np.array([9.0, 7.0, 5.0, 3.0, 1.0]) + 1.5
    assert run.model.layers.tracers[0].gather()[-1] == pytest.approx(expected, abs=1e-12)


def test_a_file_whose_values_do_not_change(path):
    files.changed(path, lambda data: data.isel(time=0).drop_vars("time"))
    sea = ocean.read_sea(str(path), "salinity", DOMAIN, BEGIN, 1e4)
    assert sea(0.0, 0.0, np.full((4, 1), -2.0)) == pytest.approx(32.0 + POINTS)


@pytest.mark.parametrize(
    ("quantity", "hours", "message"),
    [
        ("salt", 1.0, "'read_sea' was given the quantity 'salt'; expected one of temperature, sal"),
        ("temperature", 1.0, "sea.nc' has no variable 'temp'"),
        ("current", 1.0, "sea.nc' has no variable 'u'"),
        ("salinity", 12.0, "sea.nc' ends at 2004-01-01 11:00:00, but the run goes from 2004-01-01"),
    ],
)
def test_what_a_file_does_not_have_is_refused(path, quantity, hours, message):
    with pytest.raises(CaseError) as error:
        ocean.read_sea(path, quantity, DOMAIN, BEGIN, hours)
    assert message in str(error.value)


def test_a_file_of_other_points_is_refused(path):
    files.changed(path, lambda data: data.isel(point=slice(3)))
    with pytest.raises(CaseError, match="has 'salt' at 3 points; expected 4, one for each cell"):
        ocean.read_sea(path, "salinity", DOMAIN, BEGIN, 1.0)


@pytest.fixture
def currents(path):
    """Return the same file with 'u', 'v' and 'w' of hours, points and depths as powers of 10."""
    hours = np.arange(12.0)[:, np.newaxis, np.newaxis]
    values = 1e-2 * hours + 1e-3 * POINTS + 1e-5 * DEPTHS
    units = {"units": "m/s"}

    def added(data):
        v = np.where(POINTS < 3, values + 0.5, np.nan)
        axes = ("time", "point", "depth")
        return data.assign(u=(axes, values, units), v=(axes, v, units), w=(axes[1:], v[0], units))

    files.changed(path, added)
    return path


# Of its four open cells the first three take 'v'.
CORNER = flat(
    *(6, 4, 500.0, 10.0),
    open=(ocean.OpenBoundary("north", 3, 1, 3), ocean.OpenBoundary("east", 5, 0, 0)),
)


def test_currents_of_layers_follow_the_file(currents):
    sea = ocean.read_sea(currents, "current", CORNER, BEGIN, 11.0)
    series = sea(0.0, 0.0, np.full((4, 1), -2.0))
    expected = 0.5 * (POINTS < 3) + 1e-3 * POINTS + 2e-5
    assert series.at(1.5 * 3600.0) == pytest.approx(expected + 1.5e-2)
    usual = {"layers": ocean.Sigma(2), "turbulence": "constant", "advection": "none"}
    run = Run(ocean.Setup(CORNER, 10.0, 60, layer_current=sea, **usual)).steps(1)
    q = run.model.layers.columns["y"].transport.gather()[1:4, 3]
    # Half the difference over 4 m, of the middles of layers at 2.5 and 7.5 m.
    shear = 0.5 * 1e-5 * 5.0
    assert q[:, 1] - q[:, 0] == pytest.approx(np.full(3, -2.0 * 5.0 * shear), rel=1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.drop_vars("v"), "sea.nc' has no variable 'v'"),
        (
            lambda data: data.drop_vars("v").rename(w="v"),
            "has 'u' and 'v' at different times or depths; expected the same",
        ),
        (lambda data: data.assign(v=data.v * np.nan), "sea.nc' lacks 6 values of 'v' in water"),
        (lambda data: data.assign(u=data.u.assign_attrs(units="km")), "'u' in 'km'; expected"),
    ],
)
def test_currents_that_a_file_does_not_have_are_refused(currents, change, message):
    files.changed(currents, change)
    with pytest.raises(CaseError) as error:
        ocean.read_sea(currents, "current", CORNER, BEGIN, 1.0)
    assert message in str(error.value)


@pytest.fixture
def topography(tmp_path):
    """Return a bathymetry whose eastern side has a cell of land."""
    depth = np.full((6, 4), 10.0)
    depth[5, 1] = np.nan
    files.bathymetry(tmp_path / "topo.nc", depth, 500.0)
    return str(tmp_path / "topo.nc")


class Pool(ocean.StratifiedCase):
    """A case whose times have no dates."""

    name, period, duration = "pool", 3600.0, 600.0

    @property
    def setup(self):
        """An ocean with an open boundary."""
        return self.step_of(lambda step: ocean.Setup(DOMAIN, step, **self.stratification(DOMAIN)))


@pytest.mark.parametrize("key", ["sea_salinity", "layer_current"])
def test_files_of_a_case_without_dates_are_refused(key):
    with pytest.raises(CaseError, match="the case 'pool' has no date at which it begins"):
        assert Pool(layers=5, temperature="10", salinity="35", **{key: "sea.nc"}).setup


def case(topography, **given):
    usual = {"bathymetry": topography, "layers": 5, "open": ["east"], "temperature": "8"}
    usual |= {"salinity": "30", "begin": str(BEGIN), "hours": 10.0}
    return make_case("ocean", {**usual, **given})


def test_the_command_line_takes_profiles_that_change_in_time(path, topography):
    given = {"sea_salinity": str(path), "sea_temperature": "9", "sponge": 2}
    setup = case(topography, relaxation="0.5 0.1 0.2", **given).setup
    assert setup.sea_temperature == 9.0
    assert setup.relaxation == ocean.Relaxation(0.5, 0.1, 0.2)
    # The file also has a point for the cell of land.
    sea = setup.sea_salinity(0.0, 0.0, np.full((3, 1), -2.0)).at(3600.0)
    assert sea == pytest.approx(30.0 + POINTS[[0, 2, 3]] + 2.0 + 1.0)
    assert "salinity beyond open boundaries: 30 to 53" in case(topography, **given).describe()


def test_the_command_line_takes_currents_of_layers(currents, topography):
    sea = case(topography, layer_current=str(currents)).setup.layer_current
    found = sea(0.0, 0.0, np.full((3, 1), -2.0)).at(3600.0)
    assert found == pytest.approx(1e-2 + 1e-3 * POINTS[[0, 2, 3]] + 2e-5)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"layer_current": "0.1"}, "'layer_current' was given '0.1'; expected NetCDF with a name"),
        ({"sea_salinity": "salty"}, "'sea_salinity' was given 'salty'; expected a number, or Net"),
        ({"sea_salinity": "none.nc"}, "There is no boundary file 'none.nc'"),
        ({"sea_salinity": "sea.nc", "open": ["south"]}, "at 4 points; expected 6, one for each"),
        ({"sea_salinity": "sea.nc", "hours": 12.0}, "ends at 2004-01-01 11:00:00, but the run"),
        ({"relaxation": "0.5"}, "'relaxation' was given '0.5'; expected the share of the sea"),
        ({"relaxation": "0.5 0 0.02"}, "'relaxation' was given .* without a sponge of 2 cells"),
        ({"relaxation": "0.1 0.5 0.02", "sponge": 2}, "'inflow' was given 0.1, and 'outflow' 0.5"),
    ],
)
def test_profiles_of_the_command_line_that_cannot_be(path, topography, given, message):
    if given.get("sea_salinity") == "sea.nc":
        given = {**given, "sea_salinity": str(path)}
    with pytest.raises(CaseError, match=message):
        case(topography, **given)
