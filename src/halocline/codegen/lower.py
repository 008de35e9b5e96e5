"""Turn a fused kernel into a loop nest: typed values, the names of some, and stores.

Equal values of all statements are computed once. A read of what an earlier statement of the kernel
assigned becomes that value, so that every load that is left sees memory as the kernel found it; a
cell loads what it overwrites before it stores anything.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, assert_never

import numpy as np

from halocline.errors import KernelError
from halocline.language.arithmetic import arithmetic
from halocline.language.expr import (
    Binary,
    Compare,
    Const,
    Index,
    Read,
    Scalar,
    Unary,
    Where,
    operands,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.language.expr import Expr
    from halocline.language.kernel import FieldType, Kernel

BOOL = "bool"
_LONGEST_INLINE = 9  # operations in one line before a part gets a name of its own


@dataclass(frozen=True, slots=True)
class Literal:
    """A number of the given type; 'text' is what 'repr' says, which keeps -0.0 and inf exact."""

    type: str
    text: str


@dataclass(frozen=True, slots=True)
class ScalarValue:
    """A run-time scalar converted to 'type'."""

    type: str
    name: str


@dataclass(frozen=True, slots=True)
class IndexValue:
    """The global index of the cell along 'axis', moved by 'offset'; of type int64."""

    axis: int
    offset: int
    type: str = "int64"


@dataclass(frozen=True, slots=True)
class Load:
    """A value in memory, relative to the cell."""

    type: str
    field: str
    component: int
    offset: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of the language, or 'cast'; operands are positions in 'Nest.values'."""

    op: str
    type: str
    operands: tuple[int, ...]


Value = Literal | ScalarValue | IndexValue | Load | Operation


@dataclass(frozen=True, slots=True)
class Let:
    """Give a value a name."""

    value: int
    name: str


@dataclass(frozen=True, slots=True)
class Store:
    """Write a value to one component of a field, relative to the cell."""

    field: str
    component: int
    value: int
    offset: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Nest:
    """What one pass over the cells of a box does.

    Attributes:
        name: The kernel's.
        dimensions: 1, 2 or 3.
        fields: In the order of the call.
        scalars: In the order of the call.
        values: Each after its operands.
        body: Lets and stores in order; a value without a name is part of its only user.
        streamed: Components stored in whole rows and never loaded: they need not pass the cache.
    """

    name: str
    dimensions: int
    fields: tuple[FieldType, ...]
    scalars: tuple[str, ...]
    values: tuple[Value, ...]
    body: tuple[Let | Store, ...]
    streamed: tuple[tuple[str, int], ...]

    @property
    def loads(self) -> tuple[Load, ...]:
        """All loads, in the order of first use."""
        return tuple(value for value in self.values if isinstance(value, Load))

    @property
    def stores(self) -> tuple[Store, ...]:
        """All stores, in order."""
        return tuple(part for part in self.body if isinstance(part, Store))


def lower(kernel: Kernel) -> Nest:
    """Return the loop nest of a fused kernel."""
    table = _Table()
    # The values assigned to each component, in order.
    assigned: dict[tuple[str, int], list[int]] = {}
    # Of several assignments to one component only the last reaches memory.
    stores: dict[tuple[str, int], tuple[Store, int]] = {}
    for s in kernel.statements:
        value = _Statement(kernel, arithmetic(kernel, s), table, assigned).number_of(s.value)
        value = table.cast(value, kernel.field(s.field).dtype)
        key = (s.field, s.component)
        assigned.setdefault(key, []).append(value)
        stores.pop(key, None)
        stores[key] = (Store(*key, value, s.offset), len(table.values))
    return _nest(kernel, table.values, list(stores.values()))


