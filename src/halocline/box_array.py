"""Many boxes at once: what 'Box' says of one, NumPy computes for each of an array of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from halocline.geometry import UNBOUNDED, Box

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Offset

# Bounds of boxes without cells: so far beyond all others that 'union' does not see them.
_FAR = UNBOUNDED << 10


class BoxArray(NamedTuple):
    """Boxes that all have the same number of axes.

    Attributes:
        lower: The first cells (axes, boxes).
        upper: The cells beyond the last ones.
    """

    lower: NDArray[np.int64]
    upper: NDArray[np.int64]

    @classmethod
    def of(cls, boxes: Sequence[Box]) -> BoxArray:
        """Return an array of boxes."""
        ends = np.array([(box.lower, box.upper) for box in boxes], np.int64)
        return cls(ends[:, 0].T, ends[:, 1].T)

    @classmethod
    def without_cells(cls, axes: int, count: int) -> BoxArray:
        """Return so many boxes that hold nothing."""
        return cls(np.full((axes, count), _FAR), np.full((axes, count), -_FAR))

    def boxes(self) -> list[Box | None]:
        """Return each of them; None for one without cells."""
        rows = zip(
            self.has_cells.tolist(), self.lower.T.tolist(), self.upper.T.tolist(), strict=True
        )
        return [Box(tuple(lower), tuple(upper)) if has else None for has, lower, upper in rows]

    @property
    def has_cells(self) -> NDArray[np.bool_]:
        """Which of them hold a cell."""
        found: NDArray[np.bool_] = np.all(self.lower < self.upper, axis=0)
        return found

    def where(self, is_kept: NDArray[np.bool_]) -> BoxArray:
        """Return some of them; the others hold nothing."""
        lower, upper = np.where(is_kept, self.lower, _FAR), np.where(is_kept, self.upper, -_FAR)
        return BoxArray(lower, upper)

    def intersect(self, other: BoxArray) -> BoxArray:
        """Return the cells that each has in common with its counterpart."""
        return _filled(np.maximum(self.lower, other.lower), np.minimum(self.upper, other.upper))

    def within(self, box: Box) -> BoxArray:
        """Return the cells that each has in common with the same box."""
        lower, upper = np.array(box.lower)[:, None], np.array(box.upper)[:, None]
        return _filled(np.maximum(self.lower, lower), np.minimum(self.upper, upper))

    def beyond(self, other: BoxArray) -> BoxArray:
        """Return boxes around the cells that each has outside of its counterpart."""
        common = self.intersect(other)
        is_below, is_above = self.lower < common.lower, self.upper > common.upper
        is_longer = is_below | is_above
        # One that is longer along a single axis loses there what both have at an end.
        is_cut = is_longer & (is_longer.sum(axis=0) == 1) & common.has_cells
        lower = np.where(is_cut & ~is_below, common.upper, self.lower)
        upper = np.where(is_cut & ~is_above, common.lower, self.upper)
        return _filled(lower, upper).where(np.any(is_longer, axis=0))

    def moved(self, offset: Offset) -> BoxArray:
        """Return each moved by an offset; what has no bound keeps none."""
        if not any(offset):
            return self
        by = np.array(offset)[:, None]
        return BoxArray(
            np.where(self.lower <= -UNBOUNDED, self.lower, self.lower + by),
            np.where(self.upper >= UNBOUNDED, self.upper, self.upper + by),
        )


def union(boxes: Sequence[BoxArray]) -> BoxArray:
    """Return the smallest boxes around one or several each."""
    lower = np.minimum.reduce([one.lower for one in boxes])
    return BoxArray(lower, np.maximum.reduce([one.upper for one in boxes]))


def _filled(lower: NDArray[np.int64], upper: NDArray[np.int64]) -> BoxArray:
    found = BoxArray(lower, upper)
    return found.where(found.has_cells)
