"""Integer boxes and directions: half-open, 0-based, in one global index space."""

from __future__ import annotations

from functools import cache, reduce
from itertools import pairwise, product
from math import prod
from operator import add, le, neg
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from halocline.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

_T = TypeVar("_T", bound=np.generic)

Offset = tuple[int, ...]
Direction = tuple[int, ...]

AXES = "xyz"
VOLUME = len(AXES)

# Far outside any grid, yet small enough that sums of a few of them fit in 64 bits.
UNBOUNDED = 1 << 40


class Box(Frozen, order=True):
    """The cells c with lower <= c < upper on every axis.

    A box whose upper bound does not exceed its lower bound on some axis is empty.

    Example:
        >>> hc.Box((0, 0), (4, 8)).cells
        32
    """

    lower: tuple[int, ...]
    upper: tuple[int, ...]

    @property
    def extent(self) -> tuple[int, ...]:
        """Cells along each axis, never negative."""
        ends = zip(self.lower, self.upper, strict=True)
        return tuple([u - l if u > l else 0 for l, u in ends])

    @property
    def cells(self) -> int:
        """Number of cells."""
        return prod(self.extent)

    @property
    def is_empty(self) -> bool:
        """Whether the box holds no cell."""
        return any(map(le, self.upper, self.lower))

    def contains(self, other: Box) -> bool:
        """Return whether every cell of 'other' lies in this box."""
        is_around = all(map(le, self.lower, other.lower)) and all(map(le, other.upper, self.upper))
        return is_around or other.is_empty

    def meets(self, other: Box) -> bool:
        """Return whether some cell lies in both boxes."""
        # Asked so often that planning takes noticeably less time than with boxes between.
        for a, b, c, d in zip(self.lower, self.upper, other.lower, other.upper, strict=True):
            if a >= b or a >= d or c >= b or c >= d:
                return False
        return True

    def intersect(self, other: Box) -> Box:
        """Return the cells in both boxes."""
        return Box(
            tuple(map(max, self.lower, other.lower)),
            tuple(map(min, self.upper, other.upper)),
        )

    def around(self, other: Box) -> Box:
        """Return the smallest box around both, each of which has cells."""
        return Box(
            tuple(map(min, self.lower, other.lower)),
            tuple(map(max, self.upper, other.upper)),
        )

    def slices(self, lower: Offset) -> tuple[Any, ...]:
        """Return the box as a subscript of an array whose first cell is 'lower'."""
        ends = zip(self.lower, self.upper, lower, strict=True)
        return tuple(slice(a - first, b - first) for a, b, first in ends)

    def shift(self, offset: Offset) -> Box:
        """Return the box moved by 'offset'."""
        if not any(offset):
            return self
        return Box(added(self.lower, offset), added(self.upper, offset))

    def grow(self, lower: Iterable[int], upper: Iterable[int]) -> Box:
        """Return the box with 'lower' and 'upper' layers added at its low and high sides."""
        return Box(
            tuple([l - g for l, g in zip(self.lower, lower, strict=True)]),
            tuple([u + g for u, g in zip(self.upper, upper, strict=True)]),
        )

    def open_along(self, axes: Iterable[bool]) -> Box:
        """Return the box without bounds along some axes, told for each axis."""
        ends = list(zip(self.lower, self.upper, axes, strict=True))
        return Box(
            tuple(-UNBOUNDED if is_open else l for l, _, is_open in ends),
            tuple(UNBOUNDED if is_open else u for _, u, is_open in ends),
        )

    def beside(self, direction: Direction) -> Box:
        """Return the layer, one cell thick, that touches the box in a direction."""
        ends = list(zip(self.lower, self.upper, direction, strict=True))
        return Box(
            tuple((l, u, l - 1)[d] for l, u, d in ends), tuple((u, u + 1, l)[d] for l, u, d in ends)
        )

    def subtract(self, other: Box) -> tuple[Box, ...]:
        """Return disjoint boxes that hold the cells of this box outside 'other'.

        The slowest axis is cut first, so that the pieces keep whole rows where they can.
        """
        # Asked as often as 'meets'.
        lower, upper, is_met = list(self.lower), list(self.upper), True
        for a, b, c, d in zip(lower, upper, other.lower, other.upper, strict=True):
            if a >= b:
                return ()
            is_met &= a < d and c < b and c < d
        if not is_met:
            return (self,)
        pieces = []
        for axis in reversed(range(len(lower))):
            low, high = other.lower[axis], other.upper[axis]
            if lower[axis] < low:
                below = (*upper[:axis], low, *upper[axis + 1 :])
                pieces.append(Box(tuple(lower), below))
                lower[axis] = low
            if high < upper[axis]:
                above = (*lower[:axis], high, *lower[axis + 1 :])
                pieces.append(Box(above, tuple(upper)))
                upper[axis] = high
        return tuple(pieces)

    def clip(self, axis: int, lower: int, upper: int) -> Box:
        """Return the box with other bounds on one axis."""
        return Box(
            (*self.lower[:axis], lower, *self.lower[axis + 1 :]),
            (*self.upper[:axis], upper, *self.upper[axis + 1 :]),
        )

    def split(self, parts: int, whole: int | None = None) -> tuple[Box, ...]:
        """Return up to 'parts' nearly equal slabs, cut along the slowest axis that can be.

        Args:
            parts: How many.
            whole: An axis that is not cut.
        """
        axes = [a for a in reversed(range(len(self.lower))) if a != whole]
        axis = next((a for a in axes if self.extent[a] >= parts), None)
        if axis is None or parts <= 1:
            return (self,)
        cuts = even_cuts(self.extent[axis], parts)
        start = self.lower[axis]
        return tuple(self.clip(axis, start + a, start + b) for a, b in pairwise(cuts))

    def joined(self, other: Box) -> Box | None:
        """Return the box that two boxes make, side by side or one in the other; None if none."""
        lower = tuple(map(min, self.lower, other.lower))
        upper = tuple(map(max, self.upper, other.upper))
        longer = [
            axis
            for axis in range(len(lower))
            if (self.lower[axis], self.upper[axis]) != (other.lower[axis], other.upper[axis])
        ]
        if len(longer) == 1:
            (axis,) = longer
            touch = max(self.lower[axis], other.lower[axis]) <= min(
                self.upper[axis], other.upper[axis]
            )
            return Box(lower, upper) if touch else None
        whole = Box(lower, upper)
        return whole if whole in (self, other) else None

    def __str__(self) -> str:
        """Return the box as '[0,4) x [0,8)'."""
        return " x ".join(f"[{l},{u})" for l, u in zip(self.lower, self.upper, strict=True))


