"""The corners of the cells of a curvilinear grid, and the direction of its axes, in files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.apps.ocean.setup.curvilinear import Curvilinear
from halocline.errors import CaseError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from halocline.apps.ocean.input.input_file import InputFile

# Names of GETM, by what 'Curvilinear' calls them, and their units.
_CORNERS = {
    "x": ("xx", "m"),
    "y": ("yx", "m"),
    "longitude": ("lonx", "degrees"),
    "latitude": ("latx", "degrees"),
}
# What a grid type needs: corners in a plane, or on the earth.
NEEDED = {3: ("x", "y"), 4: ("longitude", "latitude")}
# The direction of y clockwise from north, at corners and in the middle of cells [degrees].
_AT_CORNERS, _IN_CELLS = "convx", "convc"
# Missing values of corners are beyond.
_MISSING = 1e15
# How far directions may differ without a remark [degrees].
_SAME_DIRECTION = 2.0


def kind_of_corners(file: InputFile) -> int | None:
    """Return the type of a grid that a file has corners of; None if it has none."""
    kinds = (
        kind for kind, parts in NEEDED.items() if all(_CORNERS[part][0] in file for part in parts)
    )
    return next(kinds, None)


def read_corners(file: InputFile, array: Any, kind: int) -> Curvilinear:
    """Return the corners of the cells of a variable.

    Args:
        file: Has them.
        array: The variable, axes (y, x).
        kind: The type of the grid: 3 of a plane, 4 of the earth.

    Raises:
        CaseError: They are missing, in other units, or of other cells.
    """
    missing = [_CORNERS[part][0] for part in NEEDED[kind] if _CORNERS[part][0] not in file]
    if missing:
        names = " and ".join(f"'{_CORNERS[part][0]}'" for part in NEEDED[kind])
        raise CaseError(
            f"{file.name} has 'grid_type' {kind}, curvilinear, but no variable '{missing[0]}'; "
            f"expected {names}, the corners of cells."
        )
    shape = array.shape[0] + 1, array.shape[1] + 1
    parts = {
        part: _values(file, name, unit, shape)
        for part, (name, unit) in _CORNERS.items()
        if name in file
    }
    return Curvilinear(**parts)


def read_rotation(file: InputFile, array: Any, *, is_curvilinear: bool) -> Any:
    """Return the angle from east to the direction of x in cells [degrees]; None if it is not told.

    Raises:
        CaseError: It is that of other cells, or in another unit.
    """
    ny, nx = array.shape
    if is_curvilinear and _AT_CORNERS in file:
        at_corners = _values(file, _AT_CORNERS, "degrees", (ny + 1, nx + 1))
        rows = at_corners[1:] + at_corners[:-1]
        return -0.25 * (rows[:, 1:] + rows[:, :-1])
    if not is_curvilinear and _IN_CELLS in file:
        rotation = -_values(file, _IN_CELLS, "degrees", (ny, nx))
        return rotation if rotation.any() else None
    return None


def remarks_on(corners: Curvilinear, rotation: Any) -> Iterator[str]:
    """Yield a sentence if a rotation is not the one that longitudes and latitudes give."""
    if corners.latitude is None or rotation is None:
        return
    difference = np.abs((rotation - corners.rotation + 180.0) % 360.0 - 180.0)
    if np.nanmax(difference) > _SAME_DIRECTION:
        yield (
            f"'{_AT_CORNERS}' gives the direction of east, up to {np.nanmax(difference):.3g} "
            "degrees from that of 'lonx' and 'latx'."
        )


def _values(file: InputFile, name: str, unit: str, shape: tuple[int, int]) -> NDArray[np.float64]:
    """Return the values of a variable with x first, NaN where they are missing."""
    found = file.variable(name, ("y", "x"), unit)
    if found.shape != shape:
        raise CaseError(
            f"{file.name} has '{name}' with the shape {found.shape}; expected {shape}, by the "
            "cells of the bathymetry.",
            hint="Of corners there is one more than cells along each axis.",
        )
    values = np.asarray(found.values, np.float64).T
    return np.where(np.abs(values) < _MISSING, values, np.nan)
