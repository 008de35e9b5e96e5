"""What formulas of numbers may do, and what they give: in float64, with the rules of IEEE 754.

Truth values are 1.0 and 0.0. The runtime does the same ('cpp/runtime/formula.cpp'); there
elementary functions have the bits that they have in kernels, here those of NumPy.
"""

from __future__ import annotations

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
from halocline.language.expressions.operations import OPERATIONS
from halocline.language.expressions.plain import numpy_function
from halocline.language.expressions.promotion import types_of
from halocline.language.place import user_place

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


# Truth values are numbers here.
_OF_TRUTHS: Mapping[str, Callable[..., Any]] = {
    "and": np.logical_and,
    "or": np.logical_or,
    "xor": np.logical_xor,
    "invert": np.logical_not,
}
_KNOWN = [op for op, row in OPERATIONS.items() if row.accepted != "integers"]


def check_formula(root: Expr) -> str:
    """Return the type of a formula, or refuse operations that float64 numbers do not have.

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
                    hint="hc.trunc(…) drops the fraction; a kernel that is given the "
                    f"formula may convert it: number.astype('{dtype}').",
                    place=place,
                )
            case Unary(op, _) | Binary(op, _, _) if op not in _KNOWN:
                raise KernelError(
                    f"'{op}' was applied to a number that is known only at run time.",
                    hint=f"Formulas of numbers have {', '.join(_KNOWN)} and where.",
                    place=place,
                )
            case Unary(op, _) | Binary(op, _, _) if op in _OF_TRUTHS:
                if any(types[operand] != "bool" for operand in operands(node)):
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
            below = [np.float64(values[operand]) for operand in operands(node)]
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
            return (_OF_TRUTHS.get(op) or numpy_function(op))(*below)
        case _:
            raise AssertionError(node)
