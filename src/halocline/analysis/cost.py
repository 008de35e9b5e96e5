"""What a kernel costs: bytes that must move, in a cell or in a box, and arithmetic operations."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from halocline.analysis.footprint import footprint
from halocline.frozen import Frozen
from halocline.language.expressions.expr import Binary, Compare, Unary, Where, walk
from halocline.language.expressions.operations import OPERATIONS

if TYPE_CHECKING:
    from halocline.analysis.footprint import ComponentUse
    from halocline.geometry import Box, Offset
    from halocline.language.expressions.expr import Expr
    from halocline.language.expressions.kernel import Kernel


class Stream(Frozen):
    """Rows of one component that a kernel reads or assigns, one for each of its own rows.

    Of a finer field there are several: each of the rows that a cell spans is like a component.

    Attributes:
        value_bytes: The size of a number.
        along: For each axis how many of the component's cells belong to a cell of the kernel, and
            how many more to a box of those.
        rows: How many rows of the component are used for a row of the kernel.
        planes: How many planes these lie in; 1 in two dimensions.
    """

    value_bytes: int
    along: tuple[tuple[int, int], ...]
    rows: int
    planes: int

    @property
    def cell_bytes(self) -> int:
        """What moves for a cell of the kernel: nothing if the next one finds it in the cache."""
        return self.value_bytes * prod(each for each, _ in self.along)

    def box_bytes(self, extent: tuple[int, ...], piece_bytes: int) -> int:
        """Return what moves for a box of the kernel's cells, rows in whole pieces of memory."""
        counts = zip(self.along, extent, strict=True)
        nx, *others = [each * n + more for (each, more), n in counts]
        return -(-nx * self.value_bytes // piece_bytes) * piece_bytes * prod(others)


class Cost(Frozen):
    """What a kernel moves and computes, at the least.

    Of a finer field a cell has several numbers. They move in whole lines: of each row that is used,
    all that lie in the cell do. Of a field without an axis most cells find what they use in the
    cache, as they do what a sweep carries: in a cell none of it counts, in a box it does once.

    Attributes:
        read: What is read.
        written: What is written.
        flops: Arithmetic operations of a cell after sharing of common expressions, those inside of
            functions too.
    """

    read: tuple[Stream, ...]
    written: tuple[Stream, ...]
    flops: int

    @property
    def streams(self) -> int:
        """How many rows move at once, but those that lack an axis."""
        return sum(stream.cell_bytes > 0 for stream in (*self.read, *self.written))

    @property
    def bytes_read(self) -> int:
        """What is read in a cell, once [bytes]."""
        return sum(stream.cell_bytes for stream in self.read)

    @property
    def bytes_written(self) -> int:
        """What is written in a cell, once [bytes]."""
        return sum(stream.cell_bytes for stream in self.written)

    @property
    def bytes(self) -> int:
        """Bytes that a cell moves to and from memory."""
        return self.bytes_read + self.bytes_written

    @property
    def widest(self) -> int:
        """The size of the largest numbers [bytes]."""
        return max((stream.value_bytes for stream in (*self.read, *self.written)), default=0)

    def box_bytes(self, box: Box, piece_bytes: int) -> int:
        """Return what a box moves, and what it reads around it, in whole lines or sectors."""
        streams, extent = (*self.read, *self.written), box.extent
        return sum([stream.box_bytes(extent, piece_bytes) for stream in streams])

    def __str__(self) -> str:
        """Return the three numbers of a cell with units."""
        return (
            f"{self.bytes} bytes a cell ({self.bytes_read} read, {self.bytes_written} written), "
            f"{self.flops} flops"
        )


@lru_cache(maxsize=256)
def cost(kernel: Kernel) -> Cost:
    """Return the cost of a kernel, derived from its expressions."""
    accesses = [access for access in footprint(kernel).accesses if not access.type.is_reduced]
    nodes = walk(*(statement.value for statement in kernel.statements))
    return Cost(
        tuple(s for access in accesses for s in _streams(kernel, access, access.offsets)),
        tuple(s for access in accesses for s in _streams(kernel, access, access.written)),
        sum(map(_operations, nodes)),
    )


def _operations(node: Expr) -> int:
    match node:
        case Unary(op, _) | Binary(op, _, _) | Compare(op, _, _):
            return OPERATIONS[op].flops
        case _:
            return isinstance(node, Where)


def _streams(kernel: Kernel, access: ComponentUse, offsets: tuple[Offset, ...]) -> list[Stream]:
    """Return the rows of a component that are used at some offsets."""
    # By their place in a cell across x.
    rows: dict[Offset, list[Offset]] = {}
    for offset in offsets:
        cell, child = access.type.parted(offset)
        rows.setdefault(child[1:], []).append((offset[0], *cell[1:]))
    size = np.dtype(access.type.dtype).itemsize
    return [
        Stream(
            size,
            _along(kernel, access, used),
            len({offset[1:] for offset in used}),
            len({offset[2:] for offset in used}),
        )
        for used in rows.values()
    ]


def _along(kernel: Kernel, access: ComponentUse, used: list[Offset]) -> tuple[tuple[int, int], ...]:
    """Return 'Stream.along' of rows used at offsets: along x in their cells, else in rows."""
    along = []
    for axis, steps in enumerate(zip(*used, strict=True)):
        span = max(steps) - min(steps)
        ratio = access.type.ratio_along(axis)
        # An axis that all fields lack is none of the kernel's.
        if ratio == 0 and any(field.ratio_along(axis) for field in kernel.fields):
            along.append((0, 1 + span))
            continue
        each = max(1, ratio) if axis == 0 else 1
        along.append((each, span + 1 - each if axis == 0 else span))
    return tuple(along)
