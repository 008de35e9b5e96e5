"""What users give to oceans: what it must be, and the one message where it is something else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.apps.arguments import wrong
from halocline.errors import CaseError
from halocline.language.grids.labelled import is_labelled
from halocline.language.numbers import ANY, Range, finite_number, real_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Values = NDArray[np.float64]

_AXES = ("x", "y")
# What files call the axes.
_AXIS_NAMES = {
    **dict.fromkeys(("x", "lon", "longitude"), "x"),
    **dict.fromkeys(("y", "lat", "latitude"), "y"),
}


def pair(name: str, given: Any, what: str) -> tuple[Any, Any]:
    """Return what has one part along x and one along y.

    Raises:
        CaseError: It has not.
    """
    parts = tuple(given) if isinstance(given, Sequence | np.ndarray) else ()
    if len(parts) != len(_AXES) or isinstance(given, str):
        raise wrong(name, given, f"two {what}, along x and y")
    return parts


def numbers_along(name: str, given: Any, allowed: Range = ANY) -> tuple[float, float]:
    """Return two finite numbers of an interval, along x and y.

    Raises:
        CaseError: They are something else.
    """
    x, y = (
        finite_number(f"'{name}' along {axis}", part, allowed, CaseError)
        for axis, part in zip(_AXES, pair(name, given, "numbers"), strict=True)
    )
    return x, y


def members(name: str, given: Any, kind: type, expected: str) -> tuple[Any, ...]:
    """Return what is a list of things of a type.

    Raises:
        CaseError: It is something else.
    """
    if not isinstance(given, Sequence) or not all(isinstance(part, kind) for part in given):
        raise wrong(name, given, expected)
    return tuple(given)


def surface(name: str, given: Any) -> Values:
    """Return numbers of cells, with x first; NaN where they are masked.

    Raises:
        CaseError: They are no numbers, or their axes have other names.
    """
    ordered = _in_order(name, given) if is_labelled(given) else given
    if isinstance(ordered, np.ma.MaskedArray):
        ordered = np.ma.filled(ordered.astype(float), np.nan)
    try:
        return real_array(ordered)
    except (TypeError, ValueError):
        raise wrong(name, given, "numbers, with x as their first axis") from None


def _in_order(name: str, given: Any) -> Any:
    """Return the values of an array that names its axes, x first."""
    named = {_AXIS_NAMES.get(str(dim).lower()): dim for dim in given.dims}
    if set(named) != set(_AXES) or len(given.dims) != len(named):
        raise CaseError(
            f"'{name}' has the dimensions ({', '.join(map(str, given.dims))}); expected x and y, "
            "or lon and lat.",
            hint="Rename them, array.rename(…), or give the values with x first: array.to_numpy().",
        )
    return given.transpose(*(named[axis] for axis in _AXES)).to_numpy()


def in_cells(name: str, given: Any, is_wet: NDArray[np.bool_]) -> Values:
    """Return a number of each cell, 0 where it is missing on land: of one number, or an array.

    Args:
        name: What messages call them.
        given: A number, or an array with one for each cell.
        is_wet: Which cells need one.

    Raises:
        CaseError: They are no numbers, not as many as there are cells, or missing in water.
    """
    values = surface(name, given)
    if values.shape not in ((), is_wet.shape):
        raise wrong(name, given, f"a number, or an array with the shape {is_wet.shape}, x first")
    filled = np.broadcast_to(values, is_wet.shape)
    missing = np.argwhere(~np.isfinite(filled) & is_wet)
    if len(missing):
        i, j = missing[0]
        raise CaseError(
            f"'{name}' is no finite number in {len(missing)} cells with water, the first of which "
            f"is ({i}, {j}).",
            hint="Fill what is missing, or make the cells land.",
        )
    return np.where(np.isfinite(filled), filled, 0.0)
