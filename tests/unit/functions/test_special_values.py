"""Special values are those of Annex F of the C standard."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cases import OF_ONE, TYPES, same_bits

from halocline.runtime.elementary import elementary

INF, NAN = math.inf, math.nan
ONE = {
    "exp": [(0.0, 1), (-0.0, 1), (INF, INF), (-INF, 0.0)],
    "exp2": [(0.0, 1), (-0.0, 1), (INF, INF), (-INF, 0.0), (10, 1024), (-3, 0.125)],
    "expm1": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -1)],
    "log": [(0.0, -INF), (-0.0, -INF), (1, 0.0), (-1, NAN), (INF, INF), (-INF, NAN)],
    "log2": [(0.0, -INF), (-0.0, -INF), (1, 0.0), (-1, NAN), (INF, INF), (8, 3), (2.0**-60, -60)],
    "log10": [(0.0, -INF), (-0.0, -INF), (1, 0.0), (-1, NAN), (INF, INF), (1000, 3)],
    "log1p": [(0.0, 0.0), (-0.0, -0.0), (-1, -INF), (-2, NAN), (INF, INF), (-INF, NAN)],
    "sin": [(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN)],
    "cos": [(0.0, 1), (-0.0, 1), (INF, NAN), (-INF, NAN)],
    "tan": [(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN)],
    "asin": [(0.0, 0.0), (-0.0, -0.0), (1.5, NAN), (-INF, NAN)],
    "acos": [(1, 0.0), (1.5, NAN), (-1.5, NAN), (INF, NAN)],
    "atan": [(0.0, 0.0), (-0.0, -0.0), (INF, math.pi / 2), (-INF, -math.pi / 2)],
    "sinh": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF)],
    "cosh": [(0.0, 1), (-0.0, 1), (INF, INF), (-INF, INF)],
    "tanh": [(0.0, 0.0), (-0.0, -0.0), (INF, 1), (-INF, -1)],
    "cbrt": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (27, 3), (-0.125, -0.5)],
    "erf": [(0.0, 0.0), (-0.0, -0.0), (INF, 1), (-INF, -1)],
}
PI = math.pi
TWO = {
    "pow": [
        ((0.0, -1), INF), ((-0.0, -1), -INF), ((-0.0, -3), -INF), ((0.0, -2), INF),
        ((-0.0, -2), INF), ((-0.0, -1.5), INF), ((0.0, -INF), INF), ((-0.0, 3), -0.0),
        ((-0.0, 2), 0.0), ((0.0, 2.5), 0.0), ((-1, INF), 1), ((-1, -INF), 1), ((1, NAN), 1),
        ((1, INF), 1), ((NAN, 0.0), 1), ((INF, -0.0), 1), ((-8, 1 / 3), NAN), ((0.5, -INF), INF),
        ((2, -INF), 0.0), ((0.5, INF), 0.0), ((-2, INF), INF), ((-INF, -3), -0.0),
        ((-INF, -2), 0.0), ((-INF, 3), -INF), ((-INF, 2), INF), ((-INF, 0.5), INF),
        ((INF, -0.5), 0.0), ((INF, 0.5), INF), ((NAN, 1), NAN), ((2, NAN), NAN), ((-2, 3), -8),
    ],
    "atan2": [
        ((0.0, -1), PI), ((-0.0, -1), -PI), ((0.0, -0.0), PI), ((-0.0, -0.0), -PI),
        ((0.0, 0.0), 0.0), ((-0.0, 0.0), -0.0), ((0.0, 1), 0.0), ((-0.0, 1), -0.0),
        ((1, 0.0), PI / 2), ((-1, -0.0), -PI / 2), ((1, -INF), PI), ((-1, INF), -0.0),
        ((INF, 1), PI / 2), ((-INF, -1), -PI / 2), ((INF, -INF), 3 * PI / 4),
        ((-INF, INF), -PI / 4), ((NAN, 1), NAN), ((INF, NAN), NAN),
    ],
    "hypot": [
        ((INF, NAN), INF), ((NAN, -INF), INF), ((0.0, -0.0), 0.0), ((-3, 4), 5), ((NAN, 1), NAN),
        ((-2, 0.0), 2),
    ],
}  # fmt: skip


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", OF_ONE)
def test_of_one_number(name, dtype):
    given, wanted = np.array([*ONE[name], (NAN, NAN)], dtype).T
    assert same_bits(elementary(name, given), np.ascontiguousarray(wanted))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", TWO)
def test_of_two_numbers(name, dtype):
    arguments, wanted = zip(*TWO[name], strict=True)
    found = elementary(name, *np.array(arguments, dtype).T)
    assert same_bits(found, np.array(wanted, dtype)), list(zip(arguments, wanted, found))
