"""Centreline profiles and the spline through them."""

from __future__ import annotations

import numpy as np
import pytest

from halocline.apps.lbm.cases.profiles import Reference, centreline, compare, cubic_spline


def test_the_spline_reproduces_cubics_up_to_the_ends_of_uneven_positions():
    x = np.array([0.0, 0.05, 0.15, 0.25, 0.6, 0.9, 1.0])
    at = np.linspace(0.0, 1.0, 101)
    assert np.abs(cubic_spline(x, x**3 - 2 * x, at) - (at**3 - 2 * at)).max() < 1e-14


def test_the_spline_converges_at_fourth_order():
    errors = []
    for n in (10, 20, 40):
        x = np.concatenate([[0.0], (np.arange(n) + 0.5) / n, [1.0]])
        at = np.linspace(0.0, 1.0, 301)
        errors.append(np.abs(cubic_spline(x, np.sin(5 * x), at) - np.sin(5 * at)).max())
    assert np.all(np.log2(np.array(errors[:-1]) / errors[1:]) > 3.5)


@pytest.mark.parametrize("n", [7, 8])
@pytest.mark.parametrize("dimensions", [2, 3])
def test_a_centreline_is_exact_for_cubics_in_the_other_coordinates(n, dimensions):
    x = (np.arange(n) + 0.5) / n
    along = x[None, :] if dimensions == 2 else x[None, :, None]
    across = x[:, None] ** 3 if dimensions == 2 else x[:, None, None] ** 3 * x[None, None, :] ** 2
    line = centreline(across * (1 + along), 1, (0.0, 9.0))
    middle = 0.5**3 if dimensions == 2 else 0.5**5
    assert line.positions == pytest.approx([0.0, *x, 1.0])
    assert line.values == pytest.approx([0.0, *(middle * (1 + x)), 9.0])


def test_walls_do_not_count_in_a_comparison():
    profile = centreline(np.tile(np.linspace(0.05, 0.95, 10), (10, 1)), 1, (0.0, 1.0))
    known = Reference("me", "u", np.array([0.0, 0.5, 1.0]), np.array([5.0, 0.4, 5.0]))
    difference = compare(profile, known)
    assert difference.maximum == pytest.approx(0.1)
    assert str(difference) == "u: max 0.10000, RMS 0.10000 against me"
