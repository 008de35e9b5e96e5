"""What a kernel costs in each cell: bytes that must move and arithmetic operations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from halocline.analysis.footprint import footprint
from halocline.language.expr import Binary, Compare, Unary, Where, walk

if TYPE_CHECKING:
    from halocline.analysis.footprint import ComponentUse
    from halocline.geometry import Offset
    from halocline.language.kernel import Kernel


@dataclass(frozen=True, slots=True)
class Cost:
    """The least a kernel can cost in each cell.

    Of a finer field a cell has several numbers. They move in whole lines: of each row that is used,
    all that lie in the cell do. Of a field without an axis most cells find what they use in the
    cache, as they do what a sweep carries: none of it counts.

    Attributes:
        bytes_read: What is read, once [bytes].
        bytes_written: What is written, once [bytes].
        flops: Arithmetic operations after sharing of common expressions.
    """

    bytes_read: int
    bytes_written: int
    flops: int

    @property
    def bytes(self) -> int:
        """Bytes moved to and from memory."""
        return self.bytes_read + self.bytes_written

    def __str__(self) -> str:
        """Return the three numbers with units."""
        return (
            f"{self.bytes} bytes a cell ({self.bytes_read} read, {self.bytes_written} written), "
            f"{self.flops} flops"
        )


def cost(kernel: Kernel) -> Cost:
    """Return the cost of a kernel, derived from its expressions."""
    accesses = footprint(kernel).accesses
    nodes = walk(*(statement.value for statement in kernel.statements))
    return Cost(
        sum(_moved(kernel, access, access.offsets) for access in accesses),
        sum(_moved(kernel, access, access.written) for access in accesses),
        sum(isinstance(node, Unary | Binary | Compare | Where) for node in nodes),
    )


def _moved(kernel: Kernel, access: ComponentUse, offsets: tuple[Offset, ...]) -> int:
    """Return what a cell moves of a component that is used at some offsets [bytes]."""
    # An axis that all fields lack is none of the kernel's.
    axes = [
        axis
        for axis in range(kernel.dimensions)
        if any(field.ratio_along(axis) for field in kernel.fields)
    ]
    if any(access.type.ratio_along(axis) == 0 for axis in axes):
        return 0
    rows = {access.type.parted(offset)[1][1:] for offset in offsets}
    row = max(1, access.type.ratio_along(0)) * np.dtype(access.type.dtype).itemsize
    return len(rows) * row
