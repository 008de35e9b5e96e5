"""Heat through the surface: none is lost, and sunlight goes as deep as Paulson and Simpson say."""

from __future__ import annotations

import numpy as np
import pytest
from basins import DEEP, Run, flat

import halocline as hc
from halocline.apps.ocean.setup.setup import Setup
from halocline.apps.ocean.setup.sigma import Sigma
from halocline.errors import CaseError

PER_KELVIN = 1025.0 * 3985.0  # J/m³
DEPTH = 40.0


def warmed(**more):
    """Return water at rest that nothing mixes but its molecules."""
    given = {"temperature": 12.0, "turbulence": "constant", "layers": Sigma(16, 0.0, 2.0), **more}
    return Setup(flat(3, 2, 1e3, DEPTH), 20.0, 3, **given, **DEEP)


def gained(run):
    """Return how much warmer each layer of a column is than 12 degC, and how thick it is."""
    return run.model.layers.tracers[0].gather()[1, 1] - 12.0, DEPTH * run.setup.layers.fractions


@pytest.mark.parametrize("turbulence", ["constant", "k-epsilon"])
def test_all_heat_that_enters_stays_in_the_water(turbulence):
    run = Run(warmed(heat_flux=-80.0, sunlight=500.0, water_type="II", turbulence=turbulence))
    warmer, thickness = gained(run.steps(50))
    content = PER_KELVIN * np.sum(warmer * thickness)
    assert content == pytest.approx((500.0 - 80.0) * run.simulation.time, rel=1e-11)


def test_sunlight_warms_layers_as_deep_as_it_reaches():
    run = Run(warmed(sunlight=1000.0, water_type="IB"))
    warmer, thickness = gained(run.steps(1))
    above = DEPTH - np.append(0.0, np.cumsum(thickness))
    light = 0.67 * np.exp(-above / 1.0) + 0.33 * np.exp(-above / 17.0)
    light[0] = 0.0  # the lowest layer keeps what reaches the bed
    exact = 1000.0 * run.setup.macro_step * np.diff(light) / (PER_KELVIN * thickness)
    assert warmer == pytest.approx(exact, rel=1e-3)


def test_without_sunlight_only_the_highest_layer_feels_the_surface():
    run = Run(warmed(heat_flux=200.0))
    warmer, thickness = gained(run.steps(1))
    exact = 200.0 * run.setup.macro_step / (PER_KELVIN * thickness[-1])
    assert warmer[-1] == pytest.approx(exact, rel=1e-3)
    assert np.abs(warmer[:-2]).max() < 1e-6 * exact


@pytest.mark.parametrize("last", [np.full((3, 2), 120.0), 120.0], ids=["arrays", "numbers"])
def test_heat_may_follow_a_series_of_arrays_or_of_numbers(last):
    series = hc.Series([0.0, 600.0], [0.0 * last, last])
    run = Run(warmed(heat_flux=series)).steps(10)
    warmer, thickness = gained(run)
    steps = 60.0 * np.arange(10)
    exact = np.sum(120.0 * steps / 600.0) * 60.0
    assert PER_KELVIN * np.sum(warmer * thickness) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("salinity", [20.0, None])
def test_water_at_its_freezing_point_does_not_cool_but_warms(salinity):
    freezing = -0.0575 * (35.0 if salinity is None else salinity)
    thickness = DEPTH * Sigma(16, 0.0, 2.0).fractions[-1]
    for flux, first, way in ((-500.0, 0.0, 0.0), (500.0, 0.0, 1.0), (-500.0, 0.5, -1.0)):
        run = Run(warmed(heat_flux=flux, temperature=freezing + first, salinity=salinity)).steps(1)
        change = run.model.layers.tracers[0].gather()[..., -1] - (freezing + first)
        entered = way * abs(flux) * run.setup.macro_step / (PER_KELVIN * thickness)
        assert change == pytest.approx(entered, rel=1e-3, abs=1e-14)
    # Cooled on and on, it stays within what one step takes.
    run = Run(warmed(heat_flux=-500.0, temperature=freezing + 0.1, salinity=salinity)).steps(300)
    step = 500.0 * run.setup.macro_step / (PER_KELVIN * thickness)
    found = run.model.layers.tracers[0].gather()
    assert freezing - step <= found.min() <= freezing


def test_water_without_a_temperature_is_refused():
    with pytest.raises(CaseError, match="temperature"):
        Run(warmed(temperature=None, salinity=35.0, sunlight=100.0))
