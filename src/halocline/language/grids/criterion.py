"""Criterion: the level of a forest that is wanted at a place, as a function of the coordinates."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import GridError
from halocline.geometry import AXES
from halocline.language.numbers import is_masked
from halocline.language.place import user_place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


# Called with coordinates as 'Field.set' calls.
Criterion = Callable[..., Any]


def check_arguments(criterion: Criterion, dimensions: int) -> None:
    """Refuse a function that cannot be called with the coordinates of so many axes."""
    with suppress(ValueError):  # some functions written in C do not tell
        signature = inspect.signature(criterion)
        try:
            signature.bind(*AXES[:dimensions])
        except TypeError:
            raise GridError(
                f"A forest of {dimensions} axes was given a criterion of "
                f"{len(signature.parameters)} arguments; expected a function of the coordinates "
                f"{', '.join(AXES[:dimensions])}.",
                place=user_place(),
            ) from None


def levels_at(criterion: Criterion, coordinates: Sequence[NDArray[np.float64]]) -> NDArray[Any]:
    """Return the level that a criterion wants at each place.

    Args:
        criterion: The criterion, whose arguments have been checked.
        coordinates: An array for each axis, to broadcast.

    Raises:
        GridError: It takes no arrays of coordinates, or returns no number for each place.
    """
    values = _called(criterion, coordinates)
    levels = np.asarray(values)
    where = tuple(float(along.flat[0]) for along in coordinates)
    if is_masked(values) or levels.dtype.kind not in "biuf":
        what = "masked" if is_masked(values) else levels.dtype.name
        raise GridError(
            f"The criterion of a forest returned {what} values near {where}; expected a number at "
            "each place, the level there.",
            place=user_place(),
        )
    extent = np.broadcast_shapes(*(along.shape for along in coordinates))
    pairs = zip(levels.shape, extent, strict=False)
    if levels.ndim not in (0, len(extent)) or any(own not in (1, n) for own, n in pairs):
        raise GridError(
            f"The criterion of a forest returned values of shape {levels.shape} for {extent} cells "
            f"near {where}; expected that shape, with one entry along axes along which nothing "
            "changes, or one number.",
            hint="Each coordinate is an array with the cells along its own axis.",
            place=user_place(),
        )
    return np.broadcast_to(levels, extent)


def _called(criterion: Criterion, coordinates: Sequence[NDArray[np.float64]]) -> Any:
    try:
        return criterion(*coordinates)
    except (TypeError, ValueError) as error:
        if not _takes_numbers(criterion, coordinates):
            raise
        raise GridError(
            f"The criterion of a forest takes numbers, but no arrays of coordinates: "
            f"{str(error).rstrip('.')}.",
            hint="Write np.where(condition, 1, 0) in place of 'if', & in place of 'and', and the "
            "functions of NumPy in place of those of 'math'.",
            place=user_place(),
        ) from error


def _takes_numbers(criterion: Criterion, coordinates: Sequence[NDArray[np.float64]]) -> bool:
    with suppress(Exception):  # whatever the user's function does with them
        criterion(*(float(along.flat[0]) for along in coordinates))
        return True
    return False
