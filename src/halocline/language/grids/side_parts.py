"""Parts of a side, where a boundary condition holds."""

from __future__ import annotations

import inspect
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import GridError, described
from halocline.geometry import AXES, Box
from halocline.language.expressions.operators import Operand
from halocline.language.grids.of_place import values_at
from halocline.language.grids.sides import mirror_at_walls, parse_side, shape_of_side
from halocline.language.place import user_place

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.language.grids.fields import Field


def part_of_side(
    field: Field, side: str, where: Any
) -> tuple[Field | None, NDArray[np.bool_] | None]:
    """Return a part of a side as a mask, and as an array where it is known before the run.

    Args:
        field: Of which a boundary is declared.
        side: The side.
        where: See 'Field.boundary'.

    Raises:
        GridError: It is no part of the side.
    """
    if where is None:
        return None, None
    axis, _ = parse_side(field.dimensions, side)
    shape = shape_of_side(field, side)
    if not shape:
        raise GridError(
            f"The boundary of '{field.name}' was given on a part of side '{side}', which is a "
            "single cell.",
            place=user_place(),
        )
    if isinstance(where, Operand):
        if getattr(where, "space", None) != field.space.without(axis):
            raise _refused(field, side, where, shape)
        return where, None  # type: ignore[return-value]
    mask: Field = field.grid.hidden_field(
        f"part_{len(field.grid.fields)}",
        dtype="uint8",
        axes="".join(AXES[a] for a in field.space.axes if a != axis),
        location=field.location.without(axis),
    )
    cells = _cells(field, side, where, mask)
    mask.set(cells.astype(np.uint8))
    mirror_at_walls(mask)
    return mask, cells


def _cells(field: Field, side: str, where: Any, mask: Field) -> NDArray[np.bool_]:
    """Return a truth value for each cell of a side."""
    shape = shape_of_side(field, side)
    if isinstance(where, Box):
        result = np.zeros(shape, bool)
        if len(where.lower) != field.dimensions:
            raise _refused(field, side, where, shape)
        ends = [(where.lower[axis], where.upper[axis]) for axis in mask.space.axes]
        if not all(0 <= low < high <= n for (low, high), n in zip(ends, shape, strict=True)):
            raise _refused(field, side, where, shape)
        result[tuple(slice(*end) for end in ends)] = True
        return result
    found = where
    if callable(where):
        names = tuple(inspect.signature(where).parameters)
        # Arguments go by their places: one that is called after another axis is a mistake.
        if set(names) <= set(AXES) and "".join(names) != mask.axes:
            raise _refused(field, side, where, shape)
        at = mask.coordinates(mask.space.flat(mask.space.domain))
        what = f"The boundary of '{field.name}' on side '{side}' was given a function"
        values = values_at(what, where, at)
        with suppress(ValueError):
            found = np.broadcast_to(values, shape)
    found = np.asarray(found)
    if found.shape != shape or found.dtype.kind not in "bui":
        raise _refused(field, side, where, shape)
    return found.astype(bool)


def _refused(field: Field, side: str, where: Any, shape: tuple[int, ...]) -> GridError:
    others = [axis for axis in field.axes if axis != side[0]]
    return GridError(
        f"The boundary of '{field.name}' on side '{side}' was given for {described(where)}; "
        f"expected an hc.Box of {field.dimensions} axes within the side along "
        f"{' and '.join(others)}, truth values of shape {shape}, a function of "
        f"{', '.join(others)} that returns such, or a field without the axis {side[0]}.",
        place=user_place(),
    )
