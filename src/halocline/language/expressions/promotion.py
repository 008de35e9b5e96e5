"""The type of every value in an expression: promoted as NumPy 2 does, operation by operation.

A type is the name of an element type, or 'int' or 'float' for a number written in Python, a scalar
read at run time, and what is computed of such: they take the width of what they meet, but keep
their kind, so that float32 * 0.1 is float32 and int32 * 0.1 is float64. There are two exceptions:
floats of 16 bits are for storage, and read as float32; functions of single bytes give float32.
"""

from __future__ import annotations

from functools import cache, reduce
from typing import TYPE_CHECKING

import numpy as np

from halocline.errors import KernelError
from halocline.language.expressions.expr import (
    Binary,
    Cast,
    Compare,
    Const,
    Expr,
    Index,
    Number,
    Read,
    Scalar,
    Unary,
    Where,
    operands,
    walk,
)
from halocline.language.expressions.kernel import INTEGERS
from halocline.language.expressions.operations import OPERATIONS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from halocline.language.expressions.kernel import Kernel, Statement
    from halocline.language.expressions.operations import Operation

# Types of numbers that have no width of their own, and what they become where they need one.
WEAK = {"int": "int64", "float": "float64"}
# What a cast may ask for.
COMPUTED = ("float64", "float32", *INTEGERS, "bool")

_FLOATS = 2
# Powers up to this one, whole or half, are products and roots.
LARGEST_POWER = 16
_KINDS = {"bool": 0, "int": 1, **dict.fromkeys(INTEGERS, 1)}
# Functions of integers of so many bytes, or of fewer, are floats of 32 bits.
_NARROW = 2


def value_types(kernel: Kernel, statement: Statement) -> dict[Expr, str]:
    """Return the type of every node of a statement's value.

    Raises:
        KernelError: An operation has no meaning for the types of its operands, or a number does
            not fit into the type of those it meets.
    """
    return types_of(statement.value, {f.name: f.dtype for f in kernel.fields})


def types_of(root: Expr, fields: Mapping[str, str], place: str = "") -> dict[Expr, str]:
    """Return the type of every node of an expression of fields of these element types."""
    types: dict[Expr, str] = {}
    add_types(types, root, fields, place)
    return types


def add_types(
    types: dict[Expr, str], root: Expr, fields: Mapping[str, str], place: str = ""
) -> None:
    """Add the types of the nodes of an expression to those of others that share its fields."""
    for node in walk(root):
        if node in types:
            continue
        below = [types[operand] for operand in operands(node)]
        types[node] = _leaf(node, fields) if not below else _result(node, below, place)
        _check_numbers(node, types, place)


def check_assigned(dtype: str, field: str, value: Expr, kind: str, place: str) -> None:
    """Refuse to assign what would lose more than width: a float to integers, a number to bools."""
    target = computed(dtype)
    if _kind(kind) > _kind(target):
        raise KernelError(
            f"A value of type {kind} was assigned to '{field}', a field of type {dtype}; expected "
            f"{'a truth value' if target == 'bool' else 'an integer'}.",
            hint="Compare it, or write value.astype('bool')."
            if target == "bool"
            else f"To drop the fraction, write value.astype('{dtype}').",
            place=place,
        )
    if isinstance(value, Const):
        _check_fits(value, target, place)


def computed(dtype: str) -> str:
    """Return the type in which numbers stored as 'dtype' are computed with."""
    return "float32" if dtype == "float16" else dtype


@cache
def promoted(first: str, second: str) -> str:
    """Return the type that two types have in common."""
    if first == second:
        return first
    low, high = sorted((first, second), key=lambda kind: (_kind(kind), kind not in WEAK))
    if low in WEAK and high in WEAK:
        return high
    if low in WEAK:  # takes the width of the other, which is of its kind or a higher one
        return high
    if high in WEAK:
        return high if _kind(high) == _kind(low) else WEAK[high]
    return str(np.promote_types(low, high))


def operand_types(node: Expr, below: Sequence[str]) -> tuple[str, ...]:
    """Return the types to which the operands of a node are converted before it is done."""
    match node:
        case Cast():
            return tuple(below)
        case Where():
            common = promoted(below[1], below[2])
            return ("bool", *(WEAK.get(common, common),) * 2)
        case Compare(_, left, right):
            return _compared((left, right), below)
        case Unary(op, _) | Binary(op, _, _):
            common = reduce(promoted, below)
            match OPERATIONS[op].operands:
                case "float":
                    common = _of_function(common)
                case "quotient":
                    common = _of_function(common, least="float64")
            return (common,) * len(below)
        case _:
            raise AssertionError(node)


