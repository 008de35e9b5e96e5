"""What density does to layers that slope: where the exact answer is known, and where it is 0."""

from __future__ import annotations

import numpy as np
import pytest
from basins import G, Run
from msgspec.structs import replace
from ocean_cases import run as run_case

import halocline as hc
from halocline.apps.ocean.baroclinic.internal_pressure import Node, mass_between
from halocline.apps.ocean.cases.seamount import Seamount
from halocline.apps.ocean.setup.domain import Domain
from halocline.apps.ocean.setup.setup import Setup
from halocline.apps.ocean.setup.sigma import Sigma

METHODS = ("jacobian", "blumberg-mellor")
WIDTH = 2e3


def anomaly(temperature, salinity):
    """Return a density that grows as water becomes colder, less that of reference."""
    return -0.2 * (temperature - 10.0)


def rough(temperature, method="jacobian", layers=None, **more):
    """Return water at rest, with some temperature, above a rough bed with islands."""
    depth = 5.0 + 60.0 * np.random.default_rng(3).random((18, 14))
    depth[5:8, 5:8] = -1.0
    depth[11:14, 9:12] = np.nan
    setup = Setup(
        Domain(depth, (WIDTH, WIDTH)),
        20.0,
        10,
        layers=layers or Sigma(8),
        temperature=temperature,
        density=anomaly,
        pressure_gradient=method,
        advection="none",
    )
    return replace(setup, **more)


def push(run):
    """Return what the internal pressure does to the transports of layers in the first step [m²/s²].

    Beside it the half-sum of the heights of the cells' layers, by axis.
    """
    layers, domain = run.model.layers, run.setup.domain
    fractions = run.setup.layers.fractions_in(np.maximum(domain.bed, run.setup.drying.least))
    share = np.cumsum(fractions, axis=-1) - 0.5 * fractions
    zeta = np.broadcast_to(run.setup.zeta, domain.extent)
    depth = np.maximum(zeta + domain.bed, run.setup.drying.least)[..., None]
    height = depth * share - domain.bed[..., None]
    run.steps(1)
    found = {}
    for number, (axis, columns) in enumerate(layers.columns.items()):
        inner = [slice(None), slice(None)]
        inner[number] = slice(1, -1)
        along = np.moveaxis(height, number, 0)
        middle = np.moveaxis(0.5 * (along[1:] + along[:-1]), 0, number)
        is_stepped = columns.points.stepped.gather()[tuple(inner)]
        found[axis] = columns.explicit.gather()[tuple(inner)][is_stepped], middle[is_stepped]
    return found


def at_rest(x, y, z):
    return 10.0 + 0.2 * z + 0.0 * (x + y)


@pytest.mark.parametrize("sigma", [Sigma(8), Sigma(7, 1.5, 1.0)], ids=["even", "zoomed"])
def test_a_density_linear_in_the_height_drives_nothing_over_any_bed(sigma):
    for method, is_exact in zip(METHODS, (True, False), strict=True):
        found = push(Run(rough(at_rest, method, sigma)))
        largest = max(np.abs(values).max() for values, _ in found.values())
        assert (largest < 1e-16) == is_exact


def test_a_density_linear_along_x_is_exact_over_a_plane_bed():
    """p grows by g r for each metre along x and below the surface; coasts bend the fits."""
    by_x = 1e-5  # kg/m³ for each metre
    bed = (10.0 + 2.0 * np.arange(18.0)[:, None]) * np.ones(14)
    setup = rough(lambda x, y, z: 10.0 - by_x / 0.2 * x + 0.0 * (y + z))
    run = Run(replace(setup, domain=Domain(bed, (WIDTH, WIDTH))))
    found = push(run)
    values, middle = (part.reshape(17, 14, 8)[2:-2] for part in found["x"])
    thickness = (11.0 + 2.0 * np.arange(17.0))[2:-2, None, None] / 8.0
    exact = thickness * (G / 1025.0) * by_x * middle
    assert np.abs(values - exact).max() < 1e-11 * np.abs(exact).max()
    assert np.abs(found["y"][0]).max() < 1e-11 * np.abs(exact).max()


@pytest.mark.parametrize("method", METHODS)
def test_water_of_equal_density_feels_the_slope_of_its_surface_once(method):
    zeta = 0.4 * np.cos(np.arange(18) / 3.0)[:, None] * np.ones(14)
    found = push(Run(rough(40.0, method, zeta=zeta)))
    assert max(np.abs(values).max() for values, _ in found.values()) < 1e-16


def test_land_is_not_looked_at():
    setup = rough(None)
    first = 10.0 + np.random.default_rng(4).random((*setup.domain.extent, 8))
    other = first.copy()
    other[~setup.domain.is_wet] = -50.0
    runs = [Run(replace(setup, temperature=values)).steps(3) for values in (first, other)]
    assert all(np.array_equal(getattr(runs[0], name), getattr(runs[1], name)) for name in "UV")


@pytest.mark.parametrize("method", METHODS)
def test_blocks_have_the_same_bits(method):
    def temperature(x, y, z):
        return 10.0 + 0.2 * z + np.sin(x / 5e3) * np.cos(y / 4e3)

    setup = rough(temperature, method)
    whole = Run(setup).steps(5)
    poison = hc.Strategy(overlap="rim-first", poison=True)
    cut = Run(setup, blocks=4, strategy=poison).steps(5)
    assert np.abs(whole.U).max() > 1e-3
    assert all(np.array_equal(getattr(whole, name), getattr(cut, name)) for name in "UV")


def test_a_cubic_is_integrated_exactly():
    """Density s³ over the height s + s²/2, on the way s from 0 to 1."""
    found = mass_between(Node(0.0, 0.0, 1.0), Node(1.0, 3.0, 2.0), 1.5)
    assert found == pytest.approx(1 / 4 + 1 / 5, abs=1e-15)


@pytest.mark.slow
def test_above_a_seamount_at_rest_the_jacobian_errs_ten_times_less():
    fastest = [
        run_case("seamount", pressure_gradient=method, cells=34, days=0.25)[0].series("greatest")[
            -1
        ]
        for method in METHODS
    ]
    assert 0.0 < 10.0 * fastest[0] < fastest[1] < 0.05


def test_water_that_is_everywhere_as_heavy_stays_at_rest_exactly():
    case = Seamount(cells=18, cell_size=30e3, layers=6, by_temperature=0.0)
    run = Run(case.setup).steps(20)
    assert not any(
        columns.transport.gather().any() for columns in run.model.layers.columns.values()
    )
