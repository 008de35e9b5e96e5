"""Region: the cells of a grid whose coordinates lie between given ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from halocline.errors import CaseError
from halocline.geometry import AXES, Box
from halocline.io.axis import Axes, places_along

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.language.grids.fields import Field

# By axis the least and the greatest coordinate, both inside; axes that are missing have no bounds.
Region = Mapping[str, tuple[float, float]]


def cells_between(places: NDArray[np.float64], ends: tuple[float, float]) -> slice:
    """Return which of coordinates, in their order, lie between two."""
    low, high = ends
    first = int(np.searchsorted(places, low, "left"))
    return slice(first, max(first, int(np.searchsorted(places, high, "right"))))


def box_of_region(field: Field, region: Region, axes: Axes) -> Box:
    """Return the cells of a field in a region; along axes that the field lacks it has no bounds.

    Raises:
        CaseError: There are none, or the grid lacks an axis of the region.
    """
    grid = field.grid
    names = AXES[: grid.dimensions]
    for name in region:
        if name not in names:
            raise CaseError(
                f"A part between two coordinates {name} was asked for; the grid has the axes "
                f"{', '.join(names)}.",
                hint=f"Leave out '{name}'.",
            )
    box = field.space.flat(field.space.domain)
    for axis in field.space.axes:
        name = AXES[axis]
        if name in region:
            places = places_along(grid, axis, axes, field.location, box.extent[axis])
            inside = cells_between(places, region[name])
            if inside.start == inside.stop:
                low, high = region[name]
                raise CaseError(
                    f"No cell has its {name} between {low:g} and {high:g}; cells have "
                    f"{places[0]:g} to {places[-1]:g}.",
                    hint="Choose a wider part.",
                )
            box = box.clip(axis, inside.start, inside.stop)
    return box
