"""Currents of layers at open boundaries: layers take what is given about the mean over depth."""

from __future__ import annotations

import numpy as np
import pytest
from basins import FRICTIONLESS, Run, flat

import halocline as hc
from halocline.apps.ocean.baroclinic.mode import VISCOSITY
from halocline.apps.ocean.setup.domain import Domain, OpenBoundary
from halocline.apps.ocean.setup.levels import ZLevels
from halocline.apps.ocean.setup.setup import Setup
from halocline.apps.ocean.setup.sigma import Sigma
from halocline.errors import CaseError

DEPTH, LAYERS = 50.0, 4
PROFILE = np.array([-0.3, 0.0, 0.1, 0.4])  # m/s, from the bed up
SHEAR = PROFILE - PROFILE.mean()
ENDS = (OpenBoundary("west", 0, 0, 3), OpenBoundary("east", 11, 0, 3))


def channel(domain=None, **more):
    """Return a frictionless channel along x, open at both ends."""
    domain = domain or flat(12, 4, 1e3, DEPTH, open=ENDS)
    given = {"layers": Sigma(LAYERS), "turbulence": "constant", "advection": "none", **more}
    return Run(Setup(domain, 20.0, 4, drag=FRICTIONLESS, **given))


def transports(run, axis="x"):
    return run.model.layers.columns[axis].transport.gather()


def mixed(velocities, steps, dt):
    """Return velocities of layers after implicit steps of viscosity alone."""
    rate = dt * VISCOSITY / (DEPTH / LAYERS) ** 2
    ends = np.array([1.0, 2.0, 2.0, 1.0])
    matrix = np.eye(LAYERS) + rate * (np.diag(ends) - np.eye(LAYERS, k=1) - np.eye(LAYERS, k=-1))
    for _ in range(steps):
        velocities = np.linalg.solve(matrix, velocities)
    return velocities


CARRIED = {"advection": "P2_PDM", "advection_splitting": "strang"}


@pytest.mark.parametrize(
    ("kind", "advection"),
    [
        ("flather", {"advection": "none"}),
        ("clamped", {"advection": "none"}),
        ("flather", {"advection": "UPSTREAM"}),
        ("clamped", CARRIED),
    ],
    ids=["flather, none", "clamped, none", "flather, UPSTREAM", "clamped, P2_PDM"],
)
def test_a_sheared_current_flows_through_a_channel_unchanged_but_for_viscosity(kind, advection):
    mean = PROFILE.mean() if kind == "flather" else 0.0
    run = channel(open_kind=kind, layer_current=np.tile(PROFILE, (8, 1)), **advection)
    U = np.full_like(run.U, mean * DEPTH)
    U[[0, -1]] = 0.0
    run.start(U=U)
    columns, h = run.model.layers.columns["x"], DEPTH / LAYERS
    columns.mean.set(U)
    start = h * (mean + SHEAR) + np.zeros((*U.shape, LAYERS))
    start[[0, -1]] = 0.0
    columns.transport.set(start)
    found = transports(run.steps(30)) / h
    inside = mixed(mean + SHEAR, 30, run.setup.macro_step)
    assert np.abs(inside - mean - SHEAR).max() > 1e-6
    # What comes in has not been mixed as long as what was there.
    brought = 0.0 if advection["advection"] == "none" else 0.5
    slack = 1e-13 + brought * np.abs(inside - mean - SHEAR).max()
    assert np.abs(found[2:-2] - inside).max() < slack
    assert np.abs(found[[1, -2]] - mean - SHEAR).max() < slack
    assert np.abs(run.zeta).max() < 1e-13 + brought * 1e-5


@pytest.mark.parametrize(
    ("side", "axis", "ramp"),
    [("west", "x", 0.0), ("north", "y", 1e3), ("east", "x", 1e3), ("south", "y", 0.0)],
)
def test_layers_beside_a_boundary_and_in_its_sponge_follow_what_is_given(side, axis, ramp):
    begin = 0.1 * np.arange(8.0 * LAYERS).reshape(8, LAYERS) ** 1.5
    series = hc.Series([0.0, 1e3, 1e4], [begin, 2.0 * begin, 11.0 * begin])
    line = OpenBoundary(side, 0 if side in ("west", "south") else 7, 0, 7)
    domain = flat(8, 8, 1e3, DEPTH, open=(line,))
    run = channel(domain, layer_current=series, sponge=3, ramp=ramp)
    shear = begin - begin.mean(axis=1, keepdims=True)
    for step in (1, 2, 3):
        before, found = transports(run, axis), transports(run.steps(1), axis)
        middle = (step - 0.5) * run.setup.macro_step
        grown = (1.0 + middle / 1e3) * (middle / ramp if ramp else 1.0)
        towards = grown * shear * DEPTH / LAYERS
        if axis == "y":
            before, found = (np.swapaxes(field, 0, 1) for field in (before, found))
        if line.index:
            before, found = before[::-1], found[::-1]
        assert found[1] == pytest.approx(towards, abs=1e-12)
        # Molecular viscosity changes what was there by less than this.
        for away, weight in ((2, 4.0 / 9.0), (3, 1.0 / 9.0)):
            expected = before[away] + weight * (towards - before[away])
            assert found[away] == pytest.approx(expected, abs=1e-4)
        assert np.abs(found[4:]).max() == 0.0


