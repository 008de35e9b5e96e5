"""Boxes that tile a domain, and which of them meet a box: those between cuts, or any list."""

from __future__ import annotations

from functools import cached_property
from itertools import accumulate, pairwise
from math import prod
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from halocline.box_array import BoxArray, distinct, enumerated
from halocline.errors import PlanError
from halocline.geometry import Box, box_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

# Bins have on average at most so many entries for each box.
_ENTRIES = 8
# Of pairs that meet the position of the box that asks and the number of the other one, in ascending
# order.
Meeting = tuple["NDArray[np.intp]", "NDArray[np.intp]"]
_NONE = np.empty(0, np.intp), np.empty(0, np.intp)


class Cuts:
    """The boxes between the cuts along each axis, x fastest; never enumerated."""

    def __init__(self, cuts: Sequence[Sequence[int]]) -> None:
        self._cuts = cuts
        self._shape = [len(along) - 1 for along in cuts]
        self._strides = list(accumulate(self._shape[:-1], mul, initial=1))

    def __len__(self) -> int:
        """Return how many there are."""
        return prod(self._shape)

    def box(self, number: int) -> Box:
        """Return a box."""
        index = [number // s % n for s, n in zip(self._strides, self._shape, strict=True)]
        along = list(zip(self._cuts, index, strict=True))
        return Box(tuple([cuts[i] for cuts, i in along]), tuple([cuts[i + 1] for cuts, i in along]))

    def boxes(self, numbers: NDArray[np.intp]) -> BoxArray:
        """Return some boxes."""
        along = list(zip(map(np.array, self._cuts), self._strides, self._shape, strict=True))
        lower = [cuts[numbers // stride % n] for cuts, stride, n in along]
        upper = [cuts[numbers // stride % n + 1] for cuts, stride, n in along]
        return BoxArray(np.array(lower), np.array(upper))

    def meeting(self, boxes: BoxArray) -> Meeting:
        """Return which of them meet which boxes with cells of the domain."""
        ends = list(zip(self._cuts, boxes.lower, boxes.upper, strict=True))
        first = np.array([np.searchsorted(cuts, lower, "right") - 1 for cuts, lower, _ in ends])
        of, places = _places(
            first, np.array([np.searchsorted(cuts, upper, "left") for cuts, _, upper in ends])
        )
        return of, np.array(self._strides) @ places

    def narrowest(self, axis: int) -> int:
        """Return the least cells of a box along an axis."""
        return min(b - a for a, b in pairwise(self._cuts[axis]))


class Replicas:
    """The same box, as often as there are blocks: each has all cells."""

    def __init__(self, box: Box, count: int) -> None:
        self._box = box
        self._count = count

    def __len__(self) -> int:
        """Return how many there are."""
        return self._count

    def box(self, number: int) -> Box:
        """Return a box."""
        del number
        return self._box

    def boxes(self, numbers: NDArray[np.intp]) -> BoxArray:
        """Return some boxes."""
        return BoxArray.of([self._box]).take(np.zeros(len(numbers), np.intp))

    def meeting(self, boxes: BoxArray) -> Meeting:
        """Return which of them meet which boxes with cells of the domain: all."""
        return np.divmod(np.arange(boxes.lower.shape[1] * self._count), self._count)

    def narrowest(self, axis: int) -> int:
        """Return the least cells of a box along an axis."""
        return self._box.extent[axis]


class _Bins(NamedTuple):
    """The bins of a coarse grid, and which boxes lie in each.

    Attributes:
        origin: Where the first one begins (axes, 1).
        size: Cells of a bin along each axis (axes, 1).
        shape: Bins along each axis (axes, 1).
        keys: The number of the bin of each entry, in ascending order.
        boxes: The box of each entry, by its position.
    """

    origin: NDArray[np.int64]
    size: NDArray[np.int64]
    shape: NDArray[np.int64]
    keys: NDArray[np.int64]
    boxes: NDArray[np.intp]

    @classmethod
    def of(cls, boxes: BoxArray) -> _Bins:
        """Return the bins of boxes with cells: about as wide as a box is, wider if many are."""
        origin = boxes.lower.min(axis=1, keepdims=True)
        size = np.median(boxes.upper - boxes.lower, axis=1, keepdims=True).astype(np.int64)
        while True:
            first, end = (boxes.lower - origin) // size, -((origin - boxes.upper) // size)
            if np.prod(end - first, axis=0).sum() <= _ENTRIES * boxes.lower.shape[1]:
                break
            size = 2 * size
        shape = end.max(axis=1, keepdims=True)
        of, places = _places(first, end)
        keys = _key(places, shape)
        order = np.argsort(keys, kind="stable")
        return cls(origin, size, shape, keys[order], of[order])

    def places(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return in which bins cells lie, the first or last ones for those outside of all."""
        found: NDArray[np.int64] = np.clip((cells - self.origin) // self.size, 0, self.shape - 1)
        return found

    def meeting(self, boxes: BoxArray, known: BoxArray) -> Meeting:
        """Return pairs of boxes and known ones that have cells in common, in ascending order.

        Args:
            boxes: With cells.
            known: Those that lie in the bins.
        """
        first, end = self.places(boxes.lower), self.places(boxes.upper - 1) + 1
        count = known.lower.shape[1]
        # Of a box that spans more bins than there are boxes each is asked.
        is_wide = np.prod(end - first, axis=0) > count
        narrow, wide = np.flatnonzero(~is_wide), np.flatnonzero(is_wide)
        of, places = _places(first[:, narrow], end[:, narrow])
        key = _key(places, self.shape)
        begin = np.searchsorted(self.keys, key, "left")
        entry, number = enumerated(np.searchsorted(self.keys, key, "right") - begin)
        every, position = np.divmod(np.arange(len(wide) * count), count)
        asking = np.append(narrow[of[entry]], wide[every])
        other = np.append(self.boxes[begin[entry] + number], position)
        for axis in range(len(first)):
            is_before = boxes.lower[axis][asking] < known.upper[axis][other]
            is_before &= known.lower[axis][other] < boxes.upper[axis][asking]
            asking, other = asking[is_before], other[is_before]
        # Some meet in several bins.
        return np.divmod(distinct(asking * count + other), count)


def _places(
    first: NDArray[np.int64], end: NDArray[np.int64]
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Return all places of several ranges, each with the range in which it lies.

    Args:
        first: Where each range begins along each axis (axes, ranges).
        end: Where it ends.
    """
    counts = end - first
    of, number = enumerated(np.prod(counts, axis=0))
    places = np.empty((len(first), len(of)), np.int64)
    for axis, along in enumerate(counts):
        places[axis] = first[axis, of] + number % along[of]
        number //= along[of]
    return of, places


def _key(places: NDArray[np.int64], shape: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a number for each place of a grid, x fastest."""
    key = np.zeros(places.shape[1], np.int64)
    for along, n in zip(places[::-1], shape[::-1, 0], strict=True):
        key = key * n + along
    return key


class BlockList:
    """Any boxes.

    Args:
        boxes: The boxes; empty ones meet nothing.
        numbers: Which of them are looked for; None for all.
    """

    def __init__(self, boxes: BoxArray, numbers: NDArray[np.intp] | None = None) -> None:
        self._boxes = boxes
        has_cells = boxes.has_cells
        self._numbers = (
            np.flatnonzero(has_cells) if numbers is None else numbers[has_cells[numbers]]
        )

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._boxes.lower.T)

    def box(self, number: int) -> Box:
        """Return a box."""
        (box,) = self._boxes.take(slice(number, number + 1)).every()
        return box

    def boxes(self, numbers: NDArray[np.intp]) -> BoxArray:
        """Return some boxes."""
        return self._boxes.take(numbers)

    def meeting(self, boxes: BoxArray) -> Meeting:
        """Return which of them meet which boxes."""
        if not len(self._numbers):
            return _NONE
        asked = np.flatnonzero(boxes.has_cells)
        asking, other = self._bins.meeting(boxes.take(asked), self._known)
        return asked[asking], self._numbers[other]

    def pairs(self, boxes: Sequence[Box]) -> Iterator[tuple[int, int]]:
        """Yield the positions of boxes and the numbers of those that they meet, in order."""
        if boxes:
            asking, found = self.meeting(BoxArray.of(boxes))
            yield from zip(asking.tolist(), found.tolist(), strict=True)

    def narrowest(self, axis: int) -> int:
        """Return the least cells of a box along an axis."""
        return int((self._known.upper - self._known.lower)[axis].min())

    @cached_property
    def _known(self) -> BoxArray:
        return self._boxes.take(self._numbers)

    @cached_property
    def _bins(self) -> _Bins:
        return _Bins.of(self._known)


Tiling = Cuts | BlockList | Replicas


def check_tiling(boxes: Sequence[Box], extent: tuple[int, ...]) -> None:
    """Refuse blocks that do not hold each cell of a domain once.

    Raises:
        PlanError: One lies outside, two overlap, or cells are left out.
    """
    domain = box_of(extent)
    for number, box in enumerate(boxes):
        if len(box.lower) != len(extent) or box.is_empty or not domain.contains(box):
            raise PlanError(
                f"Block {number} is {box}; expected a box with cells, inside the domain {domain}."
            )
    for number, other in BlockList(BoxArray.of(boxes)).pairs(boxes):
        if number != other:
            raise PlanError(
                f"Blocks {number} and {other} overlap in {boxes[number].intersect(boxes[other])}; "
                "expected each cell in one block."
            )
    missing = domain.cells - sum(box.cells for box in boxes)
    if missing:
        raise PlanError(
            f"The blocks leave out {missing} of {domain.cells} cells; expected each cell in one "
            "block."
        )


def bounds_of(boxes: Iterable[Box]) -> tuple[tuple[int, ...], ...]:
    """Return where boxes begin or end, along each axis."""
    ends = zip(*(end for box in boxes for end in (box.lower, box.upper)), strict=True)
    return tuple(tuple(sorted(set(along))) for along in ends)
