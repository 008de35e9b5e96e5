"""The sides of a grid, by their names, and the layers of cells beyond them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.errors import GridError, nearest
from halocline.geometry import AXES

if TYPE_CHECKING:
    from halocline.geometry import Box
    from halocline.language.space import Space


def parse_side(dimensions: int, side: str) -> tuple[int, int]:
    """Return axis and sign (-1 low, 1 high) of a side's name."""
    sides = [axis + sign for axis in AXES[:dimensions] for sign in "-+"]
    if side not in sides:
        raise GridError(f"There is no side '{side}'.", hint=nearest(side, sides))
    return AXES.index(side[0]), 1 if side[1] == "+" else -1


def layer(space: Space, side: str, distance: int, depth: int) -> Box:
    """Return one boundary layer beyond a side, with the edges and corners it shares with others.

    Args:
        space: The cells of the field concerned.
        side: 'x-', …
        distance: 1 for the layer next to the domain, 0 for the outermost of its own.
        depth: How many layers there are on every side.
    """
    axis, sign = parse_side(len(space.extent), side)
    position = space.domain.upper[axis] + distance - 1 if sign > 0 else -distance
    walls = [
        0 if is_open else depth
        for is_open in map(any, zip(space.periodic, space.lacks, strict=True))
    ]
    around = space.unbounded_where_whole(space.domain.grow(walls, walls))
    return around.clip(axis, position, position + 1)
