"""Rain and evaporation: water that comes and goes without salt."""

from __future__ import annotations

import numpy as np
import pytest
from basins import DEEP, Run, flat
from small_oceans import bay

import halocline as hc
from halocline.apps.ocean.setup.limits import Limits
from halocline.apps.ocean.setup.rivers import River
from halocline.apps.ocean.setup.setup import Setup
from halocline.apps.ocean.setup.sigma import Sigma

# A heavy shower [m/s], and a dry wind.
SHOWER, DRY_WIND = 2e-5, -1e-5
LAYERS = Sigma(5, 0.5, 1.5)


def sea(nx=12, ny=8, depth=10.0, **more):
    given = {"layers": LAYERS, "stress": (1e-4, 5e-5), **more}
    return Run(Setup(flat(nx, ny, 1e3, depth, f=1e-4), 30.0, 10, **given))


def contents(run):
    """Return the content of each tracer over the area of a cell."""
    layers = run.model.layers
    depth = layers.after.gather()[..., None] * run.setup.layers.fractions
    return [float(np.sum(depth * tracer.gather())) for tracer in layers.tracers]


@pytest.mark.parametrize("layers", [None, LAYERS])
@pytest.mark.parametrize("rain", [SHOWER, DRY_WIND])
def test_the_volume_grows_by_rain_over_area_and_time(rain, layers):
    run = sea(rain=rain, layers=layers)
    volume = run.volume
    run.steps(20)
    assert run.volume - volume == pytest.approx(rain * run.simulation.time * 12 * 8, rel=1e-11)


def test_rain_may_differ_from_place_to_place_and_with_time():
    showers = np.zeros((12, 8))
    showers[2:5, 3] = SHOWER
    run = sea(rain=hc.Series([0.0, 3000.0], [0.0 * showers, showers]))
    volume = run.volume
    run.steps(10)
    # A series is looked up when a macro step begins.
    fallen = 3 * SHOWER * sum(300.0 * step / 3000.0 * 300.0 for step in range(10))
    assert run.volume - volume == pytest.approx(fallen, rel=1e-10)


@pytest.mark.parametrize("rain", [SHOWER, DRY_WIND])
@pytest.mark.parametrize("splitting", ["strang", "flux_corrected"])
def test_all_salt_stays_in_the_water(rain, splitting):
    salinity = 30.0 + np.random.default_rng(3).random((12, 8, 5))
    run = sea(rain=rain, salinity=salinity, temperature=10.0, splitting=splitting)
    heat, salt = contents(run)
    run.steps(20)
    found = contents(run)
    assert found[1] == pytest.approx(salt, rel=1e-13)
    # Water comes and goes with the temperature of the surface, which all water has.
    fallen = rain * run.simulation.time * 12 * 8
    assert found[0] - heat == pytest.approx(10.0 * fallen, rel=1e-9)
    assert np.abs(run.model.layers.tracers[0].gather() - 10.0).max() < 1e-11


def test_rain_freshens_the_surface_and_leaves_the_water_below_as_it_is():
    run = sea(
        rain=SHOWER, salinity=35.0, stress=None, turbulence="constant", scheme="UPSTREAM", **DEEP
    )
    run.steps(1)
    salinity = run.model.layers.tracers[0].gather()[4, 4]
    highest = LAYERS.fractions[-1] * 10.0
    fallen = SHOWER * run.setup.macro_step
    # Faces that rise let some of the fresher water into the layer below, and molecules mix.
    assert salinity[-1] == pytest.approx(35.0 * highest / (highest + fallen), rel=1e-6)
    assert np.abs(salinity[:-2] - 35.0).max() < 1e-7
    assert 0.0 < 35.0 - salinity[-2] < 0.1 * (35.0 - salinity[-1])


def test_rain_that_does_not_fall_changes_no_bit():
    salinity = 30.0 + np.random.default_rng(3).random((12, 8, 5))
    dry, wet = (sea(salinity=salinity, **given).steps(5) for given in ({}, {"rain": 0.0}))
    for one in ("zeta", "U", "V"):
        assert np.array_equal(*(getattr(run.model, one).gather() for run in (dry, wet)))
    assert np.array_equal(*(run.model.layers.tracers[0].gather() for run in (dry, wet)))


def test_rain_and_rivers_bring_what_each_says():
    rivers = (River((3, 4), 500.0, salinity=0.0), River((8, 2), 300.0, salinity=20.0))
    run = sea(rain=SHOWER, salinity=35.0, rivers=rivers)
    (salt,), volume = contents(run), run.volume
    run.steps(20)
    time = run.simulation.time
    assert run.volume - volume == pytest.approx(SHOWER * 96 * time + 800.0 * time / 1e6, rel=1e-10)
    assert contents(run)[0] - salt == pytest.approx(300.0 * 20.0 * time / 1e6, rel=1e-9)


def test_no_rain_falls_on_land_or_on_the_sea_beyond_and_flats_do_not_dry_out():
    domain = bay()
    # What is left on flats is brine.
    limits = Limits(salinity=(0.0, 1e4))
    given = {"layers": LAYERS, "salinity": 34.0, "zeta": 0.0, "limits": limits}
    run = Run(Setup(domain, 10.0, 6, rain=-1e-3, **given)).steps(30)
    rain = run.model.grid.fields["rain"].gather()
    assert np.all(rain[domain.cells != 1] == 0.0)
    assert rain.min() == -1e-3
    depth = (run.zeta + domain.bed)[domain.is_wet]
    assert depth.min() > 0.9 * run.setup.drying.least
