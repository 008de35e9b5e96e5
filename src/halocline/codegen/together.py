"""Several planes together: a nest that does, in each of its cells, some cells one above the other.

They read much of the same, which is then loaded once (unroll and jam). The values of a cell are
computed as before, so the bits are the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.codegen.nest import IndexValue, Let, Load, Nest, Operation, Store
from halocline.geometry import VOLUME

if TYPE_CHECKING:
    from halocline.codegen.nest import Row, Value
    from halocline.geometry import Offset

# So many loads of a cell fit into registers if so many planes are done together.
_FITTING = ((4, 8), (2, 32))


def planes_together(nest: Nest) -> int:
    """Return how many planes a nest does best together: 1 if it reads none of them again."""
    planes: dict[object, set[int]] = {}
    for load in nest.loads:
        if len(load.offset) == VOLUME:
            planes.setdefault((load.field, load.component), set()).add(load.offset[2])
    is_plain = nest.sweep is None and all(set(f.ratio) <= {1} for f in nest.fields)
    if not is_plain or max(map(len, planes.values()), default=0) <= 1:
        return 1
    return next((n for n, most in _FITTING if len(nest.loads) <= most), 1)


def together(nest: Nest, count: int) -> Nest:
    """Return a nest that does so many cells, one above the other, where one does one."""
    positions: dict[Value, int] = {}
    lets: list[Let] = []
    stores: list[Store] = []
    for plane in range(count):
        numbers: list[int] = []
        for value in nest.values:
            numbers.append(positions.setdefault(_above(value, plane, numbers), len(positions)))
        for part in nest.body:
            number = numbers[part.value]
            name = part.name if isinstance(part, Let) else f"{part.field}_value"
            if all(let.value != number for let in lets):
                lets.append(Let(number, f"{name}_{plane}" if plane else name))
            if isinstance(part, Store):
                stores.append(replace(part, value=number, offset=_moved(part.offset, plane)))
    streamed = tuple(_row_above(row, plane) for plane in range(count) for row in nest.streamed)
    return replace(
        nest,
        values=tuple(positions),
        # Each after what it is made of.
        body=(*sorted(lets, key=lambda let: let.value), *stores),
        streamed=streamed,
        planes=count,
    )


def _above(value: Value, planes: int, numbers: list[int]) -> Value:
    """Return the value of the cell so many planes above, given those before it."""
    match value:
        case Load():
            return replace(value, offset=_moved(value.offset, planes))
        case IndexValue(axis, offset) if axis == VOLUME - 1:
            return replace(value, offset=offset + planes)
        case Operation(_, _, below):
            return replace(value, operands=tuple(numbers[n] for n in below))
    return value


def _moved(offset: Offset, planes: int) -> Offset:
    return (*offset[:-1], offset[-1] + planes)


def _row_above(row: Row, planes: int) -> Row:
    return row[0], row[1], _moved(row[2], planes)
