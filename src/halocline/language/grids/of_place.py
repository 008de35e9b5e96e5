"""Functions of the place: called once with arrays of coordinates, not cell by cell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from halocline.errors import GridError
from halocline.language.place import place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

# What NumPy says where a number is needed and an array was given.
_NEEDS_NUMBERS = re.compile(
    r"truth value of an array|(0-dimensional|length-1|size-1|integer scalar) arrays"
)


def values_at(what: str, function: Callable[..., Any], coordinates: Sequence[NDArray[Any]]) -> Any:
    """Return what a function of the place gives for arrays of coordinates.

    Args:
        what: What begins a message: "Field 'T' was set to a function".
        function: The function.
        coordinates: An array for each axis; they broadcast to the extent of a box of cells.

    Raises:
        GridError: It is one of numbers, as math.sin is.
    """
    try:
        return function(*coordinates)
    except (TypeError, ValueError) as error:
        if not _NEEDS_NUMBERS.search(str(error)):
            raise
        raise GridError(
            f"{what} that takes one number at a time ({error}); expected one "
            "of arrays, the coordinates of many cells at once.",
            hint="Write np.sin(x) for math.sin(x), np.where(x > 0, a, b) for 'a if x > 0 else b', "
            "np.minimum(x, y) for min(x, y).",
            place=place_of(error.__traceback__),
        ) from error