def _nest(kernel: Kernel, values: list[Value], live: list[tuple[Store, int]]) -> Nest:
    uses = _uses(values, [store.value for store, _ in live])
    stores = [store for store, _ in live]
    loaded = {
        (value.field, value.component)
        for i, value in enumerate(values)
        if isinstance(value, Load) and i in uses
    }
    in_place = {(s.field, s.component) for s in stores if (s.field, s.component) in loaded}
    is_exposed = bool(in_place) and len(stores) > 1
    names = _names(values, uses, in_place if is_exposed else set())
    body: list[Let | Store] = []
    if is_exposed:
        body += [Let(i, names[i]) for i in range(len(values)) if i in names]
        body += stores
    else:
        position = 0
        for store, end in live:
            body += [Let(i, names[i]) for i in range(position, end) if i in names]
            body.append(store)
            position = end
    interleaved = {field.name for field in kernel.fields if field.x_step > 1}
    streamed = tuple(
        (s.field, s.component)
        for s in stores
        if (s.field, s.component) not in loaded and not s.offset[0] and s.field not in interleaved
    )
    return Nest(
        kernel.name,
        kernel.dimensions,
        kernel.fields,
        kernel.scalars,
        *_without_dead(tuple(values), tuple(body), uses),
        streamed,
    )


@dataclass
class _Table:
    """Numbers values so that equal ones get one number."""

    values: list[Value] = field(default_factory=list)
    numbers: dict[Value, int] = field(default_factory=dict)

    def number(self, value: Value) -> int:
        if value not in self.numbers:
            self.numbers[value] = len(self.values)
            self.values.append(value)
        return self.numbers[value]

    def cast(self, value: int, dtype: str) -> int:
        if self.values[value].type == dtype:
            return value
        return self.number(Operation("cast", dtype, (value,)))

    def truth(self, value: int) -> int:
        known = self.values[value]
        if known.type == BOOL:
            return value
        zero = self.number(Literal(known.type, exact("0", known.type)))
        return self.number(Operation("ne", BOOL, (value, zero)))


