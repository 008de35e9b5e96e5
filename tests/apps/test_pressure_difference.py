"""The pressure difference of a body, read off cells beside it."""

from __future__ import annotations

import numpy as np
import pytest

from halocline.apps.lbm.cases.past_body import pressure_difference


def field(shape, middle, radius, function):
    """Return values in the middle of cells, missing in the body."""
    places = np.meshgrid(*(np.arange(n) + 0.5 for n in shape), indexing="ij")
    x, y, *_ = (at - m for at, m in zip(places, middle, strict=True))
    return np.where(np.hypot(x, y) <= radius + 1e-9, np.nan, function(*places))


@pytest.mark.parametrize("middle", [(9.0, 8.0), (9.5, 8.5), (9.3, 7.6)])
def test_a_parabola_along_the_flow_and_a_cubic_across_are_exact(middle):
    def pressure(x, y):
        return (1.0 - 0.3 * x + 0.02 * x**2) * (2.0 + 0.1 * y - 0.03 * y**2 + 0.004 * y**3)

    found = pressure_difference(field((20, 16), middle, 3.0, pressure), middle, 3.0)
    x, y = middle
    assert found == pytest.approx(pressure(x - 3.0, y) - pressure(x + 3.0, y), rel=1e-12)


def test_in_space_it_is_that_in_the_middle_of_the_other_axis():
    def pressure(x, y, z):
        return (0.2 * x**2 - x) * (1.0 + 0.1 * y**3) * (2.0 - 0.05 * z**3)

    middle = (9.0, 8.25, 6.5)
    found = pressure_difference(field((20, 16, 12), middle, 3.0, pressure), middle, 3.0)
    expected = pressure(6.0, *middle[1:]) - pressure(12.0, *middle[1:])
    assert found == pytest.approx(expected, rel=1e-12)


def test_a_body_near_the_sides_has_that_of_the_cells_there_are():
    middle, radius = (4.5, 4.0), 2.0
    values = field((9, 8), middle, radius, lambda x, _y: 3.0 * x)
    assert pressure_difference(values, middle, radius) == pytest.approx(-6.0 * radius)
