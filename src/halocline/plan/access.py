"""Access: which cells of a field a kernel uses from where it runs, through the map between spaces.

From cell i a kernel uses the field's cell ratio * i + offset along each axis; along an axis that
the field lacks, its only value there. The maps here lead from boxes and reaches of the cells where
a kernel runs to those of the field's cells, and back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from halocline.geometry import UNBOUNDED, Box, opposite
from halocline.plan.reach import Reach, move, moved

if TYPE_CHECKING:
    from collections.abc import Iterator

    from halocline.geometry import Offset
    from halocline.language.space import Ratio, Space
    from halocline.plan.program import Launch

Key = tuple[str, int]


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
        if not self.ratio:
            return self.offset
        pairs = zip(self.offset, self.ratio, strict=True)
        return tuple(o // r * r if r else 0 for o, r in pairs)

    @property
    def is_part(self) -> bool:
        """Whether these are not all of the field's cells that the kernel's cells span."""
        return any(r > 1 for r in self.ratio)

    def cells(self, box: Box) -> Box:
        """Return the field's cells that are used from a box: a box around them."""
        if not self.ratio:
            return moved(box, self.offset)
        ends = [
            _scaled(*along)
            for along in zip(box.lower, box.upper, self.ratio, self.offset, strict=True)
        ]
        return _boxed(ends)

    def spanned(self, box: Box) -> Box:
        """Return the field's cells that belong to a box, where the kernel uses one of each."""
        if not self.ratio:
            return moved(box, self.offset)
        whole = zip(box.lower, box.upper, self.ratio, self.displacement, strict=True)
        return _boxed([_scaled(lower, upper, r, o, r - 1) for lower, upper, r, o in whole])

    def users(self, cells: Box) -> Box:
        """Return where a kernel runs that uses some of the field's cells: a box around that."""
        if not self.ratio:
            return moved(cells, opposite(self.offset))
        ends = [
            _unscaled(*along)
            for along in zip(cells.lower, cells.upper, self.ratio, self.offset, strict=True)
        ]
        return _boxed(ends)

    def used_from(self, reach: Reach) -> Reach:
        """Return the reach of what is used where a kernel runs."""
        if not self.ratio:
            return move(reach, self.offset)
        along = list(zip(reach.lower, reach.upper, self.ratio, self.offset, strict=True))
        return Reach(
            tuple(l * r + o if r else 0 for l, _, r, o in along),
            tuple(u * r + o - (r - 1) if r else 0 for _, u, r, o in along),
            self.cells(reach.region),
        )

    def assigned_from(self, reach: Reach) -> Reach:
        """Return where a kernel runs that assigns what a reach leads to, and all else it spans."""
        if not self.ratio:
            return move(reach, opposite(self.offset))
        along = list(zip(reach.lower, reach.upper, self.ratio, self.displacement, strict=True))
        region = zip(
            reach.region.lower, reach.region.upper, self.ratio, self.displacement, strict=True
        )
        return Reach(
            tuple((l - h) // r if r else 0 for l, _, r, h in along),
            tuple(-((h - u) // r) if r else 0 for _, u, r, h in along),
            _boxed([_unscaled_to_whole(*ends) for ends in region]),
        )


def _boxed(ends: list[tuple[int, int]]) -> Box:
    return Box(tuple([lower for lower, _ in ends]), tuple([upper for _, upper in ends]))


def _scaled(lower: int, upper: int, ratio: int, offset: int, more: int = 0) -> tuple[int, int]:
    if not ratio:
        return -UNBOUNDED, UNBOUNDED
    return (
        lower if lower <= -UNBOUNDED else lower * ratio + offset,
        upper if upper >= UNBOUNDED else (upper - 1) * ratio + offset + more + 1,
    )


def _unscaled(lower: int, upper: int, ratio: int, offset: int) -> tuple[int, int]:
    if not ratio:
        return -UNBOUNDED, UNBOUNDED
    return (
        lower if lower <= -UNBOUNDED else -((offset - lower) // ratio),
        upper if upper >= UNBOUNDED else (upper - 1 - offset) // ratio + 1,
    )


def _unscaled_to_whole(lower: int, upper: int, ratio: int, displacement: int) -> tuple[int, int]:
    if not ratio:
        return -UNBOUNDED, UNBOUNDED
    return (
        lower if lower <= -UNBOUNDED else (lower - displacement) // ratio,
        upper if upper >= UNBOUNDED else -((displacement - upper) // ratio),
    )


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
    return _boxed(ends)


def _ratio(access: Access, axis: int) -> int:
    return access.ratio[axis] if access.ratio else 1


def conflicts(one: Launch, other: Launch) -> Iterator[tuple[Access, Access]]:
    """Yield what two kernels use of the same component, where one of them assigns it."""
    for mine, theirs in (
        (one.reads, other.assigns),
        (one.assigns, other.reads),
        (one.assigns, other.assigns),
    ):
        for access in theirs:
            yield from ((a, access) for a in mine if a.key == access.key)
