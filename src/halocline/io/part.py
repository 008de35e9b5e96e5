"""Part: some cells of a quantity, of which each rank has a share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.io.gather import storage_of
from halocline.plan.redistribution import redistribution
from halocline.runtime.redistribution import redistribute

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.geometry import Box
    from halocline.io.quantity import Quantity
    from halocline.plan.redistribution import BoxesOfRanks
    from halocline.runtime.redistribution import Values
    from halocline.runtime.storage import BlockStorage


class Part:
    """The cells of a quantity in a box.

    Args:
        quantity: The quantity.
        box: The cells, with a single one along each axis that the field lacks.
    """

    def __init__(self, quantity: Quantity, box: Box) -> None:
        self.quantity = quantity
        self.box = box
        self._storage: BlockStorage | None = None
        self._shares: BoxesOfRanks = []

    @property
    def storage(self) -> BlockStorage:
        """Where the values are."""
        return storage_of(self.quantity.field)

    @property
    def shares(self) -> BoxesOfRanks:
        """Which of the cells each rank has."""
        storage = self.storage
        if storage is not self._storage:
            self._storage = storage
            self._shares = [
                [inside for box in boxes if not (inside := box.intersect(self.box)).is_empty]
                for boxes in storage.own
            ]
        return self._shares

    def local(self) -> list[Values]:
        """Return this rank's share, views of what is stored."""
        storage, component = self.storage, self.quantity.component
        found = storage.parts(storage.own, component, will_write=False)
        return [
            (inside, values[inside.slices(box.lower)])
            for box, values in found
            if not (inside := box.intersect(self.box)).is_empty
        ]

    def gather(self, values: list[Values], dtype: Any) -> NDArray[Any] | None:
        """Return values of the ranks' shares on rank 0, None elsewhere; collective.

        Args:
            values: Of this rank's share.
            dtype: Their type.
        """
        job, space = self.storage.job, self.quantity.field.space
        with job.call(f"gather '{self.quantity.name}'"):
            wanted = [[self.box], *([] for _ in range(1, job.size))]
            plan = redistribution(self.shares, wanted, job.rank)
            # Blocks that were dropped have no values but zeros.
            result = None if job.rank else np.zeros(self.box.extent, dtype)
            places = [] if result is None else [(self.box, result)]
            redistribute(plan, values, places, np.dtype(dtype).str, job)
        if result is None:
            return None
        return result.reshape([self.box.extent[axis] for axis in space.axes])


class Mean:
    """The mean of a part over several states, of which each rank adds up its share.

    Args:
        part: The cells.
    """

    def __init__(self, part: Part) -> None:
        self.part = part
        self._sums: list[Values] = []
        self._shares: BoxesOfRanks = []
        self._count = 0

    def add(self) -> None:
        """Add what the cells are now; sums are in double precision, in the order of time."""
        self._follow_blocks()
        shown = self.part.quantity.shown
        for (_, total), (_, values) in zip(self._sums, self.part.local(), strict=True):
            np.add(total, shown(values), out=total)
        self._count += 1

    def take(self, dtype: Any) -> NDArray[Any] | None:
        """Return the mean on rank 0, None elsewhere, and begin anew; collective."""
        means = [(box, (total / self._count).astype(dtype)) for box, total in self._sums]
        self._sums, self._count = [], 0
        return self.part.gather(means, dtype)

    def _follow_blocks(self) -> None:
        """Begin with zeros, or bring sums to other blocks; collective where these changed."""
        part, shares = self.part, self.part.shares
        job = part.storage.job
        if self._count and shares is self._shares:
            return
        zeros = [(box, np.zeros(box.extent)) for box in shares[job.rank]]
        if self._count:
            plan = redistribution(self._shares, shares, job.rank)
            redistribute(plan, self._sums, zeros, "float64", job)
        self._sums, self._shares = zeros, shares
