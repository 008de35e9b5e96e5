"""Means over time of a quantity of a forest, whose leaves may change meanwhile.

Each rank adds up what its leaves have. Where leaves go to other ranks, their sums go with them;
sums of leaves that have been split or merged stay until the means are due. So a cell gets the mean
of what was around it, whichever level had it: of finer cells their mean, of a coarser cell its
value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.box_array import BoxArray
from halocline.geometry import Box
from halocline.language.grids.resampled import check_in_cells
from halocline.plan.blocks.redistribution import redistribution
from halocline.plan.blocks.tiling import BlockList
from halocline.runtime.redistribution import redistribute
from halocline.runtime.storage import storage_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from halocline.io.quantity import Quantity
    from halocline.plan.blocks.redistribution import BoxesOfRanks
    from halocline.runtime.job import Job
    from halocline.runtime.redistribution import Values
    from halocline.runtime.storage import BlockStorage


class LevelMeans:
    """The means of a quantity over several states; see 'TimeMean'.

    Args:
        quantity: The quantity, of a forest.
        dtype: As what they are written.

    Raises:
        GridError: Its values do not live in the middle of cells.
    """

    def __init__(self, quantity: Quantity, dtype: np.dtype[Any]) -> None:
        check_in_cells(quantity.of_forest)
        self._quantity = quantity
        self._dtype = dtype
        self.begin()

    def begin(self) -> None:
        """Forget the sums."""
        levels = range(self._quantity.of_forest.forest.levels)
        self._sums = [_Sums(self._quantity, level) for level in levels]
        self._count = 0

    def add(self) -> None:
        """Add what the leaves have now; sums are in double precision, in the order of time."""
        for sums in self._sums:
            sums.add()
        self._count += 1

    def gather_boxes(self, level: int, boxes: Sequence[Box]) -> list[NDArray[Any]] | None:
        """Return means in boxes of a level's leaves, on rank 0; None elsewhere; collective."""
        found = self._sums[level].gather(boxes)
        for sums in self._sums:
            gone = sums.gone_in([_on_level(box, sums.level - level) for box in boxes])
            values = sums.gather(gone)
            for box, total in zip(boxes, found or (), strict=bool(found)):
                for old, its in zip(gone, values or (), strict=True):
                    _add(total, box, its, old, sums.level - level)
        if found is None:
            return None
        return [(total / self._count).astype(self._dtype) for total in found]


class _Sums:
    """The sums on a level: in its leaves, and in those that it had.

    Args:
        quantity: Of what.
        level: The level.

    Attributes:
        level: The level.
    """

    def __init__(self, quantity: Quantity, level: int) -> None:
        self.level = level
        self._quantity = quantity
        self._field = quantity.of_forest.level(level)
        self._storage: BlockStorage | None = None
        # Where the ranks have sums: in what they have, and in leaves that there were, by rank.
        self._boxes: BoxesOfRanks = []
        self._leaves: list[Box] = []
        self._gone: dict[Box, int] = {}
        self._totals: list[Values] = []

    def add(self) -> None:
        """Add what the leaves have."""
        storage = storage_of(self._field)
        if storage is not self._storage:
            self._follow_blocks(storage)
        own = storage.parts(storage.own, self._quantity.component, will_write=False)
        # Leaves that there were come behind.
        for (_, total), (_, values) in zip(self._totals, own, strict=False):
            np.add(total, self._quantity.shown(values), out=total)

    def gone_in(self, boxes: Sequence[Box]) -> list[Box]:
        """Return the leaves that there were, in ascending order, that meet some boxes."""
        gone = sorted(self._gone)
        found = dict.fromkeys(n for n, _ in BlockList(BoxArray.of(boxes)).pairs(gone))
        return [gone[n] for n in found]

    def gather(self, boxes: Sequence[Box]) -> list[NDArray[Any]] | None:
        """Return sums in boxes on rank 0, None elsewhere; collective."""
        job = self._job
        with job.call(f"gather means of '{self._quantity.name}'"):
            wanted = [list(boxes), *([] for _ in range(1, job.size))]
            found = self._moved(self._boxes, self._totals, wanted)
        return None if job.rank else [values for _, values in found]

    @property
    def _job(self) -> Job:
        return storage_of(self._field).job

    def _follow_blocks(self, storage: BlockStorage) -> None:
        """Begin with zeros, or bring sums to other ranks; collective."""
        leaves = self._quantity.of_forest.forest.leaves.boxes(self.level)
        now, boxes = set(leaves), [list(of_rank) for of_rank in storage.own]
        self._boxes = self._boxes or [[] for _ in boxes]
        self._gone = self._holders(box for box in (*self._leaves, *self._gone) if box not in now)
        for box, rank in self._gone.items():
            boxes[rank].append(box)
        self._totals = self._moved(self._boxes, self._totals, boxes)
        self._storage, self._leaves, self._boxes = storage, leaves, boxes

    def _holders(self, leaves: Iterable[Box]) -> dict[Box, int]:
        """Return which rank has the sums of leaves."""
        asked = list(leaves)
        pairs = [(box, rank) for rank, boxes in enumerate(self._boxes) for box in boxes]
        blocks = BlockList(BoxArray.of([box for box, _ in pairs]))
        return {asked[n]: pairs[block][1] for n, block in blocks.pairs(asked)}

    def _moved(
        self, have: BoxesOfRanks, values: Sequence[Values], wanted: BoxesOfRanks
    ) -> list[Values]:
        """Return this rank's share of sums in other boxes; 0 where there are none."""
        job = self._job
        found = [(box, np.zeros(box.extent)) for box in wanted[job.rank]]
        plan = redistribution(have, wanted, job.rank)
        redistribute(plan, values, found, "float64", job)
        return found


def _on_level(box: Box, finer: int) -> Box:
    """Return the cells so many levels finer, coarser if negative, that a box meets."""
    if finer >= 0:
        return Box(*(tuple(n << finer for n in end) for end in (box.lower, box.upper)))
    upper = tuple(-(-n >> -finer) for n in box.upper)
    return Box(tuple(n >> -finer for n in box.lower), upper)


def _add(total: NDArray[Any], box: Box, values: NDArray[Any], other: Box, finer: int) -> None:
    """Add what values mean in a box.

    Args:
        total: The values of the box.
        box: Cells.
        values: What is added.
        other: Where it is, in other cells.
        finer: How many levels finer these are; negative if coarser.
    """
    inside = _on_level(other, -finer).intersect(box)
    if inside.is_empty:
        return
    here = inside.slices(box.lower)
    if finer < 0:
        places = zip(inside.lower, inside.upper, other.lower, strict=True)
        along = [(np.arange(first, last) >> -finer) - low for first, last, low in places]
        total[here] += values[np.ix_(*along)]
        return
    part = _on_level(inside, finer).intersect(other)
    means = values[part.slices(other.lower)] * 0.5 ** (finer * values.ndim)
    for axis, (first, last) in enumerate(zip(part.lower, part.upper, strict=True)):
        coarse = np.arange(first, last) >> finer
        means = np.add.reduceat(means, np.flatnonzero(np.diff(coarse, prepend=-1)), axis)
    total[here] += means
