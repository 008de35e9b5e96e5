"""What expressions mean, in plain NumPy on arrays of what they read."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from property.expressions import (
    Binary,
    Carry,
    Cast,
    Difference,
    Draw,
    Expression,
    Index,
    Keyword,
    Number,
    Offset,
    Power,
    Read,
    Shifted,
    Stencil,
    Unary,
    Where,
    moved,
    written_out,
)


def _where(condition, a, b) -> np.ndarray:
    """Return a where the condition holds, else b; unlike np.where, refuse numbers too large."""
    dtype = np.result_type(a, b)
    return np.where(condition, np.asarray(a, dtype), np.asarray(b, dtype))


# Functions that are rounded: libraries differ in the last place, and what follows would, too. So a
# program takes their values in steps, as a user would write it: round(3.7 * clip(f(x), -4, 4)).
OF_ONE: dict[str, Callable] = {
    "cbrt": np.cbrt, "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log,
    "log2": np.log2, "log10": np.log10, "log1p": np.log1p, "sin": np.sin, "cos": np.cos,
    "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh,
    "cosh": np.cosh, "tanh": np.tanh, "erf": np.vectorize(math.erf, otypes="d"),
}  # fmt: skip
OF_TWO: dict[str, Callable] = {"hypot": np.hypot, "atan2": np.arctan2, "pow": np.power}
STEPS, LIMIT = 3.7, 4.0


def _of_numbers(function: Callable) -> Callable:
    """Return a function that refuses truth values, of which NumPy would make bytes."""

    def applied(a, b) -> np.ndarray:
        if np.result_type(a, b).kind == "b":
            raise TypeError("Programs say which numbers they mean.")
        return function(a, b)

    return applied


def _in_steps(function: Callable, *values) -> np.ndarray:
    found = function(*(np.asarray(value).astype(np.float64) for value in values))
    found = np.where(found < -LIMIT, -LIMIT, found)
    return np.rint(STEPS * np.where(found > LIMIT, LIMIT, found))


def _copysign(size, sign):
    """Return sizes with signs; which sign what is not a number has is left open by IEEE."""
    if np.isnan(sign).any():
        raise UndefinedError
    return np.copysign(size, sign)


_OPERATIONS: dict[str, Callable] = {
    "neg": lambda a: -a,
    "abs": abs,
    "sqrt": np.sqrt,
    "not": lambda a: ~a,
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "min": lambda a, b: _where(b < a, b, a),
    "max": lambda a, b: _where(a < b, b, a),
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "round": np.round,
    "sign": np.sign,
    "isnan": np.isnan,
    "floordiv": _of_numbers(lambda a, b: a // b),
    "mod": _of_numbers(lambda a, b: a % b),
    "fmod": _of_numbers(np.fmod),
    "copysign": _copysign,
    "lshift": _of_numbers(lambda a, b: a << b),
    "rshift": _of_numbers(lambda a, b: a >> b),
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
} | {name: partial(_in_steps, function) for name, function in (OF_ONE | OF_TWO).items()}


class UndefinedError(Exception):
    """The program makes whole numbers of floats that do not fit, or looks at the sign of a NaN."""


# What a read, an index or a carry is, seen from the cell at an offset.
Look = Callable[[Read | Index | Draw | Carry, Offset], np.ndarray]


def evaluate(node: Expression, look: Look, keywords: dict[str, float], shift: Offset):
    """Return an expression in some cells; Python numbers are left to NumPy's rules for them."""
    match node:
        case Number(value):
            return value
        case Keyword(name):
            return keywords[name]
        case Index() | Draw() | Read() | Carry():
            return look(node, shift)
        case Stencil() | Difference():
            return evaluate(written_out(node), look, keywords, shift)
        case Shifted(operand, offset):
            return evaluate(operand, look, keywords, moved(shift, offset))
        case Power(base, exponent):
            return _power(evaluate(base, look, keywords, shift), exponent)
        case Cast(operand, dtype):
            return _cast(evaluate(operand, look, keywords, shift), dtype)
        case Where(condition, true, false):
            return _where(*(evaluate(a, look, keywords, shift) for a in (condition, true, false)))
        case Unary(op, operand):
            return _OPERATIONS[op](evaluate(operand, look, keywords, shift))
        case Binary(op, left, right):
            return _OPERATIONS[op](
                evaluate(left, look, keywords, shift), evaluate(right, look, keywords, shift)
            )


def computed(formula: Expression, numbers: dict[str, float]) -> np.float64:
    """Return a number that is computed of others, all of 64 bits."""

    def look(*_: object) -> np.ndarray:
        raise AssertionError("A formula reads no cells.")

    known = {name: np.float64(number) for name, number in numbers.items()}
    return np.float64(evaluate(formula, look, known, ()))


def _power(base, exponent: int):
    if exponent == 1:
        return base
    half = _power(base, exponent // 2)
    return half * half * base if exponent % 2 else half * half


def _cast(value: np.ndarray, dtype: str) -> np.ndarray:
    if np.issubdtype(value.dtype, np.floating) and np.issubdtype(dtype, np.integer):
        limits = np.iinfo(dtype)
        # Exact in float64, but for the highest int64, which is rounded up.
        whole = np.trunc(value.astype(np.float64))
        if not np.all((whole >= float(limits.min)) & (whole < float(limits.max))):
            raise UndefinedError
    return value.astype(dtype)
