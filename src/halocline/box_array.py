"""Many boxes at once: what 'Box' says of one, NumPy computes for each of an array of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from halocline.geometry import UNBOUNDED, Box

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Offset

# Bounds of boxes without cells: so far beyond all others that 'union' does not see them.
_FAR = UNBOUNDED << 10
# What numbers of cells in arrays, and sums of these, stay below.
_LARGEST = 2.0**50


class BoxArray(NamedTuple):
    """Boxes that all have the same number of axes.

    Attributes:
        lower: The first cells (axes, boxes).
        upper: The cells beyond the last ones.
    """

    lower: NDArray[np.int64]
    upper: NDArray[np.int64]

    def __eq__(self, other: object) -> bool:
        """Return whether others are the same boxes in the same order."""
        return isinstance(other, BoxArray) and all(map(np.array_equal, self, other))

    def __ne__(self, other: object) -> bool:
        """Return whether others differ."""
        return not self == other

    def __hash__(self) -> int:
        """Return the same for equal boxes."""
        return hash(tuple([end.tobytes() for end in self]))

    @classmethod
    def of(cls, boxes: Sequence[Box], axes: int = 0) -> BoxArray:
        """Return an array of boxes; if there may be none, with how many axes they have."""
        ends = np.array([(box.lower, box.upper) for box in boxes], np.int64)
        ends = ends if boxes else ends.reshape(0, 2, axes)
        return cls(ends[:, 0].T, ends[:, 1].T)

    @classmethod
    def without_cells(cls, axes: int, count: int) -> BoxArray:
        """Return so many boxes that hold nothing."""
        return cls(np.full((axes, count), _FAR), np.full((axes, count), -_FAR))

    def every(self) -> list[Box]:
        """Return each of them."""
        lower, upper = (zip(*end.tolist(), strict=True) for end in self)
        return list(map(Box, lower, upper))

    def boxes(self) -> list[Box | None]:
        """Return each of them; None for one without cells."""
        found: list[Box | None] = [None] * self.lower.shape[1]
        filled = np.flatnonzero(self.has_cells)
        for place, box in zip(filled.tolist(), self.take(filled).every(), strict=True):
            found[place] = box
        return found

    @property
    def has_cells(self) -> NDArray[np.bool_]:
        """Which of them hold a cell."""
        found: NDArray[np.bool_] = np.logical_and.reduce(self.lower < self.upper, axis=0)
        return found

    @property
    def cells(self) -> NDArray[Any]:
        """How many cells each holds: whole numbers, of any size if there is a large one."""
        extents = np.maximum(self.upper - self.lower, 0)
        is_large = np.prod(extents, axis=0, dtype=float).max(initial=0) > _LARGEST
        return np.asarray(np.prod(extents.astype(object) if is_large else extents, axis=0))

    def take(self, which: NDArray[np.intp] | NDArray[np.bool_] | slice) -> BoxArray:
        """Return those at some positions."""
        return BoxArray(columns(self.lower, which), columns(self.upper, which))

    def where(self, is_kept: NDArray[np.bool_]) -> BoxArray:
        """Return some of them; the others hold nothing."""
        lower, upper = np.where(is_kept, self.lower, _FAR), np.where(is_kept, self.upper, -_FAR)
        return BoxArray(lower, upper)

    def contains(self, other: BoxArray) -> NDArray[np.bool_]:
        """Return whether each holds all cells of its counterpart, which has some."""
        is_around = (self.lower <= other.lower) & (other.upper <= self.upper)
        found: NDArray[np.bool_] = np.all(is_around, axis=0)
        return found

    def intersect(self, other: BoxArray) -> BoxArray:
        """Return the cells that each has in common with its counterpart."""
        return _filled(np.maximum(self.lower, other.lower), np.minimum(self.upper, other.upper))

    def subtract(self, other: BoxArray) -> BoxArray:
        """Return disjoint boxes of the cells that each has outside of its counterpart.

        The pieces are those of 'Box.subtract', and some have no cells (axes, pieces, boxes).
        """
        lower, upper = self.lower.copy(), self.upper.copy()
        common = self.intersect(other)
        # Of one that meets nothing the first piece is all.
        is_met = common.has_cells
        low, high = (np.where(is_met, end, upper) for end in common)
        pieces = []
        for axis in reversed(range(len(lower))):
            below, above = upper.copy(), lower.copy()
            below[axis], above[axis] = low[axis], high[axis]
            pieces += [(lower.copy(), below), (above, upper.copy())]
            lower[axis], upper[axis] = low[axis], high[axis]
        return BoxArray(*(np.stack(ends, axis=1) for ends in zip(*pieces, strict=True)))

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

    def around(self) -> BoxArray:
        """Return boxes around several each (axes, several, boxes); of those without cells none."""
        filled = self.where(self.has_cells)
        return BoxArray(filled.lower.min(axis=1), filled.upper.max(axis=1))

    def doubled(self) -> BoxArray:
        """Return the same in cells half as wide."""
        return BoxArray(2 * self.lower, 2 * self.upper)

    def moved(self, offset: Offset | NDArray[np.int64]) -> BoxArray:
        """Return each moved by an offset; what has no bound keeps none.

        Args:
            offset: The same for all, or one for each (axes, boxes).
        """
        by = offset if isinstance(offset, np.ndarray) else np.array(offset)[:, None]
        if not by.any():
            return self
        return BoxArray(
            np.where(self.lower <= -UNBOUNDED, self.lower, self.lower + by),
            np.where(self.upper >= UNBOUNDED, self.upper, self.upper + by),
        )


def columns(
    array: NDArray[np.int64], which: NDArray[np.intp] | NDArray[np.bool_] | slice
) -> NDArray[np.int64]:
    """Return an array at some positions along its last axis, sooner than a subscript does."""
    if isinstance(which, slice):
        return array[..., which]
    places = which.nonzero()[0] if which.dtype == np.bool_ else which
    return array.take(places, axis=-1)


def joined(arrays: Sequence[BoxArray]) -> BoxArray:
    """Return the boxes of one or several arrays, one after the other."""
    lower = np.concatenate([one.lower for one in arrays], axis=1)
    return BoxArray(lower, np.concatenate([one.upper for one in arrays], axis=1))


def beside(arrays: Sequence[BoxArray]) -> BoxArray:
    """Return several boxes each (axes, several, boxes) of one or more arrays, one after the other.

    Where an array has fewer boxes each than others, boxes without cells are added.
    """
    axes = len(arrays[0].lower)
    most = max(one.lower.shape[1] for one in arrays)
    count = sum(one.lower.shape[2] for one in arrays)
    nothing = BoxArray.without_cells(axes, most * count)
    found = BoxArray(*(end.reshape(axes, most, count) for end in nothing))
    first = 0
    for one in arrays:
        _, several, boxes = one.lower.shape
        for end, of_one in zip(found, one, strict=True):
            end[:, :several, first : first + boxes] = of_one
        first += boxes
    return found


def enumerated(counts: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Return what belongs to lists of some lengths: the list of each entry, and its place there.

    Example:
        >>> from halocline.box_array import enumerated
        >>> enumerated(np.array([2, 0, 1]))
        (array([0, 0, 2]), array([0, 1, 0]))
    """
    of = np.repeat(np.arange(len(counts)), counts)
    first = np.cumsum(counts) - counts
    return of, np.arange(len(of)) - first[of]


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """Return the different values of an array, in ascending order.

    'np.unique' does the same, but imports NumPy's masked arrays: a program would start later.

    Example:
        >>> from halocline.box_array import distinct
        >>> distinct(np.array([3, 1, 3]))
        array([1, 3])
    """
    ordered = np.sort(values, axis=None)
    is_first = np.ones(len(ordered), bool)
    is_first[1:] = ordered[1:] != ordered[:-1]
    return ordered[is_first]


