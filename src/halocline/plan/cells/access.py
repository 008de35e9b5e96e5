"""Access: which cells of a field a kernel uses from where it runs, through the map between spaces.

From cell i a kernel uses the field's cell ratio * i + offset along each axis; along an axis that
the field lacks, its only value there. The maps here lead from boxes and reaches of the cells where
a kernel runs to those of the field's cells, and back.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from halocline.box_array import BoxArray, columns
from halocline.frozen import Frozen
from halocline.geometry import UNBOUNDED, Box, opposite
from halocline.plan.cells.reach import Reach, move, moved

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Offset
    from halocline.language.spaces.space import Ratio, Space

Key = tuple[str, int]
# Cells by field and component.
Boxes = dict[Key, list[Box]]
# One box or many.
_Box = TypeVar("_Box", Box, BoxArray)


class Access(NamedTuple):
    """How a kernel uses one component of a field at one offset.

    Attributes:
        field: The field.
        component: The component.
        offset: From the first of the field's cells that the kernel's cell spans.
        ratio: How many of the field's cells that are along each axis; empty if one along all.
        space: The field's cells.
    """

    field: str
    component: int
    offset: Offset
    ratio: Ratio
    space: Space

    @property
    def key(self) -> Key:
        """Field and component."""
        return self.field, self.component

    @property
    def displacement(self) -> Offset:
        """How far from what belongs to the kernel's cell it is used, in the field's cells."""
        return _displacement(self.offset, self.ratio)

    @property
    def is_part(self) -> bool:
        """Whether these are not all of the field's cells that the kernel's cells span."""
        return any(r > 1 for r in self.ratio)

    def cells(self, box: _Box) -> _Box:
        """Return the field's cells that are used from a box: a box around them."""
        return _USED(box, self.offset, self.ratio)

    def spanned(self, box: Box) -> Box:
        """Return the field's cells that belong to a box, where the kernel uses one of each."""
        return _SPANNED(box, self.displacement, self.ratio)

    def users(self, cells: _Box) -> _Box:
        """Return where a kernel runs that uses some of the field's cells: a box around that."""
        return _USERS(cells, self.offset, self.ratio)

    def used_from(self, reach: Reach) -> Reach:
        """Return the reach of what is used where a kernel runs."""
        return _USED.reach(reach, self.offset, self.ratio)

    def assigned_from(self, reach: Reach) -> Reach:
        """Return where a kernel runs that assigns what a reach leads to, and all else it spans."""
        return _SPANNING.reach(reach, self.displacement, self.ratio)


_Bound = Callable[[Any, Any, Any], Any]


class _Map(Frozen):
    """Where the bounds of boxes lead to along each axis, from a kernel's cells or back to them.

    Attributes:
        lower: From a lower bound, the ratio and the offset of the field's cells.
        upper: From an upper bound.
        sign: 1 from a kernel's cells to a field's, -1 back.
    """

    lower: _Bound
    upper: _Bound
    sign: int

    def __call__(self, box: _Box, offset: Offset, ratio: Ratio) -> _Box:
        """Return a box, or many; without bounds along an axis that the field lacks."""
        if not isinstance(box, BoxArray):
            return _led(self, box, offset, ratio)
        if ratio:
            return self._many(box, offset, ratio)
        return box.moved(offset if self.sign > 0 else opposite(offset))

    def _many(self, boxes: BoxArray, offset: Offset, ratio: Ratio) -> BoxArray:
        return self.many(boxes, np.array(offset)[:, None], np.array(ratio)[:, None])

    def many(self, boxes: BoxArray, o: NDArray[np.int64], ratio: NDArray[np.int64]) -> BoxArray:
        """Return many boxes; offsets and ratios may differ."""
        (l, u), is_there, r = boxes, ratio > 0, np.maximum(ratio, 1)
        lower = np.where(is_there & (l > -UNBOUNDED), self.lower(l, r, o), -UNBOUNDED)
        upper = np.where(is_there & (u < UNBOUNDED), self.upper(u, r, o), UNBOUNDED)
        return BoxArray(lower, upper).where(boxes.has_cells)

    def reach(self, reach: Reach, offset: Offset, ratio: Ratio) -> Reach:
        """Return a reach, whose sides are bounds too, seen from those of a block."""
        return _reach_led(self, reach, offset, ratio)


# The many kernels of a step use the same cells of the same boxes.
_kept = lru_cache(maxsize=1 << 13)


