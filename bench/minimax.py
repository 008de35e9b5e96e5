"""The polynomials of 'cpp/abi/elementary': minimax by the exchange of Remez, in many digits.

Run with mpmath: 'python bench/minimax.py [name …]'. Prints each polynomial's coefficients as double
numbers, the lowest first, and its largest error, with those coefficients, as a power of two.

Source: E. Ya. Remez, Sur la détermination des polynômes d'approximation de degré donnée (1934).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

from mpmath import mp, mpf

mp.dps = 60
Function = Callable[[mpf], mpf]
_SERIES = mpf(2) ** -12  # below this, quotients that cancel come from their series


class Fit(NamedTuple):
    """A polynomial to find, near 'function' on an interval.

    Its largest error times 'weight', what it does to the result, is made as small as can be.
    """

    degree: int
    lower: mpf
    upper: mpf
    function: Function
    weight: Function


def remez(fit: Fit) -> list[mpf]:
    """Return the coefficients, rounded to double numbers."""
    free = fit.degree + 1
    middle, half = (fit.lower + fit.upper) / 2, (fit.upper - fit.lower) / 2
    points = [middle - half * mp.cos(mp.pi * i / free) for i in range(free + 1)]
    grid = [middle - half * mp.cos(mp.pi * i / 600) for i in range(601)]
    wanted = {x: fit.function(x) for x in grid}
    least = max(map(fit.weight, grid)) / 256  # no weight is zero
    weights = {x: max(fit.weight(x), least) for x in (*grid, *points)}
    coefficients: list[mpf] = []
    for _ in range(12):
        rows = mp.matrix(free + 1, free + 1)
        right = mp.matrix(free + 1, 1)
        for i, x in enumerate(points):
            for j in range(free):
                rows[i, j] = x**j
            rows[i, free] = (-1) ** i / weights[x]
            right[i] = fit.function(x)
        solution = mp.lu_solve(rows, right)
        coefficients = [solution[j] for j in range(free)]
        errors = [(weights[x] * (mp.polyval(coefficients[::-1], x) - wanted[x]), x) for x in grid]
        found = _alternating(errors)
        if len(found) < free + 1:  # the grid, or the digits, are too coarse for more
            break
        while len(found) > free + 1:
            found.pop(0 if abs(found[0][0]) < abs(found[-1][0]) else -1)
        points = [x for _, x in found]
        sizes = [abs(error) for error, _ in found]
        if max(sizes) < min(sizes) * mpf("1.02"):
            break
    return [mpf(float(c)) for c in coefficients]


def _alternating(errors: list[tuple[mpf, mpf]]) -> list[tuple[mpf, mpf]]:
    """Return the largest error of each run of one sign."""
    found: list[tuple[mpf, mpf]] = []
    for error in errors:
        if found and (found[-1][0] > 0) == (error[0] > 0):
            found[-1] = max(found[-1], error, key=lambda one: abs(one[0]))
        else:
            found.append(error)
    return found


def error_of(fit: Fit, coefficients: list[mpf]) -> float:
    """Return the binary logarithm of the largest weighted error."""
    points = [fit.lower + (fit.upper - fit.lower) * (i + mpf("0.5")) / 1000 for i in range(1000)]
    worst = max(
        abs(fit.weight(x) * (mp.polyval(coefficients[::-1], x) - fit.function(x))) for x in points
    )
    return float(mp.log(worst, 2))


def _rest(function: Function, known: Function, power: int) -> Function:
    """Return (function(x) - what is known of it) / x**power, also near zero."""

    def rest(x: mpf) -> mpf:
        series = abs(x) < _SERIES
        with mp.workdps(60 + (40 * power if series else 20)):
            x = x if x != 0 else mpf(2) ** -60
            return (function(x) - known(x)) / x**power

    return rest


def _of_square(function: Function, known: Function, power: int) -> Function:
    """Return the same of an odd or even function as one of x squared."""
    rest = _rest(function, known, power)
    return lambda z: rest(mp.sqrt(z))


def _erfcx(x: mpf) -> mpf:
    return mp.erfc(x) * mp.exp(x * x)


_LN2 = mp.log(2) / 2 * mpf("1.0001")
_HALF = mpf("0.50001")
_QUARTER = (mp.pi / 4 * mpf("1.0001")) ** 2
_EIGHTH = mp.tan(mp.pi / 8) ** 2 * mpf("1.0001")
_ROOT = mp.sqrt(2)
_ATANH = ((_ROOT - 1) / (_ROOT + 1)) ** 2 * mpf("1.0001")

_exp = (_rest(mp.exp, lambda r: 1 + r, 2), lambda r: r**2)
_exp2 = (_rest(lambda r: mpf(2) ** r, lambda r: mpf(1), 1), abs)
_log = (
    _rest(mp.log1p, lambda f: f - f * f / 2, 3),
    lambda f: abs(f**3 / mp.log1p(f)) if f != 0 else mpf(0),
)
_atanh = (_of_square(lambda s: 2 * mp.atanh(s), lambda s: 2 * s, 3), lambda z: z / 2)
_sin = (_of_square(mp.sin, lambda r: r, 3), lambda z: z)
_cos = (_of_square(mp.cos, lambda r: 1 - r * r / 2, 4), lambda z: z * z)
_atan = (_of_square(mp.atan, lambda t: t, 3), lambda z: z)
_asin = (_of_square(mp.asin, lambda t: t, 3), lambda z: z)
_erf = (_of_square(mp.erf, lambda x: 2 / mp.sqrt(mp.pi) * x, 3), lambda z: z)

FITS = {
    "exp double": Fit(10, -_LN2, _LN2, *_exp),
    "exp float": Fit(4, -_LN2, _LN2, *_exp),
    "exp of hyperbolic float": Fit(6, -_LN2, _LN2, *_exp),
    "exp2 double": Fit(10, -_HALF, _HALF, *_exp2),
    "exp2 float": Fit(5, -_HALF, _HALF, *_exp2),
    "sinh": Fit(6, mpf(0), mpf("1.0001"), _of_square(mp.sinh, lambda x: x, 3), lambda z: z),
    "log double": Fit(6, mpf(0), _ATANH, *_atanh),
    "log float": Fit(9, 1 / _ROOT - 1, _ROOT - 1, *_log),
    # Of s^2 with s = 2 f / (2 + f).
    "log of pow double": Fit(
        7,
        mpf(0),
        4 * _ATANH,
        _of_square(lambda s: 2 * mp.atanh(s / 2), lambda s: s + s**3 / 12, 5),
        lambda t: t**2,
    ),
    "log of pow float": Fit(4, mpf(0), _ATANH, *_atanh),  # over ln(2)
    "sin double": Fit(5, mpf(0), _QUARTER, *_sin),
    "sin float": Fit(2, mpf(0), _QUARTER, *_sin),
    "cos double": Fit(5, mpf(0), _QUARTER, *_cos),
    "cos float": Fit(2, mpf(0), _QUARTER, *_cos),
    "atan double": Fit(11, mpf(0), _EIGHTH, *_atan),
    "atan float": Fit(4, mpf(0), _EIGHTH, *_atan),
    "asin double": Fit(12, mpf(0), mpf("0.2501"), *_asin),
    "asin float": Fit(4, mpf(0), mpf("0.2501"), *_asin),
    "rcbrt": Fit(4, mpf(1), mpf(2), lambda x: x ** (-mpf(1) / 3), lambda x: x ** (mpf(1) / 3)),
    "erf double": Fit(13, mpf(0), mpf("1.0001"), *_erf),
    "erf float": Fit(6, mpf(0), mpf("1.0001"), *_erf),
    # Of u = (x - 2) / (x + 2): the scaled complement where x is from 0.8 to 6, or from 1 to 4.
    "erfcx double": Fit(
        17, -mpf(3) / 7, mpf(1) / 2, lambda u: _erfcx(2 * (1 + u) / (1 - u)), lambda _: mpf(1)
    ),
    "erfcx float": Fit(
        7, -mpf(1) / 3, mpf(1) / 3, lambda u: _erfcx(2 * (1 + u) / (1 - u)), lambda _: mpf(1)
    ),
}


def main() -> None:
    """Print the polynomials named on the command line, or all."""
    for name in sys.argv[1:] or FITS:
        fit = FITS[name]
        coefficients = remez(fit)
        print(f"{name}: error 2^{error_of(fit, coefficients):.1f}")
        print("   ", ", ".join(float(c).hex().replace("0000000000000p", "p") for c in coefficients))


if __name__ == "__main__":
    main()
