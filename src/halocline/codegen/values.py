"""Typed values of expressions, numbered so that equal ones get one number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct, field

from halocline.codegen.nest import IndexValue, Literal, Load, Operation, ScalarValue
from halocline.language.expressions.expr import (
    Binary,
    Cast,
    Compare,
    Const,
    Expr,
    Index,
    Read,
    Scalar,
    Unary,
    Where,
    operands,
    walk,
)
from halocline.language.expressions.kernel import INTEGERS
from halocline.language.expressions.operations import OPERATIONS
from halocline.language.expressions.promotion import WEAK, computed, operand_types, value_types

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from halocline.codegen.nest import Value
    from halocline.geometry import Offset
    from halocline.language.expressions.kernel import Kernel, Statement

BOOL = "bool"
_BYTES = ("int8", "uint8")
_KEPT: Mapping[str, Sequence[str]] = {
    "nothing": (),
    "truth values": (BOOL,),
    "integers": (BOOL, *INTEGERS),
}


class Table(Struct):
    """Numbers values so that equal ones get one number."""

    values: list[Value] = field(default_factory=list)
    numbers: dict[Value, int] = field(default_factory=dict)

    def number(self, value: Value) -> int:
        """Return the number of a value, a new one if it is new."""
        if value not in self.numbers:
            self.numbers[value] = len(self.values)
            self.values.append(value)
        return self.numbers[value]

    def cast(self, value: int, dtype: str) -> int:
        """Return the number of a value converted to a type."""
        source = self.values[value]
        if source.type == dtype:
            return value
        if dtype == BOOL:
            zero = self.cast(self.number(Literal("int64", "0")), source.type)
            return self.number(Operation("ne", BOOL, (value, zero)))
        if isinstance(source, ScalarValue) and dtype == "float32":
            return self.number(ScalarValue(dtype, source.name))
        if isinstance(source, Literal) and (text := _converted(source, dtype)) is not None:
            return self.number(Literal(dtype, text))
        return self.number(Operation("cast", dtype, (value,)))


class StatementValues:
    """Numbers the values of one statement.

    Args:
        kernel: Whose statement it is.
        statement: The statement.
        table: Gives numbers.
        assigned: Where each component was assigned before, in order, and the value as it is stored.
    """

    def __init__(
        self,
        kernel: Kernel,
        statement: Statement,
        table: Table,
        assigned: dict[tuple[str, int], list[tuple[Offset, int]]],
    ) -> None:
        self._kernel = kernel
        self._table = table
        self._assigned = assigned
        self._types = value_types(kernel, statement)
        # Single bytes are compared as what the loop computes with: of that it takes whole vectors.
        self._wide = stored(computed(kernel.field(statement.field).dtype))

    def number_of(self, root: Expr) -> int:
        """Return the number of an expression's value."""
        numbered: dict[Expr, int] = {}
        for node in walk(root):
            below = operands(node)
            numbers = [numbered[operand] for operand in below]
            numbered[node] = self._operation(node, numbers) if below else self._leaf(node)
        return numbered[root]

    def _leaf(self, node: Expr) -> int:
        table = self._table
        match node:
            case Const(bool() as value):
                return table.number(Literal(BOOL, str(int(value))))
            case Const(value):
                return table.number(Literal(WEAK[type(value).__name__], str(value)))
            case Scalar(name):
                return table.number(ScalarValue("float64", name))
            case Index(axis, offset):
                return table.number(IndexValue(axis, offset))
            case Read():
                return self._read(node)
            case _:
                raise AssertionError(node)

    def _operation(self, node: Expr, numbers: list[int]) -> int:
        table = self._table
        kinds = operand_types(node, [self._types[operand] for operand in operands(node)])
        values = tuple(
            self._cast(number, WEAK.get(kind, kind))
            for number, kind in zip(numbers, kinds, strict=True)
        )
        kind = WEAK.get(self._types[node], self._types[node])
        match node:
            case Cast():
                return self._cast(values[0], kind)
            case Where():
                return table.number(Operation("where", kind, values))
            case Unary(op, _) if kind in _KEPT[OPERATIONS[op].keeps]:
                return values[0]
            case Unary(op, _) | Binary(op, _, _) | Compare(op, _, _) if kinds[0] == BOOL:
                return table.number(Operation(OPERATIONS[op].of_truths or op, BOOL, values))
            case Compare(op, _, _) if kinds[0] != kinds[1]:
                return self._compared(op, values)
            case Compare(op, _, _):
                compared = tuple(self._widened(value) for value in values)
                return table.number(Operation(op, BOOL, compared))
            case Unary(op, _) | Binary(op, _, _):
                return table.number(Operation(op, kind, values))
            case _:
                raise AssertionError(node)

    def _cast(self, value: int, dtype: str) -> int:
        return self._table.cast(self._widened(value) if dtype == BOOL else value, dtype)

    def _compared(self, op: str, values: tuple[int, ...]) -> int:
        """Compare integers of 64 bits, of which one has no sign: negative ones are less."""
        table = self._table
        first = table.values[values[0]].type
        signed = values[0] if first == "int64" else values[1]
        zero = table.number(Literal("int64", "0"))
        is_negative = table.number(Operation("lt", BOOL, (signed, zero)))
        wide = tuple(table.cast(value, "uint64") for value in values)
        compared = table.number(Operation(op, BOOL, wide))
        is_so = op in (("lt", "le", "ne") if first == "int64" else ("gt", "ge", "ne"))
        if is_so:
            return table.number(Operation("or", BOOL, (is_negative, compared)))
        not_negative = table.number(Operation("invert", BOOL, (is_negative,)))
        return table.number(Operation("and", BOOL, (not_negative, compared)))

    def _widened(self, value: int) -> int:
        kind = self._table.values[value].type
        is_wider = kind in _BYTES and self._wide != kind and np.can_cast(kind, self._wide)
        return self._table.cast(value, self._wide) if is_wider else value

    def _read(self, read: Read) -> int:
        key = (read.field, read.component)
        field = self._kernel.field(read.field)
        _, child = field.parted(read.offset)
        number = None
        for count, (place, value) in enumerate(self._assigned.get(key, ()), 1):
            if field.parted(place)[1] != child:
                continue
            if place != read.offset:
                reason = f"it reads '{read.field}' of a neighbour"
                message = f"'{self._kernel.name}' is not fused: {reason}."
                raise AssertionError(message)
            number = value if count <= read.version else number
        if number is None:
            number = self._table.number(Load(stored(field.dtype), *key, read.offset))
        return self._cast(number, computed(field.dtype))


def stored(dtype: str) -> str:
    """Return the type of a field's numbers in memory: truth values are bytes, 0 or 1."""
    return "uint8" if dtype == BOOL else dtype


def _converted(literal: Literal, dtype: str) -> str | None:
    """Return a literal's text as another type, or None if that is better left to the compiler."""
    if dtype in ("float64", "float32"):
        with np.errstate(over="ignore"):
            return str(np.dtype(dtype).type(float(literal.text)))
    is_whole = literal.type in (BOOL, *INTEGERS)
    if is_whole and dtype != "float16":
        limits = np.iinfo(dtype)
        return literal.text if limits.min <= int(literal.text) <= limits.max else None
    return None
