"""Edges and corners of a finer level: the covered cells along them.

A refined block has one where it has unrefined neighbours along two ways that share no axis: what
moves from one of these to the other passes through cells there.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from halocline.geometry import Box, codimension, directions, disjoint

if TYPE_CHECKING:
    from halocline.geometry import Direction
    from halocline.language.spaces.leaves import Leaves, Position


def corner_cells(leaves: Leaves, level: int) -> dict[Position, tuple[Box, ...]]:
    """Return the cells of a level's refined blocks along corners, and those beside them.

    Returns:
        Disjoint boxes, by the block that they lie in.
    """
    found: dict[Position, list[Box]] = {}
    around = (1,) * len(leaves.shape)
    for position in leaves.refined_on(level):
        beside = list(leaves.beside(level, position))
        outside = {d for d, place, _ in beside if not leaves.is_refined(level, place)}
        for corner in _corners(outside, len(leaves.shape)):
            near = _at(leaves.box(position), corner).grow(around, around)
            for place, shift in ((position, (0,) * len(position)), *(one[1:] for one in beside)):
                if leaves.is_refined(level, place):
                    part = near.shift(tuple([-s for s in shift])).intersect(leaves.box(place))
                    found.setdefault(place, []).append(part)
    return {place: disjoint(boxes) for place, boxes in found.items()}


def _corners(outside: set[Direction], dimensions: int) -> list[Direction]:
    """Return where a block has corners that have others along some directions."""
    apart = [
        tuple([a + b for a, b in zip(one, other, strict=True)])
        for one, other in combinations(outside, 2)
        if not any(a and b for a, b in zip(one, other, strict=True))
    ]
    return [
        corner
        for corner in directions(dimensions)
        if codimension(corner) > 1 and any(_is_along(way, corner) for way in apart)
    ]


def _is_along(way: Direction, corner: Direction) -> bool:
    return all(n in (0, at) for n, at in zip(way, corner, strict=True))


def _at(box: Box, corner: Direction) -> Box:
    """Return the cells of a box at one of its edges or corners."""
    for axis, n in enumerate(corner):
        if n:
            low, high = box.lower[axis], box.upper[axis]
            box = box.clip(axis, low, low + 1) if n < 0 else box.clip(axis, high - 1, high)
    return box
