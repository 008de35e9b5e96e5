"""Edges and corners of a finer level: the covered cells along them.

A refined block has one where it has unrefined neighbours along two ways that share no axis: what
moves from one of these to the other passes through cells there.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from halocline.geometry import Box, box_of, codimension, directions, disjoint

if TYPE_CHECKING:
    from halocline.geometry import Direction
    from halocline.language.spaces.leaves import Leaves

# What lies beside a refined block: nothing, since the domain ends, a refined block, or another.
_NOTHING, _REFINED, _OTHER = range(3)


def corner_cells(leaves: Leaves, level: int) -> dict[int, tuple[Box, ...]]:
    """Return the cells of a level's refined blocks along corners, and those beside them.

    Returns:
        Disjoint boxes of a block at the origin, by the key of the block that they lie in.
    """
    dimensions = len(leaves.shape)
    ways = list(directions(dimensions))
    places = leaves.refined(level)
    own_keys = leaves.keys(level, places)
    keys = np.zeros((len(places), len(ways)), own_keys.dtype)
    seen = np.full((len(places), len(ways)), _NOTHING, np.int8)
    for way, direction in enumerate(ways):
        is_inside, beside = leaves.beside(level, places, direction)
        (inside,) = np.nonzero(is_inside)
        seen[inside, way] = np.where(leaves.are_refined(level, beside[inside]), _REFINED, _OTHER)
        keys[inside, way] = leaves.keys(level, beside[inside])
    found: dict[int, set[Box]] = {}
    # Blocks that see the same have corners in the same places.
    kinds, kind_of = np.unique(seen, axis=0, return_inverse=True)
    for number, kind in enumerate(kinds.tolist()):
        (blocks,) = np.nonzero(kind_of.reshape(-1) == number)
        for towards, boxes in _near_corners(leaves.block, tuple(kind)):
            those = own_keys[blocks] if towards is None else keys[blocks, towards]
            for key in those.tolist():
                found.setdefault(key, set()).update(boxes)
    return {key: _disjoint(frozenset(boxes)) for key, boxes in found.items()}


@lru_cache(maxsize=4096)  # the same after each regrid
def _near_corners(
    block: tuple[int, ...], seen: tuple[int, ...]
) -> list[tuple[int | None, list[Box]]]:
    """Return the cells near the corners of a refined block, in itself and in blocks beside it.

    Args:
        block: Its cells along each axis.
        seen: What lies in each direction.

    Returns:
        The number of the direction, None for the block itself, and boxes of a block at the origin.
    """
    ways, around = list(directions(len(block))), (1,) * len(block)
    cells = box_of(block)
    outside = {way for way, what in zip(ways, seen, strict=True) if what == _OTHER}
    refined = [n for n, what in enumerate(seen) if what == _REFINED]
    near = [_at(cells, corner).grow(around, around) for corner in _corners(outside, len(block))]
    found: list[tuple[int | None, list[Box]]] = []
    for number in (None, *refined):
        way = (0,) * len(block) if number is None else ways[number]
        there = tuple([-d * n for d, n in zip(way, block, strict=True)])
        boxes = [box.shift(there).intersect(cells) for box in near]
        found.append((number, [box for box in boxes if not box.is_empty]))
    return [one for one in found if one[1]]


@lru_cache(maxsize=4096)
def _disjoint(boxes: frozenset[Box]) -> tuple[Box, ...]:
    return disjoint(boxes)


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
