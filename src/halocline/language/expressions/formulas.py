"""What formulas of numbers may do, and what they give: in float64, with the rules of IEEE 754.

Truth values are 1.0 and 0.0. The runtime does the same ('cpp/runtime/formula.cpp'); there
elementary functions have the bits that they have in kernels, here those of NumPy.
"""

from __future__ import annotations

import operator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import KernelError
from halocline.language.expressions.expr import (
    Binary,
    Cast,
    Compare,
    Const,
    Expr,
    Number,
    Unary,
    Where,
    operands,
    walk,
)
from halocline.language.expressions.plain import NUMPY_NAMES, plain
from halocline.language.expressions.promotion import types_of
from halocline.language.place import user_place

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "neg": operator.neg,
    "invert": lambda a: not a,
    **{op: partial(plain, op) for op in (*NUMPY_NAMES, "erf")},
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
    "min": lambda a, b: b if b < a else a,
    "max": lambda a, b: b if a < b else a,
    "and": lambda a, b: a != 0.0 and b != 0.0,
    "or": lambda a, b: a != 0.0 or b != 0.0,
    "xor": lambda a, b: (a != 0.0) != (b != 0.0),
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
}
_OF_TRUTH = ("and", "or", "xor", "invert")


def check_formula(root: Expr) -> str:
    """Return the type of a formula, or refuse what has no meaning for numbers of float64.

    Raises:
        KernelError: An operation is unknown, or has no meaning for its operands.
    """
    place = user_place()
    types = types_of(root, {}, place)
    for node in walk(root):
        match node:
            case Cast(dtype, Const()) if dtype != "bool":
                # A number of NumPy has a width of its own; in here all are of 64 bits.
                continue
            case Cast(dtype):
                raise KernelError(
                    f"A formula of numbers was to become of type '{dtype}'; it is float64.",
                    hint="hc.trunc(…) cuts off what follows the point; a kernel that is given the "
                    f"formula may convert it: number.astype('{dtype}').",
                    place=place,
                )
            case Unary(op, _) | Binary(op, _, _) if op not in _FUNCTIONS:
                raise KernelError(
                    f"'{op}' was applied to a number that is known only at run time.",
                    hint=f"Formulas of numbers have {', '.join(_FUNCTIONS)} and where.",
                    place=place,
                )
            case Unary(op, _) | Binary(op, _, _) if op in _OF_TRUTH:
                if any(types[one] != "bool" for one in operands(node)):
                    raise KernelError(
                        "'&', '|', '^' or '~' was applied to numbers; expected truth values.",
                        hint="Compare first: (a > 0) & (b > 0).",
                        place=place,
                    )
    return types[root]


def value_of(root: Expr) -> float:
    """Return what a formula gives with the present values of its parameters."""
    values: dict[Expr, float] = {}
    with np.errstate(all="ignore"):
        for node in walk(root):
            # NumPy's numbers follow IEEE 754 where Python's raise exceptions.
            below = [np.float64(values[one]) for one in operands(node)]
            values[node] = float(_value(node, below))
    return values[root]


def _value(node: Expr, below: list[np.float64]) -> Any:
    match node:
        case Const(value):
            return value
        case Number(parameter):
            return parameter.value
        case Cast():
            return below[0]
        case Where():
            return below[1] if below[0] != 0.0 else below[2]
        case Unary(op, _) | Binary(op, _, _) | Compare(op, _, _):
            return _FUNCTIONS[op](*below)
        case _:
            raise AssertionError(node)
