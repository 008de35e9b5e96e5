"""Masked values are missing: refused, or land where that has a meaning."""

from __future__ import annotations

import numpy as np
import pytest

import halocline as hc
from halocline.apps.ocean.setup.domain import Domain
from halocline.errors import HaloclineError

MISSING = 1e20


def masked(values):
    return np.ma.masked_equal(np.asarray(values, float), MISSING)


@hc.kernel
def keep(T):
    T[0, 0] = 1.0 * T[0, 0]


def field():
    return hc.Grid((4, 3)).field("T")


def set_field():
    field().set(masked(np.full((4, 3), MISSING)))


def set_field_by_function():
    field().set(lambda x, y: masked(np.where(x < 2, MISSING, y)))


def set_components_by_function():
    u = hc.Grid((4, 3)).field("u", components=2)
    u.set(lambda x, y: (x, masked(np.where(x < 2, MISSING, y))))


def prescribe():
    field().boundary("x-", hc.Dirichlet(masked([1.0, MISSING, 2.0])))


def make_series():
    hc.Series([0.0, 1.0], masked([1.0, MISSING]))


def make_times():
    hc.Series(masked([0.0, MISSING]), [1.0, 2.0])


def place_points():
    hc.Points(masked([[1.0, 1.0], [MISSING, 2.0]]))


@pytest.mark.parametrize(
    ("act", "what"),
    [
        (set_field, r"Field 'T' was given an array of float64 with the shape \(4, 3\), 12 of its "),
        (
            set_field_by_function,
            r"Field 'T' was given an array of float64 .*, 6 of its values masked",
        ),
        (
            set_components_by_function,
            r"Field 'u' was given an array of float64 .*, 6 of its values",
        ),
        (
            prescribe,
            r"The boundary of 'T' on side 'x-' was given an array .*, 1 of its values masked",
        ),
        (make_series, r"its values are an array of float64 .*, 1 of its values masked"),
        (make_times, r"its times are an array of float64 .*, 1 of its values masked"),
        (place_points, r"Points were given an array of float64 .*, 1 of its values masked"),
    ],
)
def test_masked_values_are_refused(act, what):
    with pytest.raises(HaloclineError, match=what):
        act()


def test_an_array_of_which_nothing_is_masked_is_taken():
    T = field()
    T.set(masked(np.arange(12.0).reshape(4, 3)))
    hc.Simulation(T.grid, [keep(T)]).run(0)
    assert np.array_equal(T.gather(), np.arange(12.0).reshape(4, 3))


def test_masked_depths_are_land():
    domain = Domain(masked([[10.0, MISSING], [20.0, 5.0]]), (1e3, 1e3))
    assert np.array_equal(domain.is_wet, [[True, False], [True, True]])
