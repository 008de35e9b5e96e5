"""What a field is set to: numbers, arrays or functions of place as values of the cells of a box."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import GridError
from halocline.geometry import AXES
from halocline.language.place import user_place

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Box
    from halocline.language.fields import Field


@dataclass(frozen=True, slots=True)
class InitialValues:
    """Values that a field gets when it is stored.

    Attributes:
        boxes: The cells.
        arrays: Their values: (components, nx, ny, nz), without what the grid lacks.
    """

    boxes: tuple[Box, ...]
    arrays: tuple[NDArray[Any], ...]

    @property
    def has_nan(self) -> bool:
        """Whether one of them is not a number."""
        return any(array.dtype.kind == "f" and np.isnan(array).any() for array in self.arrays)


def initial_values(field: Field, boxes: Sequence[Box], values: Any) -> InitialValues:
    """Return copies of what a field is set to in some boxes.

    Raises:
        GridError: See 'values_in'.
    """
    found = (values_in(field, box, values) for box in boxes)
    arrays = tuple(array.astype(field.dtype, copy=True) for array in found)
    return InitialValues(tuple(boxes), arrays)


def values_in(field: Field, box: Box, values: Any) -> NDArray[Any]:
    """Return what a field is set to in the cells of a box, as 'Field.set' takes it.

    Raises:
        GridError: There are values of another shape or type, or a function of other arguments.
    """
    components = (field.components,) if field.components > 1 else ()
    if callable(values):
        found = _call(field, values, field.grid.coordinates(field.location, box))
        if components and isinstance(found, list | tuple):
            found = _stacked(field, found, box)
        array = _broadcast(field, found, (*components, *box.extent))
    else:
        array = _broadcast(field, values, (*components, *field.grid.extent))
        cut = tuple(slice(l, u) for l, u in zip(box.lower, box.upper, strict=True))
        array = array[(slice(None), *cut) if components else cut]
    _check_type(field, array)
    return array


def _call(field: Field, function: Callable[..., Any], place: Sequence[NDArray[Any]]) -> Any:
    try:
        inspect.signature(function).bind(*place)
    except TypeError:
        given = len(inspect.signature(function).parameters)
        raise GridError(
            f"Field '{field.name}' was set to a function of {given} arguments; expected one of "
            f"{len(place)}, the coordinates {', '.join(AXES[: len(place)])}.",
            place=user_place(),
        ) from None
    except ValueError:
        pass  # some functions written in C do not tell
    return function(*place)


def _stacked(field: Field, found: Sequence[Any], box: Box) -> NDArray[Any]:
    return np.stack([_broadcast(field, values, box.extent) for values in found])


def _broadcast(field: Field, values: Any, expected: tuple[int, ...]) -> NDArray[Any]:
    array = np.asarray(values)
    try:
        return np.broadcast_to(array, expected)
    except ValueError:
        raise GridError(
            f"Field '{field.name}' was given values of shape {array.shape}; expected {expected}.",
            hint="The component comes first, then x, y, z.",
            place=user_place(),
        ) from None


def _check_type(field: Field, array: NDArray[Any]) -> None:
    """Refuse what is no number, and numbers that the field's type would change beyond rounding."""
    if array.dtype.kind not in "biuf":
        raise GridError(
            f"Field '{field.name}' was set to values of type {array.dtype}; expected numbers.",
            place=user_place(),
        )
    if np.dtype(field.dtype).kind not in "iu" or np.can_cast(array.dtype, field.dtype):
        return
    with np.errstate(invalid="ignore"):
        is_changed = array.astype(field.dtype) != array
    if is_changed.any():
        raise GridError(
            f"Field '{field.name}' of type {field.dtype} was set to {array[is_changed][0].item()}, "
            "which that type does not hold.",
            hint="Round the values, or give the field another dtype.",
            place=user_place(),
        )