CELLS = np.linspace(0.1, 0.4, 8)


@pytest.mark.parametrize(
    ("given", "means"),
    [
        (hc.Series([0.0, 1e6], [0.1, 0.1]), np.full(8, 0.1)),
        (CELLS, CELLS),
        # Middles of the cells of both ends are at these x and y.
        (
            lambda x, y, height: 1e-4 * (x + y + height),
            1e-4 * np.add.outer([500.0, 11500.0], [500.0, 1500.0, 2500.0, 3500.0]).ravel() - 25e-4,
        ),
    ],
    ids=["number", "cells", "function"],
)
def test_the_mean_over_the_depth_flows_beyond_flather_boundaries(given, means):
    run = channel(layer_current=given, open_kind="flather").steps(5)
    rows = hc.Series([0.0, 1e6], [means, means])
    same = channel(current=rows, open_kind="flather").steps(5)
    assert np.abs(same.U).max() > 1e-3
    assert np.abs(run.U - same.U).max() < 1e-12


def test_layers_add_up_to_the_mean_current_where_their_shares_differ():
    depth = np.linspace(40.0, 10.0, 12)[:, np.newaxis] + np.zeros((1, 4))
    layers = ZLevels((5.0, 10.0, 20.0), thinnest=0.5)
    rows = np.tile(PROFILE, (8, 1))
    domain = Domain(depth, (1e3, 1e3), open=ENDS)
    run = channel(domain, layers=layers, layer_current=rows, sponge=2).steps(3)
    mean = run.model.layers.columns["x"].mean.gather()
    assert transports(run).sum(axis=-1) == pytest.approx(mean, abs=1e-13)
    fractions = layers.fractions_in(depth[1])
    shear = PROFILE - (fractions * PROFILE).sum(axis=-1, keepdims=True)
    columns = run.model.layers.columns["x"]
    expected = mean[1][:, np.newaxis] + columns.depth.gather()[1][:, np.newaxis] * shear
    assert transports(run)[1] == pytest.approx(fractions * expected, abs=1e-13)


def test_the_sea_flows_on_where_no_water_lies_behind_open_cells():
    lines = (OpenBoundary("west", 2, 0, 1), OpenBoundary("north", 3, 4, 5))
    depth = np.full((6, 4), DEPTH)
    expected = np.zeros((6, 4))
    expected[4:, 3] = 4.0
    assert np.array_equal(Domain(depth, (1e3, 1e3), open=lines).flows_on(), expected)
    depth[:2, 1] = np.nan
    expected[2, 1] = 1.0
    assert np.array_equal(Domain(depth, (1e3, 1e3), open=lines).flows_on(), expected)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"layers": None}, "'layer_current' was given to an ocean without layers, where it"),
        ({"domain": flat(8, 4, 1e3, DEPTH)}, "was given to an ocean without an open boundary"),
        (
            {"layer_current": np.zeros((8, 3))},
            "'layer_current' was given with the shape (8, 3); expected a number, or the shape (8,) "
            "or (8, 4): 8 open cells.",
        ),
        (
            {"layer_current": hc.Series([0.0, 1.0], np.zeros((2, 7)))},
            "'layer_current' was given with the shape (7,) at each time; expected a number",
        ),
        ({"layer_current": "fast"}, "'layer_current' was given 'fast'; expected a number, an arr"),
        ({"layer_current": [np.nan] * 8}, "expected a number, an array of numbers, or a function"),
        (
            {"current": hc.Series([0.0, 1.0], np.zeros((2, 8)))},
            "'current' was given to an ocean without a 'flather' boundary. Other boundaries say",
        ),
    ],
)
def test_currents_that_nothing_can_take_are_refused(given, message):
    usual = {"domain": flat(12, 4, 1e3, DEPTH, open=ENDS), "micro_step": 20.0}
    usual |= {"layers": Sigma(LAYERS), "layer_current": 0.1}
    with pytest.raises(CaseError) as error:
        Setup(**{**usual, **given})
    assert message in str(error.value)


def test_a_function_whose_currents_have_another_shape_is_refused():
    with pytest.raises(CaseError, match="has the shape \\(5,\\) at each time; expected \\(\\), "):
        channel(layer_current=lambda x, y, height: hc.Series([0.0, 1.0], np.ones((2, 5))))
