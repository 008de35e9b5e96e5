"""Reach: which cells beyond its own a block needs, in a form that holds for every block.

A kernel that runs on a region and reads at an offset makes a block need 'its cells in the region,
moved by the offset'. If what is read there was itself computed from neighbours, the path goes on;
but any path of moves and regions comes to one move of each side of the block and one region.
Evaluating it for a block's own box gives exact cells. This is what makes a plan computable for any
block of any decomposition. Maps between grids of different width (see 'access.py') move the two
sides of a block differently; elsewhere both move by the same offset.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from msgspec.structs import replace

from halocline.box_array import BoxArray
from halocline.frozen import Frozen
from halocline.geometry import UNBOUNDED, Box, Offset, added
from halocline.language.spaces.role import ALL, Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from halocline.language.spaces.space import Space

# Which cells that a block has as a guest are meant: all, or those of leaves.
Guest = Literal["all", "leaves"]


class Reach(Frozen):
    """The cells between a block's moved sides, as far as they lie in a region.

    Attributes:
        lower: How far its low sides are moved, along each axis.
        upper: How far its high sides are moved.
        region: Where the cells must lie; unbounded where nothing bounds them.
    """

    lower: Offset
    upper: Offset
    region: Box

    @property
    def is_away(self) -> bool:
        """Whether the reach leads beyond a block's own cells."""
        return min(self.lower) < 0 or max(self.upper) > 0

    def is_own_moved(self, offset: Offset) -> bool:
        """Whether it leads to a block's own cells moved by an offset."""
        return self.lower == self.upper == offset


def within(region: Box) -> Reach:
    """Return the reach of a block's own cells in a region."""
    return own_moved((0,) * len(region.lower), region)


def own_moved(offset: Offset, region: Box) -> Reach:
    """Return the reach of a block's own cells moved by an offset, where they lie in a region."""
    return Reach(offset, offset, region)


def clip(reach: Reach, region: Box) -> tuple[Reach, ...]:
    """Return the part of a reach in a region: one reach, or none."""
    common = reach.region.intersect(region)
    return () if common.is_empty else (Reach(reach.lower, reach.upper, common),)


def drop(reach: Reach, region: Box) -> tuple[Reach, ...]:
    """Return the parts of a reach outside a region."""
    return tuple(Reach(reach.lower, reach.upper, rest) for rest in reach.region.subtract(region))


def move(reach: Reach, offset: Offset) -> Reach:
    """Return the reach moved on by an offset."""
    if not any(offset):
        return reach
    lower, upper = added(reach.lower, offset), added(reach.upper, offset)
    return Reach(lower, upper, moved(reach.region, offset))


class Reaches:
    """A set of reaches without those that lie in another one.

    They are kept by how far they lead; only those that lead equally far are compared.
    """

    def __init__(self, reaches: Iterable[Reach] = ()) -> None:
        self._regions: dict[tuple[Offset, Offset], list[Box]] = {}
        self.update(reaches)

    def __iter__(self) -> Iterator[Reach]:
        """Yield the reaches."""
        for sides, regions in self._regions.items():
            for region in regions:
                yield Reach(*sides, region)

    def update(self, reaches: Iterable[Reach]) -> None:
        """Add reaches."""
        for reach in reaches:
            known = self._regions.setdefault((reach.lower, reach.upper), [])
            _add_largest(known, reach.region)

    def within(self, region: Box) -> list[Reach]:
        """Return what lies in a region."""
        return [
            Reach(*sides, box.intersect(region))
            for sides, known in self._regions.items()
            for box in known
            if box.meets(region)
        ]

    def take(self, region: Box) -> list[Reach]:
        """Remove what lies in a region, and return it."""
        taken = []
        for sides, known in self._regions.items():
            met = [box for box in known if box.meets(region)]
            if not met:
                continue
            taken += [Reach(*sides, box.intersect(region)) for box in met]
            rest = [box for box in known if not box.meets(region)]
            for box in met:
                for piece in box.subtract(region):
                    _add_largest(rest, piece)
            self._regions[sides] = rest
        return taken


def _add_largest(known: list[Box], box: Box) -> None:
    """Add a box to some of which none lies in another."""
    if not any(other.contains(box) for other in known):
        known[:] = [other for other in known if not box.contains(other)]
        known.append(box)


def outermost(reaches: Iterable[Reach], space: Space) -> list[Reach]:
    """Return the reaches without those that lie between two others along an axis.

    The rest leads to the same cells from any block at least as wide as the longest offset.

    Args:
        reaches: From blocks of a space.
        space: The space.
    """
    kept = list(reaches)
    for axis in range(len(space.extent)):
        lines: dict[object, list[Reach]] = {}
        for reach in kept:
            others: object = reach.lower[:axis], reach.lower[axis + 1 :]
            # One that widens or narrows blocks lies on no line.
            lines.setdefault(others if reach.lower == reach.upper else reach, []).append(reach)
        kept = [reach for line in lines.values() for reach in _ends(line, axis, space)]
    return kept


