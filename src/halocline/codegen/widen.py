"""Which rows a kernel reads from copies in the cache.

Single bytes are read as wider numbers: GCC up to 12 takes as many cells at once as the smallest
number of a loop fits into a vector, 64 for bytes; doubles beside them then need eight vectors a
value, which no processor has registers for. And what is read beside the cells that are assigned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halocline.codegen.nest import Load, Operation, is_along_x

if TYPE_CHECKING:
    from halocline.codegen.nest import Nest, Row


def row_copies(nest: Nest) -> dict[Row, str]:
    """Return the rows that are read from copies, and the type of these."""
    kinds = _widened(nest)
    widened = {row: kinds[row[:2]] for row in (load.row for load in nest.loads) if row[:2] in kinds}
    return widened | _read_beside_stores(nest)


def _read_beside_stores(nest: Nest) -> dict[Row, str]:
    """Return the rows in which cells are read beside those that are assigned (colours, in place).

    Vectors read there would wait for those stored just before, which lie across them.
    """
    places = {store.row: store.offset[0] for store in nest.stores}
    rows = {load.row for load in nest.loads if load.offset[0] != places.get(load.row)}
    plain = {f.name: f.dtype for f in nest.fields if f.x_step == 1 and f.ratio_along(0) == 1}
    if nest.sweep is not None:
        return {}
    return {row: plain[row[0]] for row in sorted(rows & places.keys()) if row[0] in plain}


def _widened(nest: Nest) -> dict[tuple[str, int], str]:
    """Return components of single bytes that are read as one wider type only, and that type.

    There are none where the nest stores bytes: it takes many cells at once then in any case. Nor
    are there where it sweeps along x and takes no cells at once, or of rows with other cells.
    """
    size = {field.name: np.dtype(field.dtype).itemsize for field in nest.fields}
    if is_along_x(nest) or any(size[store.field] == 1 for store in nest.stores):
        return {}
    narrow = {
        f.name for f in nest.fields if size[f.name] == 1 and f.x_step == 1 and f.ratio_along(0) == 1
    }
    read_as: dict[tuple[str, int], set[str]] = {}
    for value in nest.values:
        if not isinstance(value, Operation):
            continue
        for below in value.operands:
            load = nest.values[below]
            if isinstance(load, Load) and load.field in narrow:
                kind = value.type if value.op == "cast" else load.type
                read_as.setdefault((load.field, load.component), set()).add(kind)
    only = {key: kinds.pop() for key, kinds in read_as.items() if len(kinds) == 1}
    return {
        # In C++ halves are their bits, not numbers.
        key: "int16" if kind == "float16" else kind
        for key, kind in only.items()
        if np.dtype(kind).itemsize > 1
    }
