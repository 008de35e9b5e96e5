"""Reach: which cells beyond its own a block needs, as a path that holds for every block.

A kernel that runs on a region and reads at an offset makes a block need 'its cells in the region,
moved by the offset'. If what is read there was itself computed from neighbours, the path goes on.
So a reach is a short list of moves, and evaluating it for a block's own box gives exact cells.
This is what makes a plan computable for any block of any decomposition.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from halocline.geometry import Box, Offset
from halocline.language.fields import UNBOUNDED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True)
class Clip:
    """Keep the cells in a region."""

    region: Box


@dataclass(frozen=True, slots=True)
class Drop:
    """Keep the cells outside a region."""

    region: Box


@dataclass(frozen=True, slots=True)
class Shift:
    """Move by an offset."""

    offset: Offset


Move = Clip | Drop | Shift
Reach = tuple[Move, ...]


def then(reach: Reach, move: Move) -> Reach:
    """Return the reach followed by one more move; moves without effect are left out."""
    match move:
        case Shift(offset) if not any(offset):
            return reach
        case Clip(region) | Drop(region) if reach and reach[-1] == Clip(region):
            return reach if isinstance(move, Clip) else (*reach, move)
        case _:
            return (*reach, move)


def cells(reach: Reach, owned: Box) -> tuple[Box, ...]:
    """Return the cells that a reach leads to from a block's own, as disjoint boxes."""
    boxes: tuple[Box, ...] = (owned,)
    for move in reach:
        match move:
            case Clip(region):
                boxes = tuple(box.intersect(region) for box in boxes)
            case Drop(region):
                boxes = tuple(rest for box in boxes for rest in box.subtract(region))
            case Shift(offset):
                boxes = tuple(moved(box, offset) for box in boxes)
        boxes = tuple(box for box in boxes if not box.is_empty)
    return boxes


def moved(box: Box, offset: Offset) -> Box:
    """Return the box moved by an offset; what has no bound keeps none."""
    result = box.shift(offset)
    for axis in range(len(offset)):
        lower = box.lower[axis] if box.lower[axis] <= -UNBOUNDED else result.lower[axis]
        upper = box.upper[axis] if box.upper[axis] >= UNBOUNDED else result.upper[axis]
        result = result.clip(axis, lower, upper)
    return result


def displacement(reach: Reach, dimensions: int) -> Offset:
    """Return how far the reach leads in all; zero means never beyond the block's own cells."""
    total = [0] * dimensions
    for move in reach:
        if isinstance(move, Shift):
            total = [a + b for a, b in zip(total, move.offset, strict=True)]
    return tuple(total)


def everywhere(reach: Reach) -> tuple[Box, ...]:
    """Return where a reach can lead from the cells of any block."""
    dimensions = next(
        len(move.offset if isinstance(move, Shift) else move.region.lower) for move in reach
    )
    return cells(reach, Box((-UNBOUNDED,) * dimensions, (UNBOUNDED,) * dimensions))


def touches(reach: Reach, region: Box) -> bool:
    """Return whether a reach can lead into a region."""
    return bool(everywhere(then(reach, Clip(region))))


def images(region: Box, domain: Box, periodic: Sequence[bool]) -> tuple[Box, ...]:
    """Return a region and its images next to the domain along periodic axes where it has bounds."""
    result: tuple[Box, ...] = (region,)
    for axis, is_periodic in enumerate(periodic):
        if is_periodic and region.upper[axis] - region.lower[axis] < UNBOUNDED:
            n = domain.extent[axis]
            result = tuple(
                box.clip(axis, box.lower[axis] + move, box.upper[axis] + move)
                for box in result
                for move in (-n, 0, n)
            )
    return result


@dataclass(frozen=True, slots=True)
class Need:
    """Cells of one component of a field that a block must get from others."""

    field: str
    component: int
    reach: Reach


Needs = frozenset[Need]


def renamed(needs: Iterable[Need], first: str, second: str) -> Needs:
    """Return the needs after two fields have exchanged their names."""
    names = {first: second, second: first}
    return frozenset(Need(names.get(n.field, n.field), n.component, n.reach) for n in needs)
