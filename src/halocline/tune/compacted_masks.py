"""CompactedMask cells: how many cells of a box a kernel does that runs in those of a mask."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from halocline.memo import memoised
from halocline.plan.program.program import Masked

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.geometry import Box
    from halocline.plan.program.program import Launch
    from halocline.plan.value.operations import Placed
    from halocline.runtime.slots import Slots


class CompactedMask:
    """The cells of a mask in a box, counted once.

    Args:
        mask: True in these cells (nx, …).
        first: Where the first cells lie in their rows, which begin with a piece of memory.
    """

    def __init__(self, mask: NDArray[np.bool_], first: int) -> None:
        self._mask = mask
        self._first = first

    @cached_property
    def cells(self) -> int:
        """How many there are."""
        return int(np.count_nonzero(self._mask))

    @cached_property
    def runs(self) -> int:
        """How many runs of neighbours in a row they are."""
        begins = self._mask.copy()
        begins[1:] &= ~self._mask[:-1]
        return int(np.count_nonzero(begins))

    @memoised
    def pieces(self, cells: int) -> int:
        """Return in how many pieces of memory they lie that hold so many cells of a row."""
        begins = np.arange(-(self._first % cells), len(self._mask), cells)
        begins[0] = 0
        return int(np.count_nonzero(np.logical_or.reduceat(self._mask, begins, axis=0)))


class CompactedMasks:
    """The masks of a simulation on this rank, compacted, with their present values.

    Args:
        slots: Where the masks are stored.
    """

    def __init__(self, slots: Slots) -> None:
        self._storages = slots.storages
        self._positions = slots.blocks

    def of(self, launch: Launch, placed: Placed) -> CompactedMask | None:
        """Return the mask of a kernel in a box; None if it has none or its cells are not known.

        They are known where the mask has the kernel's own cells.
        """
        is_known = isinstance(launch.body, Masked) and launch.body.is_compacted
        if not is_known or launch.spaces[-1] != launch.space:
            return None
        return self._compacted(launch.names[-1], *placed)

    @memoised
    def _compacted(self, mask: str, number: int, box: Box) -> CompactedMask | None:
        storage, position = self._storages.get(mask), self._positions.get(number)
        if storage is None or position is None:
            return None
        values = storage.seen(position, box)
        if values is None:
            return None
        own = storage.blocks_of_all.block(number).box
        return CompactedMask(values != 0, box.lower[0] - own.lower[0])
