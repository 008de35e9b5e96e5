"""Variables of files at the middles of an ocean's cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.apps.ocean.setup.domain import Domain

_TURN = 360.0


def middles_of(domain: Domain, axis: int) -> NDArray[np.float64]:
    """Return the coordinates of the middles of cells along an axis [m or degrees]."""
    numbers = np.arange(domain.extent[axis])
    return np.asarray(domain.origin[axis] + (numbers + 0.5) * domain.spacing[axis])


def turned(longitudes: Any, near: Any) -> NDArray[np.float64]:
    """Return longitudes, whole turns away, at most half a turn from others [degrees]."""
    return np.asarray(longitudes + _TURN * np.round((near - longitudes) / _TURN))


def around(array: Any, domain: Domain) -> Any:
    """Return a variable, its last axis x, with longitudes as the domain has them, increasing."""
    x = str(array.dims[-1])
    if not domain.is_spherical or x not in array.coords:
        return array
    longitudes = np.asarray(array[x].values, np.float64)
    same = turned(longitudes, middles_of(domain, 0).mean())
    if np.array_equal(same, longitudes):
        return array
    # A file may have the first longitude again as its last.
    _, increasing = np.unique(same, return_index=True)
    return array.assign_coords({x: same}).isel({x: increasing})


def at_middles(array: Any, domain: Domain) -> Any:
    """Return a variable, its last axes y and x, at the middles of cells, linear in between."""
    y, x = array.dims[-2:]
    return array.interp({x: middles_of(domain, 0), y: middles_of(domain, 1)})
