"""A loop nest as a frozen value: what a kernel does in each cell of a box, typed, to be printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.language.expressions.kernel import FieldType

# A row of cells: a field, one of its components, and where it lies along y and z.
Row = tuple[str, int, tuple[int, ...]]


class Literal(Frozen):
    """A number of the given type; 'text' is what 'repr' says, which keeps -0.0 and inf exact."""

    type: str
    text: str


class ScalarValue(Frozen):
    """A run-time scalar converted to 'type'."""

    type: str
    name: str


class IndexValue(Frozen):
    """The global index of the cell 'offset' further along 'axis', which may wrap; of type int64."""

    axis: int
    offset: int
    type: str = "int64"


class Load(Frozen):
    """A value in memory, relative to the cell."""

    type: str
    field: str
    component: int
    offset: tuple[int, ...]

    @property
    def row(self) -> Row:
        """The row that it is in."""
        return self.field, self.component, self.offset[1:]


class Operation(Frozen):
    """An operation of the language, or 'cast'; operands are positions in 'Nest.values'."""

    op: str
    type: str
    operands: tuple[int, ...]


Value = Literal | ScalarValue | IndexValue | Load | Operation


class Let(Frozen):
    """Give a value a name."""

    value: int
    name: str


class Store(Frozen):
    """Write a value to one component of a field, relative to the cell."""

    field: str
    component: int
    value: int
    offset: tuple[int, ...]

    @property
    def row(self) -> Row:
        """The row that it is in."""
        return self.field, self.component, self.offset[1:]


class Nest(Frozen):
    """What one pass over the cells of a box does.

    Attributes:
        name: The kernel's.
        dimensions: 1, 2 or 3.
        fields: In the order of the call.
        scalars: In the order of the call.
        values: Each after its operands.
        body: Lets and stores in order; a value without a name is part of its only user.
        streamed: Whole rows that are stored, of components never loaded: they need not pass the
            cache.
        sweep: The axis along which cells are done in order, and 1 for upwards or -1 for downwards.
        planes: How many cells it does, one above the other, where another does one.
    """

    name: str
    dimensions: int
    fields: tuple[FieldType, ...]
    scalars: tuple[str, ...]
    values: tuple[Value, ...]
    body: tuple[Let | Store, ...]
    streamed: tuple[Row, ...]
    sweep: tuple[int, int] | None = None
    planes: int = 1

    def field(self, name: str) -> FieldType:
        """Return the type of the field called 'name'."""
        return next(field for field in self.fields if field.name == name)

    @property
    def constants(self) -> tuple[Let, ...]:
        """Names for values that are the same in all cells, in order."""
        same = uniform(self.values)
        return tuple(part for part in self.body if isinstance(part, Let) and part.value in same)

    @property
    def loads(self) -> tuple[Load, ...]:
        """All loads, in the order of first use."""
        return tuple(value for value in self.values if isinstance(value, Load))

    @property
    def stores(self) -> tuple[Store, ...]:
        """All stores, in order."""
        return tuple(part for part in self.body if isinstance(part, Store))

    @property
    def whole_rows(self) -> tuple[Row, ...]:
        """The rows of which a cell stores all in its part, next to its neighbours' parts.

        Not those that the next cell of a sweep stores again.
        """
        columns: dict[Row, set[int]] = {}
        for store in self.stores:
            columns.setdefault(store.row, set()).add(store.offset[0])
        return tuple(row for row, offsets in columns.items() if self._is_whole(row, offsets))

    def _is_whole(self, row: Row, columns: set[int]) -> bool:
        field = self.field(row[0])
        if self.sweep and not field.ratio_along(self.sweep[0]):
            return False
        return field.x_step == 1 and columns == set(range(field.ratio_along(0)))


def uniform(values: Sequence[Value]) -> frozenset[int]:
    """Return the positions of values that are the same in all cells."""
    result: set[int] = set()
    for i, value in enumerate(values):
        match value:
            case Literal() | ScalarValue():
                result.add(i)
            case Operation(_, _, below) if result.issuperset(below):
                result.add(i)
    return frozenset(result)


def stores_side_by_side(nest: Nest) -> bool:
    """Return whether a cell stores several numbers of a row."""
    rows = [store.row for store in nest.stores]
    return len(set(rows)) < len(rows)


def is_along_x(nest: Nest) -> bool:
    """Return whether a nest does the cells of a row in order."""
    return nest.sweep is not None and nest.sweep[0] == 0


def leading(nest: Nest, rows: Sequence[Row]) -> list[Row]:
    """Return those of some rows that no earlier row of cells has read: the others are in a cache.

    A sweep may do rows in another order, so of one these are all.
    """
    if nest.sweep is not None:
        return list(rows)
    furthest: dict[object, dict[int, tuple[int, Row]]] = {}
    for row in rows:
        cells, child = nest.field(row[0]).parted((0, *row[2]))
        # By the last axis, the furthest along the one before.
        last, before, *_ = (*cells[:0:-1], 0, 0)
        lines = furthest.setdefault((row[:2], child), {})
        lines[last] = max(lines.get(last, (before, row)), (before, row))
    return [
        lines[last][1]
        for lines in furthest.values()
        for last in sorted(lines, reverse=True)
        if last > max(lines) - nest.planes
    ]
