"""Reach: which cells beyond its own a block needs, in a form that holds for every block.

A kernel that runs on a region and reads at an offset makes a block need 'its cells in the region,
moved by the offset'. If what is read there was itself computed from neighbours, the path goes on;
but any path of moves and regions comes to one move of each side of the block and one region.
Evaluating it for a block's own box gives exact cells. This is what makes a plan computable for any
block of any decomposition. Maps between grids of different width (see 'access.py') move the two
sides of a block differently; elsewhere both move by the same offset.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from halocline.geometry import UNBOUNDED, Box, Offset, added

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@dataclass(frozen=True, slots=True)
class Reach:
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
        return any(o < 0 for o in self.lower) or any(o > 0 for o in self.upper)

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
        return [part for reach in self for part in clip(reach, region)]

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


def outermost(reaches: Iterable[Reach], domain: Box) -> set[Reach]:
    """Return the reaches without those that lie between others along an axis.

    The rest leads to the same cells from any block at least as wide as the longest offset, since
    moving it less far leads to no other cells than not at all and furthest together. This holds
    along axes where the region spans the domain and both sides of a block are moved equally far.
    """
    kept = set(reaches)
    for axis in range(len(domain.lower)):
        lines: dict[object, list[Reach]] = {}
        result = set()
        for reach in kept:
            if _spans(reach, axis, domain):
                lines.setdefault(_without(reach, axis), []).append(reach)
            else:
                result.add(reach)
        for line in lines.values():
            result |= _ends(line, axis)
        kept = result
    return kept


def _spans(reach: Reach, axis: int, domain: Box) -> bool:
    offset = reach.lower[axis]
    if offset != reach.upper[axis]:
        return False
    below = reach.region.lower[axis] - offset <= domain.lower[axis]
    return below and reach.region.upper[axis] - offset >= domain.upper[axis]


def _without(reach: Reach, axis: int) -> object:
    """Return everything of a reach but what concerns one axis."""
    lower, upper = reach.region.lower, reach.region.upper
    values = (reach.lower, reach.upper, lower, upper)
    return tuple((*value[:axis], *value[axis + 1 :]) for value in values)


def _ends(line: list[Reach], axis: int) -> set[Reach]:
    """Return the reaches with the extreme offsets on both sides of zero, and next to zero."""
    result = set()
    for sign in (-1, 1):
        side = [reach for reach in line if sign * reach.lower[axis] >= 0]
        for choose in (min, max):
            if side:
                end = choose(reach.lower[axis] for reach in side)
                result |= {reach for reach in side if reach.lower[axis] == end}
    return result


def cells(reach: Reach, owned: Box) -> Box:
    """Return the cells that a reach leads to from a block's own."""
    lower, upper = moved(owned, reach.lower).lower, moved(owned, reach.upper).upper
    return Box(lower, upper).intersect(reach.region)


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


@dataclass(frozen=True, slots=True)
class Need:
    """Cells of one component of a storage that a block must get from others.

    'displacement' says which values a block has that others may get: None for those of its own
    cells, else those of its own cells moved by that offset (see 'displaced.py').
    """

    field: str
    component: int
    reach: Reach
    displacement: Offset | None = None


Needs = frozenset[Need]


def swapped(needs: Iterable[Need], first: str, second: str) -> Needs:
    """Return the needs after two storages have exchanged their contents."""
    names = {first: second, second: first}
    return frozenset(replace(n, field=names.get(n.field, n.field)) for n in needs)
