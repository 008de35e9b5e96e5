"""Rows of 16-bit numbers, which kernels convert to floats and back, and compute in floats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.codegen.nest import Let, Load, Operation, is_along_x

if TYPE_CHECKING:
    from collections.abc import Collection

    from halocline.codegen.nest import Nest, Row, Store

_MANY = 8  # half of the registers of AVX2


def half_rows(nest: Nest) -> frozenset[Row]:
    """Return the rows of halves whose cells lie side by side."""
    if is_along_x(nest):
        return frozenset()
    plain = {
        field.name
        for field in nest.fields
        if field.dtype == "float16" and field.x_step == 1 and field.ratio_along(0) == 1
    }
    rows = [load.row for load in nest.loads] + [store.row for store in nest.stores]
    return frozenset(row for row in rows if row[0] in plain)


def assigns_many_halves(nest: Nest) -> bool:
    """Return whether a cell assigns more halves than registers hold beside what they are made of.

    GCC gains 3 to 20 % from scheduling such kernels (lattice Boltzmann). Others it slows down, by
    a third for a stencil of 25 points.
    """
    rows = half_rows(nest)
    return sum(store.row in rows for store in nest.stores) > _MANY


def computed_in_floats(nest: Nest, halves: Collection[Row]) -> Nest:
    """Return a nest that reads and assigns floats where rows are of halves.

    What it assigns is narrowed afterwards. A half that is used otherwise, too, becomes a float once
    more.
    """
    values = [
        replace(value, type="float32") if isinstance(value, Load) and value.row in halves else value
        for value in nest.values
    ]
    used = {store.value for store in nest.stores if store.row not in halves}
    for value in values:
        used.update(value.operands if isinstance(value, Operation) else ())

    def in_floats(part: Let | Store) -> Let | Store:
        if isinstance(part, Let) or part.row not in halves:
            return part
        value = values[part.value]
        if isinstance(value, Operation) and value.op == "cast" and part.value not in used:
            values[part.value] = replace(value, type="float32")
            return part
        values.append(Operation("cast", "float32", (part.value,)))
        return replace(part, value=len(values) - 1)

    body = tuple(map(in_floats, nest.body))
    return replace(nest, body=body, values=tuple(values))
