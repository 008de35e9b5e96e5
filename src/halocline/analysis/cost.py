"""What a kernel costs in each cell: bytes that must move and arithmetic operations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from halocline.analysis.footprint import footprint
from halocline.language.expr import Binary, Compare, Unary, Where, walk

if TYPE_CHECKING:
    from halocline.language.kernel import Kernel


@dataclass(frozen=True, slots=True)
class Cost:
    """The least a kernel can cost in each cell.

    Attributes:
        bytes_read: Each component that is read, once [bytes].
        bytes_written: Each component that is written, once [bytes].
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
    size = {field.name: np.dtype(field.dtype).itemsize for field in kernel.fields}
    nodes = walk(*(statement.value for statement in kernel.statements))
    return Cost(
        sum(size[access.field] for access in accesses if access.offsets),
        sum(size[access.field] for access in accesses if access.written),
        sum(isinstance(node, Unary | Binary | Compare | Where) for node in nodes),
    )
