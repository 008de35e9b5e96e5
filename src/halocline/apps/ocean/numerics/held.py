"""What kernels read of the surface, as a number, a field of rows, or a field of both axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.apps.ocean.numerics.sides import bounded
from halocline.language.spaces.location import Location

if TYPE_CHECKING:
    from halocline.language.grids.grid import Grid


def held(grid: Grid, name: str, values: Any, location: str, dtype: str, unit: str = "") -> Any:
    """Return a number as it is, and of an array a field that goes on beyond sides as it is there.

    Args:
        grid: That of the field.
        name: Of the field.
        values: A number, or an array (nx, ny) or, if it is the same along x, (1, ny). Along an axis
            that closes, what it has more than the field is left out.
        location: Where in a cell the values lie.
        dtype: Of the field.
        unit: Of the values.
    """
    if np.ndim(values) == 0:
        return values
    axes = "y" if values.shape[0] == 1 else "xy"
    if axes == "y":
        location = str(Location(location).without(0))
    field = grid.field(name, axes=axes, location=location, dtype=dtype, unit=unit)
    cells = tuple(map(slice, field.space.shape))
    field.set(values[(0, *cells)] if axes == "y" else values[cells])
    return bounded(field, is_flow=False)
