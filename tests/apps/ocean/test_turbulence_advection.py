"""Turbulence that the flow carries: constants, content, extremes, distance, bits, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from basins import FRICTIONLESS, Run, flat
from msgspec.structs import replace

import halocline as hc
from halocline.apps.ocean.model import make_model
from halocline.apps.ocean.physics.drying import Drying
from halocline.apps.ocean.physics.tides import Wave
from halocline.apps.ocean.physics.turbulence import KEpsilon
from halocline.apps.ocean.physics.turbulence_advection import advect_turbulence
from halocline.apps.ocean.setup.domain import WATER, OpenBoundary
from halocline.apps.ocean.setup.setup import Setup
from halocline.apps.ocean.setup.sigma import Sigma
from halocline.errors import CaseError
from halocline.language.grids.fields import Field

SPLITTINGS = ("unsplit", "full", "strang", "flux_corrected")
WIDTH, LAYERS = 500.0, 6


def sloshing():
    """Return a basin of which one part is open, in which water comes and goes."""
    domain = flat(12, 9, WIDTH, 10.0, open=(OpenBoundary("west", 0, 0, 8),))
    bed = domain.depth.copy()
    bed[5:7, 3:5] = np.nan
    x = (np.arange(12) + 0.5)[:, None]
    return Setup(
        replace(domain, depth=bed),
        10.0,
        6,
        tide=(Wave(2e-3, 0.5),),
        zeta=0.5 * np.cos(np.pi * x / 12) * np.ones((1, 9)),
        layers=Sigma(LAYERS, 1.0),
        drying=Drying(0.05, 0.2),
        turbulence="constant",
    )


def carried(run, tke, *, times=1, scheme="P2_PDM", splitting="strang", least=1e-10, **options):
    """Return what k is after the last macro step of a run, in which nothing else changes it."""
    model = make_model(run.setup)
    layers, flow = model.layers, model.layers.flow
    for field, known in zip(flow, run.model.layers.flow):
        if isinstance(field, Field):
            field.set(known.gather())
    layers.turbulence.tke.set(tke)
    steps = advect_turbulence(
        layers.turbulence,
        flow,
        model.metric,
        run.setup.macro_step,
        water=run.setup.domain.cells == WATER,
        scheme=scheme,
        splitting=splitting,
        model=KEpsilon(least_tke=least),
    )
    hc.Simulation(model.grid, steps, threads=1, **options).run(times, progress=False)
    return layers.turbulence.tke.gather()


@pytest.fixture(scope="module")
def moving():
    """Return a run whose water moves."""
    return Run(sloshing()).steps(5)


@pytest.fixture(params=SPLITTINGS)
def splitting(request):
    return request.param


def test_constant_turbulence_stays_the_same_number(moving, splitting):
    assert np.abs(moving.model.layers.w.gather()).max() > 1e-5
    assert (carried(moving, 1e-4, splitting=splitting) == 1e-4).all()


def test_content_of_turbulence_is_kept_and_limited_schemes_make_no_extremum():
    run = Run(replace(sloshing(), tide=(), domain=flat(12, 9, WIDTH, 10.0))).steps(5)
    first = np.full((12, 9, LAYERS + 1), 1e-6)
    first[4:8, 3:6, 3:5] = 1e-4
    found = carried(run, first)
    layers = run.model.layers
    size = np.diff(np.cumsum(run.setup.layers.fractions) - 0.5 * run.setup.layers.fractions)
    before, after = (
        np.sum(field.gather()[..., None] * size * (values - 1e-6)[..., 1:-1])
        for field, values in ((layers.before, first), (layers.after, found))
    )
    assert np.abs(found - first).max() > 1e-8
    assert after == pytest.approx(before, rel=1e-12)
    assert found.min() >= 1e-6 - 1e-20
    assert found.max() <= 1e-4 + 1e-18


@pytest.mark.parametrize("axis", ["x", "y"])
def test_turbulence_moves_with_the_flow(axis):
    domain = flat(20, 20, WIDTH, 10.0, periodic=(True, True))
    step, speed = 200.0, 1.0
    setup = Setup(
        domain, step / 20, 20, drag=FRICTIONLESS, layers=Sigma(LAYERS), turbulence="constant"
    )
    run = Run(setup)
    flow = run.model.layers.columns[axis]
    flow.transport.set(speed * 10.0 / LAYERS)
    place = WIDTH * (np.arange(20) + 0.5)
    blob = 1e-6 + 1e-4 * np.exp(-(((place - 3000.0) / 1000.0) ** 2))
    first = np.moveaxis(
        np.broadcast_to(blob[:, None, None], (20, 20, LAYERS + 1)), 0, "xy".index(axis)
    )
    found = np.moveaxis(carried(run, first, times=15), "xy".index(axis), 0)[..., 1:-1] - 1e-6
    middle = np.sum(found * place[:, None, None], axis=0) / np.sum(found, axis=0)
    assert middle == pytest.approx(6000.0, abs=20.0)


def test_carried_turbulence_has_the_same_bits_on_blocks(moving, splitting):
    first = 1e-4 * np.random.default_rng(1).random((12, 9, LAYERS + 1))
    strategy = hc.Strategy(poison=True)
    one, other = (
        carried(moving, first, splitting=splitting, **options)
        for options in ({}, {"blocks": 4, "strategy": strategy})
    )
    assert np.array_equal(one, other)


def test_turbulence_is_not_carried_below_its_least_value(moving):
    first = np.full((12, 9, LAYERS + 1), 1e-9)
    first[6:, :, :] = 1e-3
    found = carried(moving, first, scheme="P2", splitting="unsplit", least=1e-9)
    assert found.min() == 1e-9


def test_carried_turbulence_changes_what_it_mixes():
    given = {"turbulence": "k-epsilon", "stress": (1e-4, 0.0)}
    still, moving = (
        Run(replace(sloshing(), **given, turbulence_advection=scheme)).steps(10)
        for scheme in ("none", "UPSTREAM")
    )
    one, other = (run.model.layers.turbulence.viscosity.gather() for run in (still, moving))
    assert np.isfinite(other).all()
    assert 1e-4 < np.abs(one - other).max() < 1e-1


def test_advection_of_constant_turbulence_is_refused():
    message = "'turbulence_advection' was given to an ocean without 'k-epsilon' turbulence"
    with pytest.raises(CaseError, match=message):
        replace(sloshing(), turbulence_advection="P2")
