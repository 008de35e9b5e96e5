"""Stability functions, against published values and the algebra that they come from."""

from __future__ import annotations

import numpy as np
import pytest

import halocline as hc
from halocline.apps.ocean.physics.stability import CANUTO_A, CANUTO_B, CHENG


def test_coefficients_of_canuto_a_are_those_that_are_printed():
    n = (0.1066666667, 0.0173396587, -1.20518796e-4)
    m = (0.1120448179, 0.0045194548, 8.8713483e-4)
    d = (0.2554702521, 0.0287163230, 0.0052224710, 0.0086776787, -3.3722123e-5)
    np.testing.assert_allclose(CANUTO_A.n, n, rtol=1e-6)
    np.testing.assert_allclose(CANUTO_A.m, m, rtol=1e-6)
    np.testing.assert_allclose(CANUTO_A.d, d, rtol=1e-6)
    assert CANUTO_A.most_unstable == pytest.approx(-3.05643, abs=1e-5)


@pytest.mark.parametrize(
    ("closure", "c", "expected"),
    [
        (CANUTO_A, (5.0, 0.8, 1.968, 1.136), 0.526465),
        (CANUTO_B, (5.0, 0.6983, 1.9664, 1.094), 0.553987),
        (CHENG, (5.0, 0.7983, 1.968, 1.136), 0.527046),
    ],
)
def test_c_mu0_is_that_of_the_logarithmic_layer(closure, c, expected):
    a1, a2, a3, f = 2 / 3 - c[1] / 2, 1 - c[2] / 2, 1 - c[3] / 2, c[0] / 2
    c_mu0 = ((a2**2 - 3 * a3**2 + 3 * a1 * f) / (3 * f**2)) ** 0.25
    assert closure.c_mu0 == pytest.approx(c_mu0, rel=1e-8)
    assert closure.c_mu0 == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("stratification", "shear", "c_mu", "c_mu_of_tracers"),
    [
        (0.0, 13.0174, 0.52646, 0.61911),
        (1.0, 15.7228, 0.46766, 0.49984),
        (2.0, 18.0879, 0.42521, 0.41899),
        (5.0, 23.9929, 0.34438, 0.28192),
        (10.0, 31.9768, 0.27134, 0.18233),
        (20.0, 45.6451, 0.19694, 0.10680),
    ],
)
def test_equilibria_are_those_of_the_reference(stratification, shear, c_mu, c_mu_of_tracers):
    n, m = CANUTO_A.mixing(shear, stratification)
    assert n / CANUTO_A.c_mu0**3 == pytest.approx(c_mu, abs=1e-5)
    assert m / CANUTO_A.c_mu0**3 == pytest.approx(c_mu_of_tracers, abs=1e-5)
    assert CANUTO_A.equilibrium(stratification / shear) == pytest.approx(shear, abs=1e-3)


def test_weight_of_buoyancy_keeps_turbulence_steady_at_a_quarter():
    assert CANUTO_A.buoyancy_weight(0.25, 1.44, 1.92) == pytest.approx(-0.62091, abs=1e-5)


def test_neither_instability_nor_shear_leaves_the_range_of_the_closure():
    grid = hc.Grid((40, 40))
    fields = [grid.field(name) for name in ("shear", "stratification", "n", "m")]
    given = np.meshgrid(np.geomspace(1e-2, 1e4, 40), np.linspace(-10.0, 30.0, 40))
    for field, values in zip(fields, given):
        field.set(values)

    @hc.kernel
    def limit(shear, stratification, n, m):
        x, a = CANUTO_A.limited(shear, stratification)
        n[0, 0], m[0, 0] = CANUTO_A.mixing(x, a)
        shear[0, 0], stratification[0, 0] = x, a

    hc.Simulation(grid, [limit(*fields)], threads=1).run(1, progress=False)
    shear, stratification, n, m = (field.gather() for field in fields)

    (n0, n1, _), (d1, d2, d3, d4, _), a = CANUTO_A.n, CANUTO_A.d, stratification
    most = n0 + (n1 + d1 * n0) * a + (d1 * n1 + d4 * n0) * a**2 + d4 * n1 * a**3
    most /= d2 * n0 + (d2 * n1 + d3 * n0) * a + d3 * n1 * a**2
    np.testing.assert_allclose(stratification, np.maximum(given[1], CANUTO_A.most_unstable / 2))
    np.testing.assert_allclose(shear, np.minimum(given[0], most), rtol=1e-12)
    assert n.min() > 0.0
    assert m.min() > 0.0