def union(boxes: Sequence[BoxArray]) -> BoxArray:
    """Return the smallest boxes around one or several each."""
    lower = np.minimum.reduce([one.lower for one in boxes])
    return BoxArray(lower, np.maximum.reduce([one.upper for one in boxes]))


def around_each(of: NDArray[np.intp], boxes: BoxArray, count: int) -> BoxArray:
    """Return for each of so many things a box around those boxes that belong to it."""
    found = BoxArray.without_cells(len(boxes.lower), count)
    for axis in range(len(boxes.lower)):
        np.minimum.at(found.lower[axis], of, boxes.lower[axis])
        np.maximum.at(found.upper[axis], of, boxes.upper[axis])
    return found


def _filled(lower: NDArray[np.int64], upper: NDArray[np.int64]) -> BoxArray:
    found = BoxArray(lower, upper)
    return found.where(found.has_cells)


def join(boxes: Iterable[Box]) -> list[Box]:
    """Return disjoint boxes that hold the same cells as some disjoint ones, as few as is easy.

    Along one axis after the other those are joined that differ along no other.
    """
    found = list(boxes)
    if not found:
        return []
    _, few = join_all(np.zeros(len(found), np.intp), BoxArray.of(found))
    return few.every()


def join_all(owners: NDArray[np.intp], boxes: BoxArray) -> tuple[NDArray[np.intp], BoxArray]:
    """Return the boxes of each owner joined, and their owners, in ascending order; see 'join'.

    Args:
        owners: Of each box.
        boxes: The boxes, all disjoint.
    """
    lower, upper = boxes
    for axis in range(len(lower)):
        others = [a for a in range(len(lower)) if a != axis]
        line = [owners, *lower[others], *upper[others]]
        order = np.lexsort([lower[axis], *line])
        owners, lower, upper = owners[order], lower[:, order], upper[:, order]
        is_first = np.ones(len(order), bool)
        is_first[1:] = lower[axis, 1:] != upper[axis, :-1]
        for values in line:
            is_first[1:] |= np.diff(values[order]) != 0
        first = np.flatnonzero(is_first)
        last = np.append(first, len(order))[1:] - 1
        ends = upper[:, first]
        ends[axis] = upper[axis, last]
        owners, lower, upper = owners[first], lower[:, first], ends
    order = np.lexsort([*lower[::-1], owners])
    return owners[order], BoxArray(lower[:, order], upper[:, order])
