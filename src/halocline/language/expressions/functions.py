"""Functions of values of cells; Python and NumPy apply them to plain numbers and arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from halocline.errors import KernelError
from halocline.language.expressions.expr import Index
from halocline.language.expressions.operators import (
    Value,
    apply,
    choice,
    is_symbolic,
    limited,
    power_of,
)
from halocline.language.place import user_place


def sqrt(x: Any) -> Any:
    """Return the square root, correctly rounded.

    Example:
        >>> hc.sqrt(4.0)
        2.0
    """
    return apply("sqrt", x)


def cbrt(x: Any) -> Any:
    """Return the cube root.

    Example:
        >>> hc.cbrt(8.0)
        2.0
    """
    return apply("cbrt", x)


def exp(x: Any) -> Any:
    """Return e to the power x.

    Example:
        >>> hc.exp(0.0)
        1.0
    """
    return apply("exp", x)


def exp2(x: Any) -> Any:
    """Return 2 to the power x.

    Example:
        >>> hc.exp2(3.0)
        8.0
    """
    return apply("exp2", x)


def expm1(x: Any) -> Any:
    """Return e to the power x, minus 1; accurate for small x too.

    Example:
        >>> hc.expm1(0.0)
        0.0
    """
    return apply("expm1", x)


def log(x: Any) -> Any:
    """Return the natural logarithm.

    Example:
        >>> hc.log(1.0)
        0.0
    """
    return apply("log", x)


def log2(x: Any) -> Any:
    """Return the logarithm to base 2.

    Example:
        >>> hc.log2(8.0)
        3.0
    """
    return apply("log2", x)


def log10(x: Any) -> Any:
    """Return the logarithm to base 10.

    Example:
        >>> hc.log10(100.0)
        2.0
    """
    return apply("log10", x)


def log1p(x: Any) -> Any:
    """Return the natural logarithm of 1 + x; accurate for small x too.

    Example:
        >>> hc.log1p(0.0)
        0.0
    """
    return apply("log1p", x)


def sin(x: Any) -> Any:
    """Return the sine of an angle [rad].

    Example:
        >>> hc.sin(0.0)
        0.0
    """
    return apply("sin", x)


def cos(x: Any) -> Any:
    """Return the cosine of an angle [rad].

    Example:
        >>> hc.cos(0.0)
        1.0
    """
    return apply("cos", x)


def tan(x: Any) -> Any:
    """Return the tangent of an angle [rad].

    Example:
        >>> hc.tan(0.0)
        0.0
    """
    return apply("tan", x)


def asin(x: Any) -> Any:
    """Return the angle from -pi/2 to pi/2 [rad] whose sine is x.

    Example:
        >>> hc.asin(0.0)
        0.0
    """
    return apply("asin", x)


def acos(x: Any) -> Any:
    """Return the angle from 0 to pi [rad] whose cosine is x.

    Example:
        >>> hc.acos(1.0)
        0.0
    """
    return apply("acos", x)


def atan(x: Any) -> Any:
    """Return the angle from -pi/2 to pi/2 [rad] whose tangent is x.

    Example:
        >>> hc.atan(0.0)
        0.0
    """
    return apply("atan", x)


def sinh(x: Any) -> Any:
    """Return the hyperbolic sine.

    Example:
        >>> hc.sinh(0.0)
        0.0
    """
    return apply("sinh", x)


def cosh(x: Any) -> Any:
    """Return the hyperbolic cosine.

    Example:
        >>> hc.cosh(0.0)
        1.0
    """
    return apply("cosh", x)


def tanh(x: Any) -> Any:
    """Return the hyperbolic tangent.

    Example:
        >>> hc.tanh(0.0)
        0.0
    """
    return apply("tanh", x)


def erf(x: Any) -> Any:
    """Return the error function, 2 / sqrt(pi) times the integral of exp(-t**2) from 0 to x.

    Example:
        >>> hc.erf(0.0)
        0.0
    """
    return apply("erf", x)


def floor(x: Any) -> Any:
    """Return the largest whole number that is not above x, in the type of x.

    Example:
        >>> hc.floor(1.5)
        1.0
    """
    return apply("floor", x)


def ceil(x: Any) -> Any:
    """Return the smallest whole number that is not below x, in the type of x.

    Example:
        >>> hc.ceil(1.5)
        2.0
    """
    return apply("ceil", x)


def trunc(x: Any) -> Any:
    """Return x without its fraction, in the type of x.

    Example:
        >>> hc.trunc(-1.5)
        -1.0
    """
    return apply("trunc", x)


def round(x: Any) -> Any:  # noqa: A001 (the field's word)
    """Return the nearest whole number, of two equally near the even one, in the type of x.

    Example:
        >>> hc.round(2.5)
        2.0
    """
    return apply("round", x)


def sign(x: Any) -> Any:
    """Return -1, 0 or 1 in the type of x; what is not a number stays so.

    Example:
        >>> hc.sign(-2.0)
        -1.0
    """
    return apply("sign", x)


def pow(x: Any, power: Any) -> Any:  # noqa: A001 (the field's word)
    """Return x**power: whole and half numbers up to 16 as products and roots.

    Example:
        >>> hc.pow(2.0, 3.0)
        8.0
    """
    return power_of(x, power) if is_symbolic(x, power) else x**power


def atan2(y: Any, x: Any) -> Any:
    """Return the angle of the point (x, y) from the x-axis, from -pi to pi [rad].

    Example:
        >>> hc.atan2(0.0, 1.0)
        0.0
    """
    return apply("atan2", y, x)


def hypot(a: Any, b: Any) -> Any:
    """Return the square root of a**2 + b**2, without overflow.

    Example:
        >>> hc.hypot(3.0, 4.0)
        5.0
    """
    return apply("hypot", a, b)


def fmod(a: Any, b: Any) -> Any:
    """Return what is left of a after taking b from it as often as it fits; it has the sign of a.

    Example:
        >>> hc.fmod(-7.0, 3.0)
        -1.0
    """
    return apply("fmod", a, b)


def copysign(a: Any, b: Any) -> Any:
    """Return the size of a with the sign of b.

    Example:
        >>> hc.copysign(2.0, -1.0)
        -2.0
    """
    return apply("copysign", a, b)


def isnan(x: Any) -> Any:
    """Return whether x is not a number.

    Example:
        >>> print(hc.isnan(0.0))
        False
    """
    return apply("ne", x, x) if is_symbolic(x) else np.isnan(x)


def clip(x: Any, lower: Any, upper: Any) -> Any:
    """Return x, or the limit beyond which it lies; None is no limit.

    Example:
        >>> print(hc.clip(1.5, 0.0, 1.0))
        1.0
    """
    return limited(x, lower, upper) if is_symbolic(x, lower, upper) else np.clip(x, lower, upper)


def minimum(a: Any, b: Any) -> Any:
    """Return b where b < a, else a.

    Example:
        >>> print(hc.minimum(1.0, 2.0))
        1.0
    """
    return apply("min", a, b)


def maximum(a: Any, b: Any) -> Any:
    """Return b where a < b, else a.

    Example:
        >>> print(hc.maximum(1.0, 2.0))
        2.0
    """
    return apply("max", a, b)


def where(condition: Any, a: Any, b: Any) -> Any:
    """Return a in the cells where the condition holds, b in the others.

    Example:
        >>> print(hc.where(2.0 > 1.0, 5.0, 6.0))
        5.0
    """
    if not is_symbolic(condition, a, b):
        return np.where(condition, a, b)[()]
    if isinstance(condition, bool) and all(getattr(v, "is_number", True) for v in (a, b)):
        raise KernelError(
            f"'hc.where' was given {condition} to choose between parameters; expected a "
            "comparison of numbers that are known at run time.",
            hint="'==' and '!=' compare objects; write <, <=, > or >= of parameters.",
            place=user_place(),
        )
    return choice(condition, a, b)


def index(axis: str) -> Value:
    """Return the global index of the cell along 'x', 'y' or 'z', of type int64.

    Along a periodic axis it wraps: seen from cell 0, 'hc.index("x")[-1]' is n - 1. Elsewhere it
    goes on: -1 and n next beyond the sides.

    Example:
        >>> hc.index("x") % 2
        <index_x % 2 in each cell>
    """
    if axis not in ("x", "y", "z"):
        raise KernelError(f"There is no axis '{axis}'.", place=user_place())
    return Value(Index("xyz".index(axis), 0))
