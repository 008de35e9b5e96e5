"""Collective procedures: all images of the current team call them, each with its own values."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from halocline import _pgas
from halocline.coarray.images import agree
from halocline.errors import CoarrayError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

Values = TypeVar("Values")

_ALL_IMAGES = 0
# The numbers that can be added or compared, as NumPy's letters; half precision is not among them.
_NUMBERS, _ORDERED = "iufc", "biuf"
_LEAST_BYTES_OF_FLOAT = 4


def co_sum(array: Values, result_image: int | None = None) -> Values:
    """Add the values of all images, element by element, in the order of the images.

    Args:
        array: An array, in which the result takes the place of this image's values; or a number.
        result_image: Which image gets the result; all of them if None. On others nothing changes.

    Returns:
        The array; or, of a number, the result.

    Raises:
        CoarrayError: The type has no sum, or images give different types or shapes.
        FailedImageError: An image has failed; the result is that of the others.
        StoppedImageError: An image has ended.

    Example:
        >>> hc.coarray.co_sum(2.0)
        2.0
    """
    return _reduced("co_sum", _NUMBERS, _pgas.co_sum, array, result_image)


def co_min(array: Values, result_image: int | None = None) -> Values:
    """Return the least of the values of all images; of truth values, whether all are true.

    As 'co_sum' in all else.

    Example:
        >>> hc.coarray.co_min(2.0)
        2.0
    """
    return _reduced("co_min", _ORDERED, _pgas.co_min, array, result_image)


def co_max(array: Values, result_image: int | None = None) -> Values:
    """Return the greatest of the values of all images; of truth values, whether any is true.

    As 'co_sum' in all else.

    Example:
        >>> hc.coarray.co_max(2.0)
        2.0
    """
    return _reduced("co_max", _ORDERED, _pgas.co_max, array, result_image)


def co_reduce(
    array: Values,
    function: Callable[[NDArray[Any], NDArray[Any]], Any],
    result_image: int | None = None,
) -> Values:
    """Combine the values of all images by a function that all images give alike.

    As 'co_sum' in all else.

    Args:
        array: An array, in which the result takes the place of this image's values; or a number.
        function: Takes two arrays with one axis and returns what each two elements make, as
            'np.multiply' does. It must be associative.
        result_image: Which image gets the result; all of them if None.

    Example:
        >>> hc.coarray.co_reduce(2.0, lambda a, b: a * b)
        2.0
    """
    given = _Given("co_reduce", array)

    def combine(into: NDArray[np.uint8], other: NDArray[np.uint8]) -> None:
        one = into.view(given.dtype)
        one[...] = function(one, other.view(given.dtype))

    _pgas.co_reduce(given.bytes, given.dtype.itemsize, combine, _or_all(result_image))
    result: Values = given.result()
    return result


def co_broadcast(array: Values, source_image: int) -> Values:
    """Give the values of one image to all.

    Args:
        array: An array, in which those of the other image take the place of this image's values; or
            a number.
        source_image: Whose values these are.

    Returns:
        The array; or, of a number, the other image's.

    Raises:
        CoarrayError: There is no such image, or images give different types or shapes.
        FailedImageError: An image has failed.
        StoppedImageError: An image has ended.

    Example:
        >>> hc.coarray.co_broadcast(2.0, 1)
        2.0
    """
    given = _Given("co_broadcast", array)
    _pgas.co_broadcast(given.bytes, source_image)
    result: Values = given.result()
    return result


class _Given:
    """What a user has given: an array to be changed, or a number to be returned.

    Args:
        call: To which procedure.
        values: The array or the number.
        kinds: NumPy's letters of the types that the procedure can do; empty for all.
    """

    def __init__(self, call: str, values: Any, kinds: str = "") -> None:
        self._values = values
        self._array = np.asarray(values)
        self.dtype = self._array.dtype
        self._require_type(call, kinds)
        if isinstance(values, np.ndarray) and not values.flags.writeable:
            raise CoarrayError(f"'{call}' was given an array that cannot be written to.")
        agree(call, f"{_name(self.dtype)} with shape {self._array.shape}")
        self._packed = np.ascontiguousarray(self._array).reshape(-1)
        self.bytes: NDArray[np.uint8] = self._packed.view(np.uint8)

    def _require_type(self, call: str, kinds: str) -> None:
        is_half = self.dtype.kind == "f" and self.dtype.itemsize < _LEAST_BYTES_OF_FLOAT
        is_refused = bool(kinds) and (self.dtype.kind not in kinds or is_half)
        is_sequence = not isinstance(self._values, np.ndarray) and self._array.ndim > 0
        if is_refused or is_sequence or self.dtype.hasobject or self.dtype.itemsize == 0:
            what = type(self._values).__name__ if is_sequence else str(self.dtype)
            raise CoarrayError(f"'{call}' cannot be done with values of '{what}'.")

    def result(self) -> Any:
        """Return what the user gets, when the bytes have changed."""
        if isinstance(self._values, np.ndarray):
            if not np.may_share_memory(self._packed, self._values):
                self._values[...] = self._packed.reshape(self._values.shape)
            return self._values
        found = self._packed[0]
        return found if isinstance(self._values, np.generic) else found.item()


def _reduced(
    call: str,
    kinds: str,
    procedure: Callable[[NDArray[np.uint8], str, int, int], None],
    values: Values,
    result_image: int | None,
) -> Values:
    given = _Given(call, values, kinds)
    # Truth values are 0 and 1.
    kind = given.dtype.kind.replace("b", "u")
    procedure(given.bytes, kind, given.dtype.itemsize, _or_all(result_image))
    result: Values = given.result()
    return result


@cache
def _name(dtype: np.dtype[Any]) -> str:
    # NumPy takes its time for it.
    return str(dtype)


def _or_all(result_image: int | None) -> int:
    if result_image == _ALL_IMAGES:
        raise CoarrayError("There is no image 0: images are numbered from 1.")
    return _ALL_IMAGES if result_image is None else result_image
