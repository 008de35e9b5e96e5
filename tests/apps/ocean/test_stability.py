"""Stability functions, against published values and the algebra that they come from."""

from __future__ import annotations

import numpy as np
import pytest

import halocline as hc
from halocline.apps.ocean.stability import CANUTO_A


def from_model_constants():
    """Coefficients of Canuto A by the closure's own constants.

    Source: Umlauf & Burchard 2005, the weak-equilibrium form in its general constants.
    """
    c1, c2, c3, c4, _, c6 = 5.0, 0.8, 1.968, 1.136, 0.0, 0.4
    ct1, ct2, ct3, ct4, ct5, ctt = 5.95, 0.6, 1.0, 0.0, 0.3333, 0.72  # as GOTM has 1/3
    a1, a2, a3, a5 = 2 / 3 - c2 / 2, 1 - c3 / 2, 1 - c4 / 2, (1 - c6) / 2
    b1, b2, b3, b5 = 1 - ct2, 1 - ct3, 2 * (1 - ct4), 2 * ctt * (1 - ct5)
    N, M = c1 / 2, ct1
    a = a2**2 - 3 * a3**2
    d = (
        84 * a5 * b3 * N**2 * M + 36 * b5 * N**3 * M,
        9 * (b2**2 - b1**2) * N**3 - 12 * a * N * M**2,
        12 * a5 * b3 * ((a2 * b1 - 3 * a3 * b2) * N + (a3**2 - a2**2) * M) - 12 * b5 * a * N * M,
        48 * a5**2 * b3**2 * N + 36 * a5 * b3 * b5 * N**2,
        3 * a * (b1**2 - b2**2) * N,
    )
    n = (
        36 * a1 * N**2 * M**2,
        -12 * a5 * b3 * (b1 + b2) * N**2
        + 8 * a5 * b3 * (6 * a1 - a2 - 3 * a3) * N * M
        + 36 * a1 * b5 * N**2 * M,
        9 * a1 * (b2**2 - b1**2) * N**2,
    )
    m = (
        12 * b3 * N**3 * M,
        12 * a5 * b3**2 * N**2,
        9 * a1 * b3 * (b1 - b2) * N**2 + (6 * a1 * (a2 - 3 * a3) - 4 * a) * b3 * N * M,
    )
    whole = 36 * N**3 * M**2
    c_mu0 = ((a + 3 * a1 * N) / (3 * N**2)) ** 0.25
    return *(np.array(values) / whole for values in (n, m, d)), c_mu0


def test_the_printed_coefficients_are_those_of_the_model_constants():
    n, m, d, _ = from_model_constants()
    np.testing.assert_allclose(CANUTO_A.n, n, rtol=1e-6)
    np.testing.assert_allclose(CANUTO_A.m, m, rtol=1e-6)
    np.testing.assert_allclose(CANUTO_A.d, d, rtol=1e-6)


def test_c_mu0_is_that_of_the_logarithmic_layer():
    assert CANUTO_A.c_mu0 == pytest.approx(from_model_constants()[-1], rel=1e-8)
    assert CANUTO_A.c_mu0 == pytest.approx(0.526465, abs=1e-6)


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
    np.testing.assert_allclose(stratification, np.maximum(given[1], -3.05643 / 2))
    np.testing.assert_allclose(shear, np.minimum(given[0], most), rtol=1e-12)
    assert n.min() > 0.0
    assert m.min() > 0.0