def _ends(line: list[Reach], axis: int, space: Space) -> list[Reach]:
    """Return the reaches that lie between no others, all moved alike but along one axis."""
    kept = list(line)
    # One after the other: none is left out for the sake of one that is left out itself.
    for reach in sorted(line, key=lambda reach: (abs(reach.lower[axis]), reach.region)):
        if _is_between(reach, kept, axis, space):
            kept.remove(reach)
    return kept


def _is_between(reach: Reach, others: list[Reach], axis: int, space: Space) -> bool:
    """Return whether two others, moved less far and further along an axis, lead to all its cells.

    Of the cells that a block [b, e) moved by an offset has, those before e + p belong to it moved
    by a lower offset p too, and the others to it moved by a higher one q, for they lie beyond b + q
    if the block is wide enough. No block begins below the domain or ends above it, so p's region
    must hold nothing from n + p on, nor q's anything below q.
    """
    offset, n = reach.lower[axis], space.domain.upper[axis]
    lower, upper = reach.region.lower[axis], reach.region.upper[axis]
    if space.periodic[axis]:
        lower, upper = max(lower, offset), min(upper, n + offset)
    alike = [other for other in others if offset and other.lower[axis] * offset >= 0]
    is_below = any(
        other.lower[axis] < offset
        and other.region.contains(reach.region.clip(axis, lower, min(upper, n + other.lower[axis])))
        for other in alike
    )
    return is_below and any(
        other.lower[axis] > offset
        and other.region.contains(reach.region.clip(axis, max(lower, other.lower[axis]), upper))
        for other in alike
    )


def cells(reaches: Iterable[Reach], owned: BoxArray) -> BoxArray:
    """Return the cells that reaches lead to from blocks' own; some boxes may hold none.

    Args:
        reaches: The reaches.
        owned: Blocks' own cells (axes, blocks).

    Returns:
        A box for each reach from each block (axes, reaches, blocks).
    """
    ends = [(r.lower, r.upper, r.region.lower, r.region.upper) for r in reaches]
    lower, upper, low, high = np.array(ends, np.int64).transpose(1, 2, 0)[..., None]
    own = BoxArray(owned.lower[:, None], owned.upper[:, None])
    return BoxArray(
        np.maximum(own.moved(lower).lower, low), np.minimum(own.moved(upper).upper, high)
    )


def moved(box: Box, offset: Offset) -> Box:
    """Return the box moved by an offset; what has no bound keeps none."""
    if not any(offset):
        return box
    lower, upper = box.lower, box.upper
    if min(lower) > -UNBOUNDED and max(upper) < UNBOUNDED:
        return box.shift(offset)
    return Box(
        tuple([l if l <= -UNBOUNDED else l + o for l, o in zip(lower, offset, strict=True)]),
        tuple([u if u >= UNBOUNDED else u + o for u, o in zip(upper, offset, strict=True)]),
    )


class Need(Frozen):
    """Cells of one component of a storage that a block must get from others.

    'displacement' says which values a block has that others may get: None for those of its own
    cells, else those of its own cells moved by that offset (see 'pushed.py'). 'role' says which
    blocks need them, 'of_guest' which of those in place, too, that are others' own: all
    or those of leaves.
    """

    field: str
    component: int
    reach: Reach
    displacement: Offset | None = None
    role: Role = ALL
    of_guest: Guest | None = None

    @property
    def is_away(self) -> bool:
        """Whether it leads beyond a block's own cells."""
        return self.of_guest is not None or self.reach.is_away

    @property
    def key(self) -> tuple[str, int]:
        """The storage and component of which it is."""
        return self.field, self.component

    def to(self, reach: Reach) -> Need:
        """Return the same need of other cells."""
        if reach is self.reach:
            return self
        who = self.displacement, self.role, self.of_guest
        return Need(self.field, self.component, reach, *who)


Needs = frozenset[Need]


def renaming(
    before: Mapping[Any, Sequence[str]], after: Mapping[Any, Sequence[str]]
) -> dict[str, str]:
    """Return for each of some storages that which another step has in its place.

    Args:
        before: The storages of each kind, in order.
        after: The storages of the other step.
    """
    pairs = (zip(before[kind], names, strict=True) for kind, names in after.items())
    return {name: other for found in pairs for name, other in found}


def renamed(needs: Iterable[Need], storages: Mapping[str, str]) -> Needs:
    """Return the same needs of other storages, where these are given."""
    return frozenset(
        n if storages.get(n.field, n.field) == n.field else replace(n, field=storages[n.field])
        for n in needs
    )
