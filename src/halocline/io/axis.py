"""Axis: what the coordinates along an axis of a grid mean, for those who read files."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from msgspec import field

from halocline.frozen import Frozen
from halocline.geometry import AXES, box_of
from halocline.language.grids.widths import middles
from halocline.language.spaces.location import Location

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.language.grids.grid import Grid


class Axis(Frozen, eq=False):
    """An axis as CF conventions describe it.

    Attributes:
        unit: As CF conventions write it; '1' for pure numbers.
        description: One phrase; '' for 'x coordinate'.
        standard_name: Of the table of CF; '' if that has none.
        positive: 'up' or 'down' for a vertical axis, else ''.
        terms: The variables that heights follow from, by their names in the formula of CF.
        computed_standard_name: Of these heights.
        faces: Coordinates of the faces between cells (cells + 1), if they are not the grid's.
        name: In files; '' for 'x', 'y' or 'z'.
    """

    unit: str = "1"
    description: str = ""
    standard_name: str = ""
    positive: str = ""
    terms: Mapping[str, str] = field(default_factory=dict)
    computed_standard_name: str = ""
    faces: NDArray[np.float64] | None = None
    name: str = ""


# By their names: 'x', 'y', 'z'; those that are missing are pure numbers.
Axes = Mapping[str, Axis]
PURE_NUMBERS: Axes = MappingProxyType({})


def axes_of(given: Axes | str) -> Axes:
    """Return what coordinates mean, if a unit is given as that of all axes."""
    return {letter: Axis(given) for letter in AXES} if isinstance(given, str) else given


def faces_along(grid: Grid, axis: int, axes: Axes) -> NDArray[np.float64]:
    """Return the coordinates of the faces along an axis, one more than there are cells."""
    own = _own_faces(grid, axis, axes)
    return grid.faces(axis) if own is None else own


def places_along(
    grid: Grid, axis: int, axes: Axes, location: str, count: int
) -> NDArray[np.float64]:
    """Return the coordinates of the values at a location along an axis.

    Args:
        grid: Where the values live.
        axis: The axis.
        axes: What it means.
        location: Where in a cell the values live.
        count: How many there are.
    """
    own = _own_faces(grid, axis, axes)
    if own is None:
        box = box_of(count if a == axis else 1 for a in range(grid.dimensions))
        return grid.coordinates(location, box, AXES[axis])[0].ravel()
    return (own if Location(location).is_on_faces(axis) else middles(own))[:count]


def _own_faces(grid: Grid, axis: int, axes: Axes) -> NDArray[np.float64] | None:
    """Return the faces that stand in for the grid's; coarser and finer grids have their own."""
    found = axes[AXES[axis]].faces if AXES[axis] in axes else None
    return None if found is None or len(found) != grid.extent[axis] + 1 else found
