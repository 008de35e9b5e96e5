"""The sides of a grid, by their names, their parts, and the layers of cells beyond them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halocline.errors import GridError, nearest
from halocline.frozen import Frozen
from halocline.geometry import AXES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.geometry import Box
    from halocline.language.grids.fields import Field
    from halocline.language.spaces.space import Space


def names_of_sides(dimensions: int) -> tuple[str, ...]:
    """Return 'x-', 'x+', 'y-', … of as many axes."""
    return tuple(axis + sign for axis in AXES[:dimensions] for sign in "-+")


def parse_side(dimensions: int, side: str) -> tuple[int, int]:
    """Return axis and sign (-1 low, 1 high) of a side's name."""
    sides = names_of_sides(dimensions)
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


def shape_of_side(field: Field, side: str) -> tuple[int, ...]:
    """Return the extent of a field's cells on a side: without the axis across it."""
    axis, _ = parse_side(field.dimensions, side)
    return tuple(field.space.domain.extent[a] for a in field.space.axes if a != axis)


class Mirror(Frozen):
    """The boundary of hidden fields: mirrored at the side, or about a value there."""

    value: float | None = None


def mirror_at_walls(hidden: Field) -> None:
    """Let a hidden field have mirrored values beyond all sides that it has."""
    hidden.boundary([side for side in hidden.grid.sides if side[0] in hidden.axes], Mirror())


class Part(Frozen, eq=False):
    """A condition on a part of a side.

    Attributes:
        declared: 'Dirichlet', …, or a kernel, as the user gave it.
        condition: The same, bound to the field and the side, or to the kernel's scalars.
        mask: A field without the axis across the side that is not zero where the condition holds;
            None for all cells.
        cells: The same as an array of all cells of the side, if it is known before the run.
    """

    declared: Any
    condition: Any
    mask: Field | None = None
    cells: NDArray[Any] | None = None
