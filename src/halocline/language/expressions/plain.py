"""Functions of plain numbers and arrays: those of Python and of NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

# What NumPy calls them.
NUMPY_NAMES = {
    "sqrt": "sqrt", "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log2": "log2",
    "log10": "log10", "log1p": "log1p", "sin": "sin", "cos": "cos", "tan": "tan", "asin": "arcsin",
    "acos": "arccos", "atan": "arctan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh",
    "cbrt": "cbrt", "floor": "floor", "ceil": "ceil", "trunc": "trunc", "round": "round",
    "sign": "sign", "abs": "absolute", "pow": "power", "atan2": "arctan2", "hypot": "hypot",
    "fmod": "fmod", "copysign": "copysign",
}  # fmt: skip
# Of Python's numbers NumPy makes numbers of its own, which have a width.
_OF_PYTHON = ("floor", "ceil", "trunc", "round", "sign")
_erf = np.vectorize(math.erf, otypes=[float])


def plain(op: str, *values: Any) -> Any:
    """Return a function of plain numbers or arrays, which an initial state is computed with."""
    if any(isinstance(value, np.ndarray | np.generic) for value in values):
        return _of_arrays(op, *values)
    if op == "abs":
        return abs(*values)
    if op in _OF_PYTHON:
        return getattr(np, NUMPY_NAMES[op])(float(*values)).item()
    return getattr(math, op)(*values)


def _of_arrays(op: str, *values: Any) -> Any:
    if op != "erf":
        return getattr(np, NUMPY_NAMES[op])(*values)
    kind = np.result_type(values[0], np.float32)
    return _erf(values[0]).astype(kind)[()]
