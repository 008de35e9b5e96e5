"""Arrays on a grid half as coarse or fine, of values in cells or on faces.

Merged cells get the mean of their children. Children of a split cell get its value less and plus a
quarter of a slope, so that the mean is kept. Across an axis for which values lie on faces, coarse
faces are fine faces, too: they keep their values, and those between get the mean. Whole numbers and
truth values have no mean, since they may be names: the first of those values counts.

Blocks of a forest that split limit the slope: it is the mean of the differences on both sides of
the cell, but never so steep that a child has less than a quarter of a cell's value among others of
its sign; at an extremum it is 0 (van Leer, J. Comput. Phys. 23 (1977) 276).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

# How often the lesser of the two differences the slopes along all axes are together at most.
_STEEPEST = 3.0


def merged(fine: NDArray[Any], on_faces: Sequence[bool]) -> NDArray[Any]:
    """Return the values of cells twice as wide.

    Args:
        fine: Values of whole cells of those; across faces maybe with the last one. Further axes
            come first, such as that of components, and stay as they are.
        on_faces: Whether values lie on faces, for each axis of the grid.
    """
    values = fine.astype(computed_in(fine.dtype))
    for axis, is_on_faces in enumerate(on_faces, values.ndim - len(on_faces)):
        first = _every_second(values, axis, 0)
        values = first if is_on_faces else _mean(first, _every_second(values, axis, 1))
    return values.astype(fine.dtype)


def split(coarse: NDArray[Any], on_faces: Sequence[bool], *, is_linear: bool) -> NDArray[Any]:
    """Return the values of cells half as wide.

    Args:
        coarse: Values of the cells and of one more on each side; see 'merged'.
        on_faces: Whether values lie on faces, for each axis of the grid.
        is_linear: Whether values differ within a cell; else all children have the same.
    """
    values = coarse.astype(computed_in(coarse.dtype))
    axes = list(enumerate(on_faces, values.ndim - len(on_faces)))
    centered = [axis for axis, is_on_faces in axes if not is_on_faces]
    own = _trimmed(values, centered)
    slopes = {axis: _slope(values, own, axis, centered) if is_linear else None for axis in centered}
    for axis in centered:
        own = both_children(own, slopes.pop(axis), axis)
        slopes = {
            a: None if slope is None else np.repeat(slope, 2, axis) for a, slope in slopes.items()
        }
    for axis in (axis for axis, is_on_faces in axes if is_on_faces):
        faces, next_ = _cut(own, axis, 1, -1), _cut(own, axis, 2, None)
        own = _interleaved(faces, _mean(faces, next_), axis)
    return own.astype(coarse.dtype)


def computed_in(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type in which means are computed: double precision for floats of 16 bits."""
    return np.dtype(np.float64) if dtype == np.float16 else dtype


def _mean(first: NDArray[Any], second: NDArray[Any]) -> NDArray[Any]:
    """Return the mean of two values; of whole numbers the first."""
    return 0.5 * (first + second) if first.dtype.kind == "f" else first


def _slope(
    values: NDArray[Any], own: NDArray[Any], axis: int, centered: Sequence[int]
) -> NDArray[Any]:
    """Return by how much values change across a cell along an axis."""
    others = [a for a in centered if a != axis]
    line = _trimmed(values, others)
    below = own - _cut(line, axis, 0, -2)
    above = _cut(line, axis, 2, None) - own
    most = (_STEEPEST / len(centered)) * np.minimum(np.abs(below), np.abs(above))
    mean = 0.5 * (below + above)
    is_monotonic = (below > 0) == (above > 0)
    slope: NDArray[Any] = np.where(is_monotonic, np.clip(mean, -most, most), 0)
    return slope


def both_children(own: NDArray[Any], slope: NDArray[Any] | None, axis: int) -> NDArray[Any]:
    """Return the values of twice as many cells along an axis.

    Args:
        own: Values of cells.
        slope: By how much values change across each cell; None for not at all.
        axis: The axis.
    """
    if slope is None:
        return np.repeat(own, 2, axis)
    change = 0.25 * slope
    return _interleaved(own - change, own + change, axis)


def _interleaved(first: NDArray[Any], second: NDArray[Any], axis: int) -> NDArray[Any]:
    shape = list(first.shape)
    shape[axis] *= 2
    return np.stack([first, second], axis + 1).reshape(shape)


def _trimmed(values: NDArray[Any], axes: Sequence[int]) -> NDArray[Any]:
    """Return values without the first and last along some axes."""
    for axis in axes:
        values = _cut(values, axis, 1, -1)
    return values


def _cut(values: NDArray[Any], axis: int, first: int, end: int | None) -> NDArray[Any]:
    return values[(slice(None),) * axis + (slice(first, end),)]


def _every_second(values: NDArray[Any], axis: int, first: int) -> NDArray[Any]:
    return values[(slice(None),) * axis + (slice(first, None, 2),)]
