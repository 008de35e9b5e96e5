"""Operations on plain numbers by Python, and on arrays by NumPy."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import KernelError
from halocline.language.expressions.operations import OPERATIONS
from halocline.language.place import user_place

if TYPE_CHECKING:
    from collections.abc import Callable

# NumPy's own functions treat NaN differently.
_CHOICES: dict[str, Callable[..., Any]] = {
    "min": lambda a, b: _where(b < a, b, a),
    "max": lambda a, b: _where(a < b, b, a),
}


def _where(condition: Any, a: Any, b: Any) -> Any:
    return np.asarray(np.where(condition, a, b))[()]


def plain(op: str, *values: Any) -> Any:
    """Return a function of plain numbers or arrays, which an initial state is computed with.

    Raises:
        KernelError: A number lies outside of the function's domain, or its value is too large.
    """
    of_numpy = any(isinstance(value, np.ndarray | np.generic | complex) for value in values)
    if of_numpy or op in _CHOICES:
        return numpy_function(op)(*values)
    if op == "abs":
        return abs(*values)
    if OPERATIONS[op].arity == 1 and OPERATIONS[op].operands == "common":
        # Of Python's numbers NumPy makes numbers of its own, which have a width.
        return numpy_function(op)(float(*values)).item()
    try:
        return getattr(math, op)(*values)
    except (ValueError, OverflowError) as error:
        raise KernelError(
            f"'hc.{op}' was given {', '.join(map(repr, values))}: {error}.",
            hint="NumPy's numbers, as np.float64(-1.0), give NaN or an infinity.",
            place=user_place(),
        ) from None


@cache
def numpy_function(op: str) -> Callable[..., Any]:
    """Return an operation as a function of NumPy's arrays and numbers."""
    if op in _CHOICES:
        return _CHOICES[op]
    if name := OPERATIONS[op].numpy:
        return getattr(np, name)  # type: ignore[no-any-return]
    of_each = np.vectorize(getattr(math, op), otypes=[float])
    return lambda *values: of_each(*values).astype(np.result_type(*values, np.float32))[()]
