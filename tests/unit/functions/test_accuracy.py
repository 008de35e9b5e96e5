"""Functions are within one unit in the last place of mpmath's results."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cases import OF_ONE, TWO, TYPES, nasty, pairs

from halocline.runtime.elementary import elementary

mpmath = pytest.importorskip("mpmath", reason="mpmath, which knows all digits, is not installed")

NAMES = {"pow": "power"}
# Beyond these sizes of arguments results are limits, which are tested as special values.
LARGEST = {
    "exp": 2000,
    "exp2": 2000,
    "expm1": 2000,
    "sinh": 2000,
    "cosh": 2000,
    "tanh": 400,
    "erf": 40,
}


def truth(name, *arguments):
    """Return the function to 60 digits at least."""
    with mpmath.workprec(1300 if name in ("sin", "cos", "tan") else 220):
        x = [mpmath.mpf(float(argument)) for argument in arguments]
        match name:
            case "exp2":
                return mpmath.mpf(2) ** x[0]
            case "log2" | "log10":
                return mpmath.log(x[0]) / mpmath.log(int(name[3:]))
            case "cbrt":
                return mpmath.sign(x[0]) * mpmath.cbrt(abs(x[0]))
            case _:
                return getattr(mpmath, NAMES.get(name, name))(*x)


def is_regular(name, *arguments):
    """Return whether the result is a number that a wide enough float would hold."""
    x = arguments[0]
    if not all(np.isfinite(arguments)) or any(a == 0 for a in arguments):
        return False
    if name.startswith("log"):
        return x > (-1 if name == "log1p" else 0)
    if name in ("asin", "acos"):
        return abs(x) <= 1
    if name == "pow":
        return x > 0 and abs(float(arguments[1]) * math.log(float(x))) < 2000
    return abs(x) < LARGEST.get(name, np.inf)


def units(found, wanted, dtype):
    """Return the error in units in the last place; beyond the largest number infinity is right."""
    info = np.finfo(dtype)
    largest = mpmath.mpf(2) ** info.maxexp
    unit = largest * mpmath.mpf(2) ** (-1 - info.nmant)
    if abs(wanted) < largest:
        exponent = int(mpmath.floor(mpmath.log(abs(wanted), 2))) if wanted else info.minexp
        unit = mpmath.mpf(2) ** (max(exponent, info.minexp) - info.nmant)
    limit = mpmath.sign(found) * largest if np.isinf(found) else mpmath.mpf(float(found))
    wanted = mpmath.sign(wanted) * min(abs(wanted), largest)
    return float(abs(limit - wanted) / unit)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", [*OF_ONE, *TWO])
def test_errors_are_below_one_unit(name, dtype):
    given = pairs(dtype) if name in TWO else (nasty(dtype, count=250),)
    found = elementary(name, *given)
    rows = [row for row in zip(found, *given) if is_regular(name, *row[1:])]
    assert len(rows) > 250
    with mpmath.workprec(220):
        worst = max((units(y, truth(name, *x), dtype), x) for y, *x in rows)
    assert worst[0] < 1, worst


# Where errors were the largest while the functions were written.
WORST = {
    "exp2": ["0x1.2bc1701a96d53p+9"],
    "expm1": ["0x1.28b32fb23bcaep+5", "0x1.299c86c51fd4p+5"],
    "log2": ["0x1.67f743c4eeec9p+0", "0x1.69f781e59aad1p+0", "0x1.669984439c663p+0"],
    "log10": ["0x1.4e9fec166f527p+0"],
}


@pytest.mark.parametrize("name", WORST)
def test_errors_are_below_one_unit_where_they_were_largest(name):
    x = np.array([float.fromhex(number) for number in WORST[name]])
    with mpmath.workprec(220):
        errors = [units(y, truth(name, a), np.float64) for y, a in zip(elementary(name, x), x)]
    assert max(errors) < 1, errors


def test_powers_are_within_one_unit_where_logarithms_count_most():
    """The product of exponent and logarithm is hundreds: its last bits are the result's first."""
    x = np.array([float.fromhex("0x1.647da9904949fp+0"), float.fromhex("0x1.6940a2f789924p+0")])
    y = np.array([float.fromhex("0x1.e80c73c0b3d3fp+10"), float.fromhex("-0x1.87451a88d002bp+10")])
    with mpmath.workprec(220):
        found = elementary("pow", x, y)
        errors = [units(z, truth("pow", a, b), np.float64) for z, a, b in zip(found, x, y)]
    assert max(errors) < 1, errors
