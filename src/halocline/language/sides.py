"""The sides of a grid, by their names, and the layers of cells beyond them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.errors import GridError, nearest
from halocline.geometry import AXES

if TYPE_CHECKING:
    from halocline.geometry import Box
    from halocline.language.fields import Grid


def parse_side(grid: Grid, side: str) -> tuple[int, int]:
    """Return axis and sign (-1 low, 1 high) of a side's name."""
    sides = [axis + sign for axis in AXES[: grid.dimensions] for sign in "-+"]
    if side not in sides:
        raise GridError(f"There is no side '{side}'.", hint=nearest(side, sides))
    return AXES.index(side[0]), 1 if side[1] == "+" else -1


def layer(grid: Grid, side: str, distance: int, depth: int) -> Box:
    """Return one boundary layer beyond a side, with the edges and corners it shares with others.

    Args:
        grid: The grid.
        side: 'x-', …
        distance: 1 for the layer next to the domain.
        depth: How many layers there are on every side.
    """
    axis, sign = parse_side(grid, side)
    position = grid.extent[axis] + distance - 1 if sign > 0 else -distance
    walls = [0 if is_periodic else depth for is_periodic in grid.periodic]
    around = grid.unbounded_where_periodic(grid.domain.grow(walls, walls))
    return around.clip(axis, position, position + 1)
