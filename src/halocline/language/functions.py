"""Functions of values of cells; of plain numbers and arrays they are those of Python and NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from halocline.errors import KernelError
from halocline.language.expr import Index
from halocline.language.operators import Value, apply, binary, choice, is_symbolic
from halocline.language.place import user_place


def sqrt(x: Any) -> Any:
    """Return the square root, correctly rounded."""
    return apply("sqrt", x)


def exp(x: Any) -> Any:
    """Return e to the power x."""
    return apply("exp", x)


def log(x: Any) -> Any:
    """Return the natural logarithm."""
    return apply("log", x)


def sin(x: Any) -> Any:
    """Return the sine of an angle [rad]."""
    return apply("sin", x)


def cos(x: Any) -> Any:
    """Return the cosine of an angle [rad]."""
    return apply("cos", x)


def tanh(x: Any) -> Any:
    """Return the hyperbolic tangent."""
    return apply("tanh", x)


def minimum(a: Any, b: Any) -> Any:
    """Return b where b < a, else a."""
    return binary("min", a, b) if is_symbolic(a, b) else np.where(b < a, b, a)[()]


def maximum(a: Any, b: Any) -> Any:
    """Return b where a < b, else a."""
    return binary("max", a, b) if is_symbolic(a, b) else np.where(a < b, b, a)[()]


def where(condition: Any, a: Any, b: Any) -> Any:
    """Return a in the cells where the condition holds, b in the others."""
    if not is_symbolic(condition, a, b):
        return np.where(condition, a, b)[()]
    return choice(condition, a, b)


def index(axis: str) -> Value:
    """Return the global index of the cell along 'x', 'y' or 'z', of type int64.

    Along a periodic axis it wraps: seen from cell 0, 'hc.index("x")[-1]' is n - 1. Elsewhere it
    goes on: -1 and n next beyond the sides.
    """
    if axis not in ("x", "y", "z"):
        raise KernelError(f"There is no axis '{axis}'.", place=user_place())
    return Value(Index("xyz".index(axis), 0))
