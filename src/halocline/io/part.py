"""Part: some cells of a quantity, of which each rank has a share; and their means over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from halocline.plan.blocks.redistribution import redistribution
from halocline.runtime.redistribution import redistribute
from halocline.runtime.storage import storage_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from halocline.geometry import Box
    from halocline.io.quantity import Quantity
    from halocline.io.store import Place
    from halocline.io.variable import Variable
    from halocline.plan.blocks.redistribution import BoxesOfRanks
    from halocline.runtime.redistribution import Values
    from halocline.runtime.storage import BlockStorage


class TimeMean(Protocol):
    """What adds up states from one time of a series to the next."""

    def add(self) -> None:
        """Add what the cells are now; collective."""

    def begin(self) -> None:
        """Forget what has been added."""


class Source(Protocol):
    """What a variable of a series is filled from, time after time.

    Attributes:
        name: Of the variable.
        missing: What it has where there is no value; None where there always is one.
        mean: What adds up the states in between, if it has means.
    """

    name: str
    missing: Any

    @property
    def mean(self) -> TimeMean | None:
        """See above."""

    def variable(self) -> Variable:
        """Return the variable with zeros that take no memory."""

    def gathered(self) -> Iterator[tuple[Place, NDArray[Any] | None]]:
        """Yield the values of some cells after the other, on rank 0, None elsewhere; collective."""


class Part:
    """The cells of a quantity in a box.

    Args:
        quantity: The quantity, of a grid.
        box: The cells, with a single one along each axis that the field lacks.
        dtype: As what they are written.
    """

    missing = None
    mean = None

    def __init__(self, quantity: Quantity, box: Box, dtype: np.dtype[Any]) -> None:
        self.quantity = quantity
        self.name = quantity.name
        self.field = quantity.of_grid
        self.box = box
        self.dtype = dtype
        self._storage: BlockStorage | None = None
        self._shares: BoxesOfRanks = []

    @property
    def storage(self) -> BlockStorage:
        """Where the values are."""
        return storage_of(self.field)

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
        parts = storage.parts(storage.own, component, will_write=False)
        return [
            (inside, values[inside.slices(box.lower)])
            for box, values in parts
            if not (inside := box.intersect(self.box)).is_empty
        ]

    def variable(self) -> Variable:
        """See 'Source'; of all cells, not those of the box alone."""
        zeros = np.broadcast_to(self.dtype.type(0), self.field.space.shape)
        return self.quantity.variable(zeros)

    def gathered(self) -> Iterator[tuple[Place, NDArray[Any] | None]]:
        """Yield all values of the box at once; see 'Source'."""
        stored = self.gather(self.local(), self.field.dtype)
        yield (), None if stored is None else self.quantity.shown(stored).astype(self.dtype)

    def gather(self, values: list[Values], dtype: Any) -> NDArray[Any] | None:
        """Return values of the ranks' shares on rank 0, None elsewhere; collective.

        Args:
            values: Of this rank's share.
            dtype: Their type.
        """
        job, space = self.storage.job, self.field.space
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
    """The mean of a part over several states, of which each rank adds up its share; a 'TimeMean'.

    Args:
        part: The cells.
    """

    missing = None

    def __init__(self, part: Part) -> None:
        self.part = part
        self.name = part.name
        self.variable = part.variable
        self._sums: list[Values] = []
        self._shares: BoxesOfRanks = []
        self._count = 0

    @property
    def mean(self) -> Mean:
        """Itself; see 'Source'."""
        return self

    def begin(self) -> None:
        """Forget the sums."""
        self._sums, self._count = [], 0

    def add(self) -> None:
        """Add what the cells are now; sums are in double precision, in the order of time."""
        self._follow_blocks()
        shown = self.part.quantity.shown
        for (_, total), (_, values) in zip(self._sums, self.part.local(), strict=True):
            np.add(total, shown(values), out=total)
        self._count += 1

    def gathered(self) -> Iterator[tuple[Place, NDArray[Any] | None]]:
        """Yield the mean; see 'Source'."""
        dtype = self.part.dtype
        means = [(box, (total / self._count).astype(dtype)) for box, total in self._sums]
        yield (), self.part.gather(means, dtype)

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
