"""Variables of files at the middles of an ocean's cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.apps.ocean.setup.domain import Domain

_TURN = 360.0


def middles_of(
    domain: Domain, *, on_earth: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the coordinates of the middles of cells, arrays to broadcast.

    Args:
        domain: Has the cells.
        on_earth: Whether these are longitudes and latitudes [degrees], if known, or those of the
            grid.
    """
    return domain.places if on_earth and domain.places is not None else domain.middles


def turned(longitudes: Any, near: Any) -> NDArray[np.float64]:
    """Return longitudes, whole turns away, at most half a turn from others [degrees]."""
    return np.asarray(longitudes + _TURN * np.round((near - longitudes) / _TURN))


def around(array: Any, domain: Domain) -> Any:
    """Return a variable, its last axis x, with longitudes as the domain has them, increasing."""
    x = str(array.dims[-1])
    if x not in array.coords:
        return array
    longitudes = np.asarray(array[x].values, np.float64)
    same = turned(longitudes, middles_of(domain, on_earth=True)[0].mean())
    if np.array_equal(same, longitudes):
        return array
    # A file may have the first longitude again as its last.
    _, increasing = np.unique(same, return_index=True)
    return array.assign_coords({x: same}).isel({x: increasing})


def at_middles(array: Any, domain: Domain, *, on_earth: bool) -> NDArray[np.float64]:
    """Return a variable, its last axes y and x, at the middles of cells, linear in between.

    Args:
        array: The variable.
        domain: Has the cells.
        on_earth: Whether its coordinates are longitudes and latitudes.
    """
    from xarray import DataArray

    y, x = array.dims[-2:]
    east, north = middles_of(domain, on_earth=on_earth)
    if 1 in east.shape:
        return np.asarray(array.interp({x: east.ravel(), y: north.ravel()}).values, np.float64)
    # Cells in no rows: a place for each.
    cells = ("row", "column")
    found = array.interp({x: DataArray(east.T, dims=cells), y: DataArray(north.T, dims=cells)})
    return np.asarray(found.transpose(*array.dims[:-2], *cells).values, np.float64)
