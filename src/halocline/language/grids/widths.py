"""Widths of the cells along an axis: a number for all, or an array where the axis is stretched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import GridError
from halocline.geometry import AXES
from halocline.language.place import user_place

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from numpy.typing import NDArray


def cell_widths(given: Any) -> float | NDArray[np.float64]:
    """Return what an axis was given: a number, or an array that nobody can change any more."""
    if not np.iterable(given):
        return float(given)
    result = np.array(given, np.float64)
    result.flags.writeable = False
    return result


def check_widths(spacing: Sequence[Any], extent: Sequence[int]) -> None:
    """Refuse widths that are not positive, or not one for each cell."""
    for axis, (widths, n) in enumerate(zip(spacing, extent, strict=True)):
        shape = np.shape(widths)
        if shape not in ((), (n,)):
            raise GridError(
                f"The grid spacing along {AXES[axis]} has the shape {shape}; expected a number, or "
                f"the width of each of the {n} cells.",
                place=user_place(),
            )
        wrong = np.asarray(widths)[~(np.isfinite(widths) & (np.asarray(widths) > 0))]
        if wrong.size:
            shown = f"{wrong[0]} along {AXES[axis]}" if shape else tuple(spacing)
            raise GridError(f"A grid spacing of {shown} was given; expected positive numbers.")


def faces(origin: float, widths: Any, n: int) -> NDArray[np.float64]:
    """Return the coordinates of the faces between cells, the first and the last one included."""
    if np.ndim(widths) == 0:
        return origin + np.arange(n + 1) * np.float64(widths)
    return np.float64(origin) + np.concatenate([[0.0], np.cumsum(widths)])


def middles(at: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what lies in the middle between neighbours."""
    return 0.5 * (at[:-1] + at[1:])


def scaled_widths(widths: Any, scale: Fraction) -> Any:
    """Return the widths of 'scale' cells for one: those of several add up, or one is split."""
    if np.ndim(widths) == 0:
        return widths / float(scale)
    if scale == 1:
        return widths
    at = faces(0.0, widths, len(widths))
    wanted = np.arange(int(len(widths) * scale) + 1) / float(scale)
    return np.diff(np.interp(wanted, np.arange(len(at)), at))


def beyond(widths: NDArray[np.float64], layers: int, *, is_periodic: bool) -> NDArray[np.float64]:
    """Return widths with those of layers beyond both sides: of images, or mirrored."""
    return np.pad(widths, layers, mode="wrap" if is_periodic else "symmetric")
