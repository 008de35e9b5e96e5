"""Boxes that tile a domain, and which of them meet a box: those between cuts, or any list."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import accumulate, pairwise, product
from math import prod
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from halocline.errors import PlanError
from halocline.geometry import Box, bounding_box, box_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

# A leaf of the tree has at most so many boxes.
_LEAF = 256


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

    def meeting(self, box: Box) -> Iterator[int]:
        """Yield the numbers of those that meet a box of the domain, in ascending order."""
        ranges = []
        for axis, (cuts, stride) in enumerate(zip(self._cuts, self._strides, strict=True)):
            first = bisect_right(cuts, box.lower[axis]) - 1
            end = bisect_left(cuts, box.upper[axis])
            ranges.append(range(first * stride, end * stride, stride))
        return map(sum, product(*reversed(ranges)))

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

    def meeting(self, box: Box) -> Iterator[int]:
        """Yield the numbers of those that meet a box of the domain: all."""
        del box
        return iter(range(self._count))

    def narrowest(self, axis: int) -> int:
        """Return the least cells of a box along an axis."""
        return self._box.extent[axis]


class _Leaf(NamedTuple):
    """A few hundred boxes, which NumPy compares at once: where they begin and end (axes, boxes)."""

    bounds: Box
    numbers: NDArray[np.intp]
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]

    def meeting(self, box: Box) -> list[int]:
        """Return the numbers of those that meet a box with cells."""
        meet = np.ones(len(self.numbers), bool)
        for axis, (first, end) in enumerate(zip(box.lower, box.upper, strict=True)):
            meet &= (self.lower[axis] < end) & (self.upper[axis] > first)
        found: list[int] = self.numbers[meet].tolist()
        return found


class _Node(NamedTuple):
    """The two halves of many boxes."""

    bounds: Box
    halves: tuple[_Node | _Leaf, _Node | _Leaf]


class BlockList:
    """Any boxes, in a tree: a node is cut in half along the axis on which it is longest.

    Args:
        boxes: The boxes; empty ones meet nothing.
        numbers: Which of them are looked for; None for all.
    """

    def __init__(self, boxes: Sequence[Box], numbers: Iterable[int] | None = None) -> None:
        self._boxes = boxes
        asked = range(len(boxes)) if numbers is None else numbers
        self._numbers = [number for number in asked if not boxes[number].is_empty]

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._boxes)

    def box(self, number: int) -> Box:
        """Return a box."""
        return self._boxes[number]

    def meeting(self, box: Box) -> Iterator[int]:
        """Yield the numbers of those that meet a box, in ascending order."""
        found: list[int] = []
        nodes = [self._tree] if self._numbers and not box.is_empty else []
        while nodes:
            node = nodes.pop()
            if isinstance(node, _Leaf):
                found += node.meeting(box)
            else:
                nodes += [half for half in node.halves if half.bounds.meets(box)]
        return iter(sorted(found))

    def narrowest(self, axis: int) -> int:
        """Return the least cells of a box along an axis."""
        return min(self._boxes[number].extent[axis] for number in self._numbers)

    @cached_property
    def _tree(self) -> _Node | _Leaf:
        return self._node(self._numbers)

    def _node(self, numbers: Sequence[int]) -> _Node | _Leaf:
        boxes = [self._boxes[number] for number in numbers]
        bounds = bounding_box(boxes)
        assert bounds is not None
        if len(boxes) <= _LEAF:
            lower, upper = [box.lower for box in boxes], [box.upper for box in boxes]
            return _Leaf(bounds, np.array(numbers), np.array(lower).T, np.array(upper).T)
        axis = bounds.extent.index(max(bounds.extent))
        in_order = sorted(numbers, key=lambda n: self._boxes[n].lower[axis])
        half = len(in_order) // 2
        return _Node(bounds, (self._node(in_order[:half]), self._node(in_order[half:])))


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
    found = BlockList(boxes)
    for number, box in enumerate(boxes):
        other = next((other for other in found.meeting(box) if other != number), None)
        if other is not None:
            raise PlanError(
                f"Blocks {number} and {other} overlap in {box.intersect(boxes[other])}; expected "
                "each cell in one block."
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


def join(boxes: Iterable[Box]) -> list[Box]:
    """Return disjoint boxes that hold the same cells as some disjoint ones, as few as is easy.

    Along one axis after the other those are joined that differ along no other.
    """
    found = list(boxes)
    if not found:
        return []
    ends = np.array([[box.lower, box.upper] for box in found])
    return sorted(box for _, box in join_all(np.zeros(len(found), np.intp), ends))


def join_all(owners: NDArray[np.intp], ends: NDArray[np.int64]) -> list[tuple[int, Box]]:
    """Return the boxes of each owner joined, with their owner; see 'join'.

    Args:
        owners: Of each box (boxes).
        ends: Its lower and upper ends (boxes, 2, axes).
    """
    axes = ends.shape[2]
    for axis in range(axes):
        others = [a for a in range(axes) if a != axis]
        line = [owners, *ends[:, :, others].reshape(len(ends), -1).T]
        order = np.lexsort([ends[:, 0, axis], *line])
        owners, ends = owners[order], ends[order]
        is_first = np.ones(len(ends), bool)
        is_first[1:] = ends[1:, 0, axis] != ends[:-1, 1, axis]
        for values in line:
            is_first[1:] |= np.diff(values[order]) != 0
        first = np.flatnonzero(is_first)
        last = np.append(first[1:], len(ends)) - 1
        owners, ends = owners[first], np.stack((ends[first, 0], ends[last, 1]), axis=1)
    boxes = [Box(tuple(lower), tuple(upper)) for lower, upper in ends.tolist()]
    return list(zip(owners.tolist(), boxes, strict=True))
