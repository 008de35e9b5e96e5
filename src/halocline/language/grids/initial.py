"""What a field is set to: numbers, arrays or functions of place as values of the cells of a box."""

from __future__ import annotations

import inspect
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import GridError, OutOfMemoryError, described
from halocline.free_memory import free_memory, size_text
from halocline.frozen import Frozen
from halocline.language.grids.labelled import is_labelled, unlabelled
from halocline.language.grids.of_place import values_at
from halocline.language.numbers import is_masked
from halocline.language.place import user_place
from halocline.launched import launched_rank, launched_ranks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Box
    from halocline.language.grids.fields import Field
    from halocline.language.grids.grid import Grid
    from halocline.language.spaces.space import Space

_SMALL = 64_000_000  # bytes that need not be asked for


class InitialValues(Frozen):
    """Values that a field gets when it is stored; the ranks together have all cells.

    Attributes:
        boxes: The cells.
        arrays: Their values: (components, nx, ny, nz), without what the field lacks.
        has_nan: Whether one of them is not a number.
    """

    boxes: tuple[Box, ...]
    arrays: tuple[NDArray[Any], ...]
    has_nan: bool = False


_is_planning: ContextVar[bool] = ContextVar("is_planning", default=False)


@contextmanager
def planning() -> Iterator[None]:
    """Make grids of any size for their plans alone: fields keep nothing of what they are set to."""
    before = _is_planning.set(True)
    try:
        yield
    finally:
        _is_planning.reset(before)


def share(grid: Grid, space: Space) -> list[Box]:
    """Return the cells of a space of which this rank keeps values at first.

    No simulation has said yet which it has. All, or where a launcher has started several ranks as
    many of the longest axis, or of the leaves of a level, as any other.
    """
    rank, ranks = launched_rank(), launched_ranks()
    rank, ranks = (0, 1) if rank is None or ranks is None else (rank, ranks)
    if space.level < 0 and grid.state.forest is not None:
        return [space.flat(space.domain)]
    if grid.state.forest is not None:
        boxes = grid.state.forest.leaves.boxes(space.level)
        first, end = (len(boxes) * n // ranks for n in (rank, rank + 1))
        return [space.flat(space.with_closing(box)) for box in boxes[first:end]]
    whole = grid.first
    axis = whole.extent.index(max(whole.extent))
    first, end = (whole.extent[axis] * n // ranks for n in (rank, rank + 1))
    return [space.cells_of(whole.domain.clip(axis, first, end))] if first < end else []


def initial_values(field: Field, boxes: Sequence[Box], values: Any) -> InitialValues:
    """Return what 'Field.set' is given as copies of its own, in some boxes of cells.

    Raises:
        GridError: There are values of another shape or type, or a function of other arguments.
        OutOfMemoryError: There is no memory for the copies.
    """
    if _is_planning.get():
        return InitialValues((), ())
    if not callable(values):
        values = unlabelled(field, values) if is_labelled(values) else _unmasked(field, values)
    if callable(values) or values.ndim:
        _check_memory(field, boxes)
    else:
        # A number takes no memory: every rank may keep all.
        boxes = (field.space.flat(field.space.domain),)
    found = [
        _of_function(field, box, values) if callable(values) else _of_array(field, box, values)
        for box in boxes
    ]
    has_nan = any(array.dtype.kind == "f" and np.isnan(array).any() for array, _ in found)
    arrays = tuple(np.broadcast_to(array, shape) for array, shape in found)
    return InitialValues(tuple(boxes), arrays, has_nan)


def _check_memory(field: Field, boxes: Sequence[Box]) -> None:
    size = np.dtype(field.dtype).itemsize * field.components * sum(box.cells for box in boxes)
    if size > _SMALL and size > (free := free_memory()):
        raise OutOfMemoryError(
            f"The values that field '{field.name}' is set to take {size_text(size)} on this rank, "
            f"where {size_text(free)} are free.",
            hint="Make the simulation first, then each rank has values of its own cells only; or "
            "use more nodes, a smaller grid or dtype='float32'.",
            place=user_place(),
        )


def _of_function(
    field: Field, box: Box, function: Callable[..., Any]
) -> tuple[NDArray[Any], tuple[int, ...]]:
    """Return what a function gives, and the shape that it is to be stretched to."""
    extent = tuple(box.extent[axis] for axis in field.space.axes)
    shape = (*_components(field), *extent)
    found = _call(field, function, field.coordinates(box))
    if field.components > 1 and isinstance(found, list | tuple):
        parts = [_unmasked(field, values) for values in found]
        found = np.stack([_stretched(field, values, extent) for values in parts])
    array = _unmasked(field, found)
    _check_type(field, array)
    _stretched(field, array, shape)
    return array.astype(field.dtype), shape


def _of_array(field: Field, box: Box, array: NDArray[Any]) -> tuple[NDArray[Any], tuple[int, ...]]:
    """Return the part of an array, or a number, and the shape that it is to be stretched to."""
    space = field.space
    shape = (*_components(field), *(box.extent[axis] for axis in space.axes))
    _check_type(field, array)
    whole = _stretched(field, array, (*_components(field), *space.shape))
    if array.ndim == 0:
        return array.astype(field.dtype), shape
    cut = space.subscript(box, (0,) * len(box.lower))
    return whole[(..., *cut)].astype(field.dtype, copy=True), shape


def _unmasked(field: Field, values: Any) -> NDArray[Any]:
    """Return values as an array; refuse those of which some are missing."""
    if is_masked(values):
        raise GridError(
            f"Field '{field.name}' was given {described(values)}; expected a value in every cell.",
            hint="Choose values for what is missing: array.filled(0.0).",
            place=user_place(),
        )
    return np.asarray(values)


def _components(field: Field) -> tuple[int, ...]:
    return (field.components,) if field.components > 1 else ()


def _call(field: Field, function: Callable[..., Any], place: Sequence[NDArray[Any]]) -> Any:
    try:
        inspect.signature(function).bind(*place)
    except TypeError:
        given = len(inspect.signature(function).parameters)
        raise GridError(
            f"Field '{field.name}' was set to a function of {given} arguments; expected one of "
            f"{len(place)}, the coordinates {', '.join(field.axes)}.",
            place=user_place(),
        ) from None
    except ValueError:
        pass  # some functions written in C do not tell
    return values_at(f"Field '{field.name}' was set to a function", function, place)


def _stretched(field: Field, values: Any, expected: tuple[int, ...]) -> NDArray[Any]:
    """Return values as an array of a shape, without a copy.

    An axis along which they do not change may have one entry, but none is left out: of which axes
    those that are there would be, nobody would know.
    """
    array = np.asarray(values)
    axes = ", ".join([*["component"] * (len(expected) - len(field.axes)), *field.axes])
    try:
        if array.ndim not in (0, len(expected)):
            raise ValueError
        return np.broadcast_to(array, expected)
    except ValueError:
        is_last = field.components > 1 and array.shape == (*expected[1:], expected[0])
        hint = f"The axes are {axes}; one along which values do not change may have one entry."
        if is_last:
            hint = f"The axes are {axes}: the component comes first, np.moveaxis(values, -1, 0)."
        raise GridError(
            f"Field '{field.name}' was given values of shape {array.shape}; expected {expected}.",
            hint=hint,
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