@dataclass
class _Statement:
    """Numbers the values of one statement, which computes in 'dtype'."""

    kernel: Kernel
    dtype: str
    table: _Table
    assigned: dict[tuple[str, int], list[int]]

    def number_of(self, root: Expr) -> int:
        known: dict[Expr, int] = {}
        for node in walk(root):
            known[node] = self._node(node, tuple(known[below] for below in operands(node)))
        return self.table.cast(known[root], self.dtype)

    def _node(self, node: Expr, below: tuple[int, ...]) -> int:
        return self._operation(node, below) if below else self._leaf(node)

    def _leaf(self, node: Expr) -> int:
        table = self.table
        match node:
            case Const(value):
                return table.number(Literal(self.dtype, exact(value, self.dtype)))
            case Scalar(name):
                return table.number(ScalarValue(self.dtype, name))
            case Index(axis, offset):
                return table.cast(table.number(IndexValue(axis, offset)), self.dtype)
            case Read():
                return table.cast(self._read(node), self.dtype)
            case _:
                raise AssertionError(node)

    def _operation(self, node: Expr, below: tuple[int, ...]) -> int:
        table = self.table
        match node:
            case Unary("not", _) | Binary("and" | "or", _, _):
                truths = tuple(table.truth(value) for value in below)
                return table.number(Operation(node.op, BOOL, truths))
            case Unary() | Binary():
                return table.number(Operation(node.op, self.dtype, self._numbers(below)))
            case Compare():
                return table.number(Operation(node.op, BOOL, self._numbers(below)))
            case Where():
                condition = table.truth(below[0])
                return table.number(
                    Operation("where", self.dtype, (condition, *self._numbers(below[1:])))
                )
            case _:
                raise AssertionError(node)

    def _numbers(self, values: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(self.table.cast(value, self.dtype) for value in values)

    def _read(self, read: Read) -> int:
        key = (read.field, read.component)
        places = {s.offset for s in self.kernel.statements if (s.field, s.component) == key}
        if key in self.assigned and places != {read.offset}:
            message = f"'{self.kernel.name}' is not fused: it reads '{read.field}' next door."
            raise AssertionError(message)
        if read.version:
            return self.assigned[key][read.version - 1]
        dtype = self.kernel.field(read.field).dtype
        return self.table.number(Load(dtype, read.field, read.component, read.offset))


def exact(value: float | str, dtype: str) -> str:
    """Return the shortest text that means 'value' rounded to 'dtype'."""
    if dtype in ("float64", "float32"):
        with np.errstate(over="ignore"):
            return str(np.dtype(dtype).type(float(value)))
    try:
        whole = int(value)
    except (OverflowError, ValueError):
        whole = 1 << 64
    limits = np.iinfo(dtype)
    if not limits.min <= whole <= limits.max:
        message = f"The constant {value} does not fit into the integers of type '{dtype}'."
        raise KernelError(message, hint="Use a field of a floating type.")
    return str(whole)


def _uses(values: list[Value], roots: Sequence[int]) -> dict[int, int]:
    """Return how often each value that reaches memory is used."""
    uses: dict[int, int] = {}
    for root in roots:
        uses[root] = uses.get(root, 0) + 1
    for i in reversed(range(len(values))):
        value = values[i]
        if i in uses and isinstance(value, Operation):
            for below in value.operands:
                uses[below] = uses.get(below, 0) + 1
    return uses


def _names(
    values: list[Value], uses: dict[int, int], in_place: set[tuple[str, int]]
) -> dict[int, str]:
    """Choose what becomes a named local: what is used twice, parts of lines grown too long.

    And what must be loaded before anything is stored, since it may be overwritten.
    """
    names: dict[int, str] = {}
    sizes: list[int] = []
    for i, value in enumerate(values):
        size = 0
        if isinstance(value, Operation):
            size = 1 + sum(sizes[below] for below in value.operands if below not in names)
        sizes.append(size)
        shared = uses.get(i, 0) > 1 and _is_worth_a_name(values, value)
        early = isinstance(value, Load) and (value.field, value.component) in in_place
        if i in uses and (shared or early or size > _LONGEST_INLINE):
            names[i] = _name(values, value, f"v{len(names)}")
    return _distinct(names)


def _is_worth_a_name(values: list[Value], value: Value) -> bool:
    match value:
        case Literal() | ScalarValue() | IndexValue():
            return False
        case Load():
            return True
        case Operation(op, _, below):
            return op != "cast" or not isinstance(values[below[0]], Literal)
        case _:
            assert_never(value)


def _name(values: list[Value], value: Value, otherwise: str) -> str:
    match value:
        case Load(_, name, component, offset):
            steps = zip("xyz", offset, strict=False)
            return "_".join([f"{name}{component}", *(place(axis, step) for axis, step in steps)])
        case Operation("cast", dtype, (below,)) if isinstance(values[below], Load):
            return f"{_name(values, values[below], otherwise)}_{dtype}"
        case _:
            return otherwise


def place(axis: str, step: int) -> str:
    """Return 'xm' for one cell down, 'x0' for here, 'xp2' for two cells up."""
    if step == 0:
        return f"{axis}0"
    return axis + ("p" if step > 0 else "m") + (str(abs(step)) if abs(step) > 1 else "")


def _distinct(names: dict[int, str]) -> dict[int, str]:
    """Return the names with a suffix where two fields would give the same one."""
    taken: set[str] = set()
    result = {}
    for i, name in names.items():
        unique = name
        while unique in taken:
            unique += "_"
        taken.add(unique)
        result[i] = unique
    return result


def _without_dead(
    values: tuple[Value, ...], body: tuple[Let | Store, ...], uses: dict[int, int]
) -> tuple[tuple[Value, ...], tuple[Let | Store, ...]]:
    """Drop values that reach no store and number the others anew."""
    numbers = {old: new for new, old in enumerate(i for i in range(len(values)) if i in uses)}
    kept: list[Value] = []
    for old in numbers:
        value = values[old]
        if isinstance(value, Operation):
            below = tuple(numbers[i] for i in value.operands)
            value = Operation(value.op, value.type, below)
        kept.append(value)
    renumbered = tuple(
        Let(numbers[part.value], part.name)
        if isinstance(part, Let)
        else replace(part, value=numbers[part.value])
        for part in body
    )
    return tuple(kept), renumbered
