"""How the threads of a device share the cells of a kernel: what follows from what a cell reads."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from halocline.analysis.footprint import footprint
from halocline.frozen import Frozen
from halocline.geometry import added, by_axes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from halocline.analysis.footprint import ComponentUse
    from halocline.geometry import Offset
    from halocline.language.expressions.kernel import FieldType, Kernel

# In a block, at most. The registers of a multiprocessor are given to whole blocks: small ones leave
# few of them unused.
THREADS = 128
# Threads that do the same at the same time, and what memory gives them at once [bytes].
_WARP, _SECTOR = 32, 32
# To find its cell and its rows costs a thread as much as a short kernel itself: it does a run of
# cells of such a kernel, as long as all that they read and assign stays in so many registers.
_RUNS, _REGISTERS, _REGISTER = (8, 4, 2), 64, 4
# Cells of a thread that has all there are along an axis: 32 bits count no more.
COLUMN = 1 << 30


class Threads(Frozen):
    """How many threads, and how many cells each.

    Attributes:
        block: Threads of a block along x, y and z.
        cells: Of a thread, along x, y and z: one, or a run of them along the last axis of the grid,
            or a whole column, which has fewer than COLUMN.
        is_batched: Whether one launch does all boxes of a kernel, which it finds in a table. Else
            each box has a launch, whose parameters say all of it.
    """

    block: tuple[int, int, int] = (THREADS, 1, 1)
    cells: tuple[int, int, int] = (1, 1, 1)
    is_batched: bool = False

    def __str__(self) -> str:
        """Return '32x4x1 threads with 1x1x8 cells each, all boxes at once'."""
        cells = ["all" if n == COLUMN else str(n) for n in self.cells]
        shape = f"{by_axes(self.block)} threads with {'x'.join(cells)} cells each"
        return f"{shape}, all boxes at once" if self.is_batched else shape


def threads_for(kernel: Kernel) -> Threads:
    """Return what suits a fused kernel: runs of short ones, and blocks that fetch the least."""
    if kernel.sweep is not None:
        return _columns(kernel.sweep[0])
    accesses = footprint(kernel).accesses
    cells = _cells(kernel, accesses)

    def fetched(block: tuple[int, int, int]) -> tuple[int, tuple[int, ...]]:
        tile = tuple(b * c for b, c in zip(block, cells, strict=True))
        sectors = sum(
            _sectors(kernel.field(access.field), *row)
            for access in accesses
            for row in _rows(kernel.field(access.field), access.offsets, tile)
        )
        # Of blocks that fetch the same the longest along x: most of its rows are whole.
        return sectors, tuple(-b for b in block)

    return Threads(min(_blocks(kernel.dimensions), key=fetched), cells)


def _columns(axis: int) -> Threads:
    """Return a thread for each column: neighbours along x find neighbours in memory."""
    x, y, z = (COLUMN if a == axis else 1 for a in range(3))
    return Threads((1, THREADS, 1) if axis == 0 else (THREADS, 1, 1), (x, y, z))


def _cells(kernel: Kernel, accesses: Sequence[ComponentUse]) -> tuple[int, int, int]:
    last = kernel.dimensions - 1
    read = {access.field for access in accesses if access.offsets}
    # What the cell before may have assigned cannot be read before it has.
    if last == 0 or kernel.inlined or any(a.written and a.field in read for a in accesses):
        return 1, 1, 1

    def held(run: int) -> int:
        return sum(
            -(-_size(kernel.field(a.field)) // _REGISTER)
            * (len(_seen(a, last, kernel.field(a.field), run)) + run * len(a.written))
            for a in accesses
        )

    run = next((n for n in _RUNS if held(n) <= _REGISTERS), 1)
    return (1, run, 1) if last == 1 else (1, 1, run)


def _seen(access: ComponentUse, axis: int, field: FieldType, run: int) -> set[Offset]:
    """Return where a run of cells along an axis reads, relative to its first cell."""
    steps = [(0,) * axis + (n * field.ratio_along(axis),) for n in range(run)]
    return {added(o, step) for o in access.offsets for step in steps}


def _blocks(dimensions: int) -> Iterator[tuple[int, int, int]]:
    sizes = [2**n for n in range(THREADS.bit_length())]
    for block in product(sizes, repeat=3):
        is_flat = all(size == 1 for size in block[dimensions:])
        if prod(block) == THREADS and block[0] >= _WARP and is_flat:
            yield block


def _rows(
    field: FieldType, offsets: Iterable[Offset], tile: tuple[int, ...]
) -> Iterable[tuple[int, int]]:
    """Return the cells along x, a lower and an upper end, of each row that a tile reads."""
    ratio = [field.ratio_along(axis) for axis in range(3)]
    rows: dict[tuple[int, int], tuple[int, int]] = {}
    for offset in offsets:
        x, across_y, across_z = (*offset, 0, 0)[:3]
        for y, z in product(range(tile[1]), range(tile[2])):
            row = (y * ratio[1] + across_y, z * ratio[2] + across_z)
            lower, upper = rows.get(row, (x, x))
            rows[row] = (min(lower, x), max(upper, (tile[0] - 1) * ratio[0] + x + 1))
    return rows.values()


def _sectors(field: FieldType, lower: int, upper: int) -> int:
    """Return how many sectors of memory hold some cells of a row."""
    size = _size(field) * field.x_step
    return -(-upper * size // _SECTOR) - lower * size // _SECTOR


def _size(field: FieldType) -> int:
    return np.dtype(field.dtype).itemsize
