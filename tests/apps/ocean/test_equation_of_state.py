"""The density of sea water, against values published with the formula."""

from __future__ import annotations

import numpy as np
import pytest

import halocline as hc
from halocline.apps.ocean.physics.equation_of_state import eos80, jackett06, linear


@pytest.mark.parametrize(
    ("salinity", "temperature", "density"),
    [
        (0.0, 5.0, 999.96675),
        (35.0, 5.0, 1027.67547),
        (35.0, 25.0, 1023.34306),
        (35.0, 10.0, 1026.95241),
    ],
)
def test_eos80_gives_the_check_values_of_unesco(salinity, temperature, density):
    assert eos80(temperature, salinity) == pytest.approx(density, abs=1e-5)


def test_jackett_et_al_differ_from_unesco_by_what_they_say():
    temperature, salinity = np.meshgrid(np.linspace(-2.0, 30.0, 33), np.linspace(0.0, 40.0, 21))
    found = jackett06(temperature, salinity)
    assert abs(found - eos80(temperature, salinity)).max() < 0.02
    narrow = jackett06(temperature.astype("float32"), salinity.astype("float32"), 1025.0)
    assert narrow.dtype == np.float32
    assert abs(narrow - (found - 1025.0)).max() < 3e-5


def test_linear_density_changes_by_its_coefficients():
    assert linear(10.0, 33.75) == 1025.0
    assert linear(11.0, 33.75) == pytest.approx(1024.83, abs=1e-12)
    assert linear(10.0, 34.75, 1000.0) == pytest.approx(25.78, abs=1e-12)
    assert linear(15.0, 0.0, at=(5.0, 0.0), by_temperature=-0.2) == 1023.0


def test_salt_that_advection_rounds_below_nothing_is_none():
    assert eos80(5.0, -1e-9) == eos80(5.0, 0.0)


def test_an_anomaly_keeps_its_digits_in_single_precision():
    temperature, salinity = np.linspace(0.0, 30.0, 50), np.linspace(0.0, 38.0, 50)
    narrow = eos80(temperature.astype("float32"), salinity.astype("float32"), 1025.0)
    assert narrow.dtype == np.float32
    assert abs(narrow - (eos80(temperature, salinity) - 1025.0)).max() < 1e-5


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("density_of", [eos80, jackett06, linear])
def test_a_kernel_finds_the_density_that_numpy_finds(density_of, dtype):
    grid = hc.Grid((8, 4, 3))
    T, S, density = (grid.field(name, dtype=dtype) for name in ("T", "S", "density"))

    @hc.kernel
    def find(density, T, S):
        density[0, 0, 0] = density_of(T, S, 1025.0)

    random = np.random.default_rng(1)
    temperature, salinity = (
        random.uniform(0.0, 30.0, (8, 4, 3)),
        random.uniform(0.0, 38.0, (8, 4, 3)),
    )
    T.set(temperature), S.set(salinity)
    hc.Simulation(grid, [find(density, T, S)], threads=1).run(1, progress=False)
    expected = density_of(temperature.astype(dtype), salinity.astype(dtype), 1025.0)
    assert abs(density.gather() - expected).max() < 60.0 * np.finfo(dtype).eps