@_kept
def _led(way: _Map, box: Box, offset: Offset, ratio: Ratio) -> Box:
    """Return where a box leads to."""
    if not ratio:
        return moved(box, offset if way.sign > 0 else opposite(offset))
    lower, upper = [], []
    for l, u, r, o in zip(box.lower, box.upper, ratio, offset, strict=True):
        lower.append(way.lower(l, r, o) if r and l > -UNBOUNDED else -UNBOUNDED)
        upper.append(way.upper(u, r, o) if r and u < UNBOUNDED else UNBOUNDED)
    return Box(tuple(lower), tuple(upper))


@_kept
def _reach_led(way: _Map, reach: Reach, offset: Offset, ratio: Ratio) -> Reach:
    """Return where a reach leads to."""
    if not ratio:
        return move(reach, offset if way.sign > 0 else opposite(offset))
    sides = list(zip(reach.lower, reach.upper, ratio, offset, strict=True))
    return Reach(
        tuple([way.lower(l, r, o) if r else 0 for l, _, r, o in sides]),
        tuple([way.upper(u, r, o) if r else 0 for _, u, r, o in sides]),
        _led(way, reach.region, offset, ratio),
    )


@_kept
def _displacement(offset: Offset, ratio: Ratio) -> Offset:
    """Return how far an offset leads from what belongs to a kernel's cell."""
    if not ratio:
        return offset
    return tuple([o // r * r if r else 0 for o, r in zip(offset, ratio, strict=True)])


_USED = _Map(lambda l, r, o: l * r + o, lambda u, r, o: (u - 1) * r + o + 1, 1)
_SPANNED = _Map(lambda l, r, o: l * r + o, lambda u, r, o: u * r + o, 1)
_USERS = _Map(lambda l, r, o: -((o - l) // r), lambda u, r, o: (u - 1 - o) // r + 1, -1)
_SPANNING = _Map(lambda l, r, o: (l - o) // r, lambda u, r, o: -((o - u) // r), -1)


class AccessArray(NamedTuple):
    """Many accesses: what 'Access' does for one box, for an array with a box of each of them.

    Attributes:
        offset: See 'Access' (axes, accesses).
        ratio: See there.
    """

    offset: NDArray[np.int64]
    ratio: NDArray[np.int64]

    @classmethod
    def of(cls, accesses: Sequence[Access]) -> AccessArray:
        """Return an array of accesses."""
        offsets = np.array([a.offset for a in accesses], np.int64)
        ratios = np.array([a.ratio or (1,) * len(a.offset) for a in accesses], np.int64)
        return cls(offsets.T, ratios.T)

    def take(self, which: NDArray[np.intp]) -> AccessArray:
        """Return those at some positions."""
        return AccessArray(columns(self.offset, which), columns(self.ratio, which))

    def cells(self, boxes: BoxArray) -> BoxArray:
        """Return the cells that each uses from a box."""
        return _USED.many(boxes, self.offset, self.ratio)

    def users(self, cells: BoxArray) -> BoxArray:
        """Return where each is used of some cells."""
        return _USERS.many(cells, self.offset, self.ratio)


def untouched(core: Box, first: Access, second: Access) -> Box:
    """Return the cells of a kernel that use nothing that another one uses outside a core.

    Args:
        core: Of the other kernel; without bounds where nothing of it lies beyond.
        first: What the other kernel uses.
        second: What the kernel itself uses, of the same component of a field.
    """
    if not first.ratio and not second.ratio:
        return moved(core, tuple(a - b for a, b in zip(first.offset, second.offset, strict=True)))
    ends = []
    for axis, (lower, upper) in enumerate(zip(core.lower, core.upper, strict=True)):
        r, s = _ratio(first, axis), _ratio(second, axis)
        o, p = first.offset[axis], second.offset[axis]
        is_whole = lower <= -UNBOUNDED and upper >= UNBOUNDED
        if not r or not s:
            ends.append((-UNBOUNDED, UNBOUNDED) if is_whole else (0, 0))
            continue
        # Beyond the last cell that one below the core uses, before the first that one above does.
        low = lower if lower <= -UNBOUNDED else (r * (lower - 1) + o - p) // s + 1
        high = upper if upper >= UNBOUNDED else -((p - r * upper - o) // s)
        ends.append((low, high))
    return Box(tuple([lower for lower, _ in ends]), tuple([upper for _, upper in ends]))


def _ratio(access: Access, axis: int) -> int:
    return access.ratio[axis] if access.ratio else 1
