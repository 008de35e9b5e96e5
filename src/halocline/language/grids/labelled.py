"""Arrays that name their axes, as an xarray.DataArray: the names decide, not the order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import GridError, HaloclineError
from halocline.geometry import AXES, Box
from halocline.language.place import user_place

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from halocline.language.grids.fields import Field

# Coordinates from files are rounded, by this part of a cell at most.
_ROUNDED = 1e-3


def is_labelled(values: Any) -> bool:
    """Return whether an array names its axes."""
    return bool(getattr(values, "dims", ())) and hasattr(values, "transpose")


def unlabelled(field: Field, values: Any) -> NDArray[Any]:
    """Return the values of an array that names its axes, in the order of a field's.

    Raises:
        GridError: It has other axes, or lies elsewhere.
    """
    axes = [AXES[axis] for axis in field.space.axes]
    expected = [*(["component"] if field.components > 1 else []), *axes]
    if sorted(map(str, values.dims)) != sorted(expected):
        raise GridError(
            f"Field '{field.name}' was given an array with the dimensions "
            f"({', '.join(map(str, values.dims))}); expected {', '.join(expected)}.",
            hint="Rename them, array.rename(lon='x', lat='y'), or give the values in the order of "
            "the field's axes: array.to_numpy().",
            place=user_place(),
        )
    ordered = values.transpose(*expected)
    places = {axis: np.asarray(ordered[axis], float) for axis in axes if axis in ordered.coords}
    named = f"Field '{field.name}'"
    check_coordinates(places, field, "The array", named, GridError)
    return np.asarray(ordered.to_numpy())


def check_coordinates(
    places: Mapping[str, NDArray[np.float64]],
    field: Field,
    what: str,
    whose: str,
    kind: type[HaloclineError],
) -> None:
    """Refuse values that lie elsewhere than those of a field.

    Args:
        places: Where they lie along the axes for which that is known.
        field: The field.
        what: What messages call the values.
        whose: What they call the field.
        kind: Of the error.
    """
    if not places:
        return
    axes = [AXES[axis] for axis in field.space.axes]
    domain = Box((0,) * field.dimensions, field.space.domain.upper)
    expected = dict(zip(axes, field.coordinates(domain), strict=True))
    for axis, found in places.items():
        if axis not in expected:
            continue
        wanted = expected[axis].ravel()
        if found.shape != wanted.shape:  # the message about the shape of all is better
            continue
        number = AXES.index(axis)
        width = float(np.min(np.diff(field.grid.faces(number))))
        far = np.flatnonzero(np.abs(found - wanted) > _ROUNDED * width)
        if len(far):
            i = int(far[0])
            raise kind(
                f"{what} has values at {axis}[{i}] = {found[i]:g}; {whose} has "
                f"its value there at {wanted[i]:g}.",
                hint="Bring it to the grid before: array.interp(x=…), array.sortby('y'), or drop "
                "its coordinates, array.drop_vars('x'), if they mean something else.",
                place=user_place(),
            )