def _leaf(node: Expr, fields: Mapping[str, str]) -> str:
    match node:
        case Const(value):
            return type(value).__name__
        case Scalar() | Number():
            return "float"
        case Index():
            return "int64"
        case Read(field, _, _, _):
            # A stranger among the fields is refused elsewhere.
            return computed(fields.get(field, "float64"))
        case _:
            raise AssertionError(node)


def _result(node: Expr, below: Sequence[str], place: str) -> str:
    common = operand_types(node, below)[-1]
    match node:
        case Cast(dtype, _):
            return dtype
        case Compare():
            return "bool"
        case Unary(op, _) | Binary(op, _, _):
            _check_accepted(OPERATIONS[op], common, below, place)
    return common


def _check_accepted(operation: Operation, common: str, below: Sequence[str], place: str) -> None:
    """Refuse operands for which an operation has no meaning.

    Args:
        operation: The operation.
        common: The type to which its operands are converted.
        below: The types of its operands.
        place: Where it is written.
    """
    match operation.accepted:
        case "numbers" if common == "bool":
            instead = "'^' or '~' for these, or " if operation.name in ("sub", "neg") else ""
            raise KernelError(
                f"'{operation.written}' was applied to truth values; expected numbers.",
                hint=f"Write {instead}value.astype('int32').",
                place=place,
            )
        case "bits" if _kind(common) > 1:
            hint = "Compare first: (a > 0) & (b > 0)."
            raise _no_bits(operation, below, "truth values or integers", hint, place)
        case "integers" if _kind(common) != 1:
            hint = "Write value.astype('int32')."
            raise _no_bits(operation, below, "integers", hint, place)
        case "a float" if _kind(reduce(promoted, below)) < _FLOATS:
            raise KernelError(
                f"A value of type {below[0]} was raised to a power of type {below[1]}; expected a "
                "float in one of the two.",
                hint=f"Whole numbers have the powers -{LARGEST_POWER} to {LARGEST_POWER}, written "
                "in the kernel: n**3. Write n.astype('float64') ** k for others.",
                place=place,
            )


def _no_bits(
    operation: Operation, below: Sequence[str], expected: str, hint: str, place: str
) -> KernelError:
    """Return the error of a bitwise operation on floats, or on integers of no common type."""
    if set(map(_kind, below)) == {1}:
        expected, hint = "one type", "Write value.astype('uint64'), or 'int64', of one of them."
    return KernelError(
        f"'{operation.written}' was applied to {' and '.join(below)}; expected {expected}.",
        hint=hint,
        place=place,
    )


def _of_function(kind: str, least: str = "float32") -> str:
    """Return the floating type in which a function of a value of some type is computed."""
    if _kind(kind) > 1:
        return kind
    if kind in WEAK:
        return "float"
    return least if np.dtype(kind).itemsize <= _NARROW else "float64"


def _compared(nodes: Sequence[Expr], below: Sequence[str]) -> tuple[str, ...]:
    """Return the types in which two values are compared: those that whole numbers fit into.

    Integers with and without a sign that no type of integers holds are compared as they are.
    """
    common = promoted(*below)
    kinds = tuple(
        kind if not isinstance(node, Const) or _fits(node, common) else _widest(node)
        for node, kind in zip(nodes, below, strict=True)
    )
    common = promoted(*kinds)
    if _kind(common) > 1 and set(map(_kind, kinds)) == {1}:
        return tuple("uint64" if kind == "uint64" else "int64" for kind in kinds)
    return common, common


def _widest(number: Const) -> str:
    return "int64" if _fits(number, "int64") else "uint64"


def _check_numbers(node: Expr, types: Mapping[Expr, str], place: str) -> None:
    """Refuse whole numbers that do not fit into the type of what they meet."""
    below = operands(node)
    if isinstance(node, Cast) or not any(isinstance(operand, Const) for operand in below):
        return
    for operand, kind in zip(
        below, operand_types(node, [types[operand] for operand in below]), strict=True
    ):
        if isinstance(operand, Const) and kind != "bool":
            _check_fits(operand, kind, place)


def _check_fits(number: Const, kind: str, place: str) -> None:
    if not _fits(number, kind):
        raise KernelError(
            f"The number {number.value} does not fit into the integers of type "
            f"{WEAK.get(kind, kind)}.",
            hint="Use a wider type: value.astype('int64'), or a float.",
            place=place,
        )


def _fits(number: Const, kind: str) -> bool:
    if _kind(kind) != 1 or isinstance(number.value, float):
        return True
    limits = np.iinfo(WEAK.get(kind, kind))
    return bool(limits.min <= number.value <= limits.max)


def _kind(kind: str) -> int:
    """Return 0 for truth values, 1 for integers, 2 for floats."""
    return _KINDS.get(kind, _FLOATS)