def by_axes(numbers: Iterable[int]) -> str:
    """Return a number for each axis as text: '8x6x4'."""
    return "x".join(map(str, numbers))


def added(a: Offset, b: Offset) -> Offset:
    """Return the offset that leads as far as two, one after the other."""
    return tuple(map(add, a, b))


def opposite(offset: Offset) -> Offset:
    """Return the offset that leads back."""
    return tuple(map(neg, offset))


def box_of(extent: Iterable[int]) -> Box:
    """Return the box of the given extent that starts at the origin."""
    upper = tuple(extent)
    return Box((0,) * len(upper), upper)


def doubled(box: Box) -> Box:
    """Return the same place in cells half as wide."""
    return Box(tuple([2 * n for n in box.lower]), tuple([2 * n for n in box.upper]))


def halved(box: Box) -> Box:
    """Return the same place in cells twice as wide, with those that lie in it in part."""
    return Box(tuple([n // 2 for n in box.lower]), tuple([-(-n // 2) for n in box.upper]))


def bounding_box(boxes: Iterable[Box]) -> Box | None:
    """Return the smallest box around all cells, or None when there is no cell."""
    filled = [box for box in boxes if not box.is_empty]
    if not filled:
        return None
    return reduce(Box.around, filled)


def add_joined(boxes: list[Box], box: Box) -> None:
    """Add the cells of a box to those of others; two that make one box become one."""
    for position, other in enumerate(boxes):
        whole = other.joined(box)
        if whole is not None:
            del boxes[position]
            add_joined(boxes, whole)
            return
    boxes.append(box)


def without(boxes: Iterable[Box], others: Iterable[Box]) -> list[Box]:
    """Return disjoint parts of each box that hold its cells outside of all others."""
    rest = list(boxes)
    for other in others:
        if not rest:
            break
        rest = [piece for box in rest for piece in box.subtract(other)]
    return rest


def by_direction(box: Box, inner: Box) -> list[tuple[Direction, Box]]:
    """Cut a box along the sides of another; return the pieces with where each lies from that."""
    intervals = []
    for a, b, low, high in zip(box.lower, box.upper, inner.lower, inner.upper, strict=True):
        cuts = [(-1, a, min(b, low)), (0, max(a, low), min(b, high)), (1, max(a, high), b)]
        intervals.append([cut for cut in cuts if cut[1] < cut[2]])
    return [
        (
            tuple(sign for sign, _, _ in cut),
            Box(tuple(a for _, a, _ in cut), tuple(b for _, _, b in cut)),
        )
        for cut in product(*intervals)
    ]


def disjoint(boxes: Iterable[Box]) -> tuple[Box, ...]:
    """Return disjoint boxes that hold the same cells; larger boxes stay whole."""
    return first_come(sorted(set(boxes), key=lambda box: (-box.cells, box)))


def first_come(boxes: Iterable[Box]) -> tuple[Box, ...]:
    """Return disjoint boxes that hold the same cells; of boxes that overlap the first is whole."""
    result: list[Box] = []
    for box in boxes:
        if not box.is_empty:
            result += without([box], filter(box.meets, result))
    return tuple(sorted(result))


def directions(dimensions: int) -> Iterator[Direction]:
    """Yield the 3^d - 1 directions: sides first, then edges, then corners."""
    every = [d for d in product((-1, 0, 1), repeat=dimensions) if any(d)]
    yield from sorted(every, key=lambda d: (codimension(d), d))


@cache
def codimension(direction: Direction) -> int:
    """Return 1 for a side, 2 for an edge, 3 for a corner."""
    return sum(map(abs, direction))


def seen_along(cells: NDArray[_T], link: Offset, periodic: Sequence[bool]) -> NDArray[_T]:
    """Return what each cell sees along a link that is a cell long or none on each axis.

    That is what the cell has to which the link leads; zero beyond sides that are not periodic.
    """
    moved = cells
    for axis, step in enumerate(link):
        moved = np.roll(moved, -step, axis)
        if step and not periodic[axis]:
            edge = [slice(None)] * moved.ndim
            edge[axis] = slice(-1, None) if step > 0 else slice(0, 1)
            moved[tuple(edge)] = 0
    return moved


def direction_name(direction: Direction) -> str:
    """Return 'x+' for (1, 0, 0) and 'x-z+' for (-1, 0, 1)."""
    return "".join(
        AXES[axis] + ("+" if sign > 0 else "-") for axis, sign in enumerate(direction) if sign
    )


def even_cuts(extent: int, parts: int) -> tuple[int, ...]:
    """Return the bounds of 'parts' nearly equal intervals of [0, extent)."""
    return tuple(extent * part // parts for part in range(parts + 1))
