"""What expressions see from some cells, in plain NumPy on whole arrays with layers around them."""

from __future__ import annotations

import numpy as np
from property.expressions import Carry, Draw, Index, Offset, Read
from property.philox import drawn
from property.programs import REACH, Program, Space


class Seen:
    """What expressions see from some cells of a kernel.

    Attributes:
        space: The kernel's cells.
        cells: Those where it runs: their numbers along each axis.
        before: Filled fields at the beginning.
        now: Filled fields as they are.
        carries: What has been handed on to these cells.
        moment: The step, and the pass.
    """

    def __init__(
        self, program: Program, space: Space, cells, before, now, *, carries=(), moment=(0, 0)
    ) -> None:
        self.moment = moment
        self.program, self.space, self.cells = program, space, cells
        self.before, self.now, self.carries = before, now, carries

    def __call__(self, node: Read | Index | Carry, shift: Offset) -> np.ndarray:
        if isinstance(node, Carry):
            return self.carries[node.number]
        if isinstance(node, Index):
            return self._index(node.axis, shift)
        if isinstance(node, Draw):
            axes = range(len(self.cells))
            cell = [self._index(a, shift) if a in self.space.axes else 0 for a in axes]
            return drawn(node.seed, node.stream, node.dtype, *self.moment, cell)
        arrays = self.before if node.is_old else self.now
        return readable(arrays[node.field][node.component][self._places(node, shift)])

    def chosen(self, mask) -> np.ndarray:
        """Return in which of the cells a mask is not zero; without one in all."""
        shape = tuple(map(len, self.cells))
        if not isinstance(mask, str):
            return np.ones(shape, bool)
        here = (0,) * len(shape)
        found = self.before[mask][0][self._places(Read(mask, 0, here), here)]
        return np.broadcast_to(found != 0, shape)

    def _places(self, node: Read, shift: Offset) -> tuple[np.ndarray, ...]:
        space = self.program.space(node.field)
        return np.ix_(
            *(
                REACH
                + space.place(
                    line, shift[axis], node.offset[axis], axis,
                    space.scale[axis] / self.space.scale[axis],
                )
                for axis, line in enumerate(self.cells)
            )
        )  # fmt: skip

    def _index(self, axis: int, shift: Offset) -> np.ndarray:
        index = self.cells[axis] + shift[axis]
        if self.space.periodic[axis]:
            index %= self.space.cells[axis]
        shape = [1] * len(self.cells)
        shape[axis] = -1
        return index.reshape(shape)


def lines(region) -> list[np.ndarray]:
    """Return the numbers of a region's cells along each axis."""
    return [np.arange(lower, upper) for lower, upper in zip(*region, strict=True)]


def readable(values: np.ndarray) -> np.ndarray:
    """Return numbers as kernels read them: 16 bits are for storage only."""
    return values.astype(np.float32) if values.dtype == np.float16 else values


def stored(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Return numbers as a field of a type holds them: to 16 bits by way of 32."""
    if dtype == np.float16:
        values = values.astype(np.float32)
    return values.astype(dtype)
