"""A plane through a forest, with the values of its leaves and their borders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halocline.errors import CaseError
from halocline.frozen import Frozen
from halocline.language.grids.resampled import check_in_cells

if TYPE_CHECKING:
    from halocline.geometry import Box
    from halocline.io.quantity import Quantity
    from halocline.language.grids.forest import Forest

_PLANE = 2


class ForestPlane(Frozen, eq=False):
    """Values in the plane of x and y.

    Attributes:
        values: Of the leaf around each cell of the finest level that there is (nx, ny).
        extent: Low and high coordinate of x, then of y.
        blocks: Low x, low y, high x, high y of each leaf (n, 4).
    """

    values: NDArray[Any]
    extent: tuple[float, float, float, float]
    blocks: NDArray[np.float64]


def plane_through(quantity: Quantity, z: float | None = None) -> ForestPlane | None:
    """Return a plane through a forest on rank 0, None elsewhere; collective.

    Args:
        quantity: What it shows, of a forest.
        z: Where it crosses the third axis, if there is one; None for the middle.

    Raises:
        CaseError: The forest has one axis, or z is not in it.
        GridError: The quantity does not live in the middle of cells.
    """
    field = quantity.of_forest
    check_in_cells(field)
    forest = field.forest
    planes = [_plane(forest, level, z) for level in range(forest.levels)]
    boxes = [_cut(forest.leaves.boxes(level), plane) for level, plane in enumerate(planes)]
    gathered = [quantity.gather_boxes(level, of_level) for level, of_level in enumerate(boxes)]
    finest = forest.level(forest.leaves.finest)
    result = np.empty(finest.extent[:_PLANE], quantity.dtype)
    for level, (of_level, values) in enumerate(zip(boxes, gathered, strict=True)):
        if values is None:
            return None
        ratio = 2 ** max(0, forest.leaves.finest - level)
        for box, values_of_block in zip(of_level, values, strict=True):
            flat = values_of_block.reshape(box.extent[:_PLANE])
            lower, upper = ([ratio * n for n in end[:_PLANE]] for end in (box.lower, box.upper))
            here = tuple(map(slice, lower, upper))
            result[here] = flat.repeat(ratio, 0).repeat(ratio, 1)
    (low_x, *_, high_x), (low_y, *_, high_y) = (finest.faces(axis) for axis in range(_PLANE))
    return ForestPlane(result, (low_x, high_x, low_y, high_y), blocks_in_plane(forest, z))


def blocks_in_plane(forest: Forest, z: float | None = None) -> NDArray[np.float64]:
    """Return low x, low y, high x, high y of each leaf in a plane (n, 4); see 'plane_through'."""
    found = []
    for level in range(forest.levels):
        x, y = (forest.level(level).faces(axis) for axis in range(_PLANE))
        for box in _cut(forest.leaves.boxes(level), _plane(forest, level, z)):
            (x0, y0), (x1, y1) = box.lower[:_PLANE], box.upper[:_PLANE]
            found.append((x[x0], y[y0], x[x1], y[y1]))
    return np.array(found)


def _plane(forest: Forest, level: int, z: float | None) -> int | None:
    """Return the cells of a level, by their number along z, that a plane crosses; None without."""
    if forest.dimensions == _PLANE:
        return None
    if forest.dimensions < _PLANE:
        raise CaseError(
            "A plane through a forest with one axis was asked for; expected two or three."
        )
    faces = forest.level(level).faces(_PLANE)
    at = 0.5 * (faces[0] + faces[-1]) if z is None else z
    if not faces[0] <= at <= faces[-1]:
        raise CaseError(
            f"A plane at z = {at:g} was asked for; the forest has z from {faces[0]:g} to "
            f"{faces[-1]:g}."
        )
    return min(int(np.searchsorted(faces, at, "right")), len(faces) - 1) - 1


def _cut(boxes: Sequence[Box], plane: int | None) -> list[Box]:
    """Return the cells of boxes in a plane."""
    if plane is None:
        return list(boxes)
    return [
        box.clip(_PLANE, plane, plane + 1)
        for box in boxes
        if box.lower[_PLANE] <= plane < box.upper[_PLANE]
    ]
