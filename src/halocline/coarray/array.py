"""Coarrays: arrays of which every image has a part that all images read and write."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.coarray import _pgas
from halocline.coarray.shared import Shared
from halocline.errors import CoarrayError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, DTypeLike, NDArray

# Of which kinds of numbers an array may be to which one of Python's is assigned.
_KINDS_FOR = {bool: "biufc", int: "iufc", float: "fc", complex: "c"}


def allocate(shape: int | Sequence[int], dtype: DTypeLike = float) -> Coarray:
    """Return a coarray filled with zeros. Collective: all images of the current team call it alike.

    Args:
        shape: Of the part of each image.
        dtype: Of its elements; everything but Python's objects.

    Raises:
        CoarrayError: There is no such array, not as much memory, or images ask for different ones.
        FailedImageError: An image of the team has failed.
        StoppedImageError: An image of the team has ended.
    """
    return Coarray(shape_of(shape), dtype_of(dtype))


class Coarray(Shared):
    """An array with a part on each image: 'a[2]' is image 2's, 'a.here' is this image's own.

    Args:
        shape: Of the part of each image.
        dtype: Of its elements.
    """

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        super().__init__(f"{dtype} with shape {shape}", math.prod(shape) * dtype.itemsize)
        self.shape = shape
        self.dtype = dtype
        # Whether atomic operations can be done on its elements.
        self.is_atomic = dtype in (np.int32, np.int64)
        self._parts: dict[int, Part] = {}
        self._here: NDArray[Any] | None = self._array(_pgas.accessible(_pgas.this_image()))

    @property
    def here(self) -> NDArray[Any]:
        """This image's own part, no copy; not to be used after 'free'."""
        if self._here is None:
            _ = self.memory
        assert self._here is not None
        return self._here

    def __getitem__(self, image: int) -> Part:
        """Return the part of an image of the current team.

        Raises:
            CoarrayError: There is no such image, or the coarray was freed.
            FailedImageError: The image has failed.
        """
        place = _pgas.accessible(image)
        part = self._parts.get(place)
        if part is None:
            part = self._parts[place] = Part(self, self._array(place))
        return part

    def end(self) -> None:
        """Let nobody use it any more."""
        super().end()
        self._here = None
        for part in self._parts.values():
            part._array = None
        self._parts.clear()

    def _array(self, place: int) -> NDArray[Any]:
        return np.ndarray(self.shape, self.dtype, self.memory.of(place))

    def __repr__(self) -> str:
        return f"<coarray of {self.name}>"


class Part:
    """The part of one image: what is read of it is a copy, what is assigned goes there.

    Args:
        coarray: What it is a part of.
        array: Its elements where they are.
    """

    __slots__ = ("_array", "_coarray")

    def __init__(self, coarray: Coarray, array: NDArray[Any]) -> None:
        self._coarray = coarray
        self._array: NDArray[Any] | None = array

    def __getitem__(self, index: Any) -> Any:
        """Return a copy of elements, as NumPy's indexing chooses them."""
        array = self._elements
        found = array[index]
        # NumPy has copied already, or given a view of what others may change.
        return found.copy() if isinstance(found, np.ndarray) and found.base is not None else found

    def __setitem__(self, index: Any, values: ArrayLike) -> None:
        """Assign to elements, as NumPy does.

        Raises:
            TypeError: The values are of another kind ('same_kind' of NumPy's casting).
            ValueError: They have another shape, to which they cannot be broadcast.
        """
        array = self._array
        if array is None:
            array = self._elements
        kinds = _KINDS_FOR.get(type(values))
        if kinds is None or array.dtype.kind not in kinds:
            _require_cast(values, array.dtype)
        array[index] = values

    def __array__(
        self,
        dtype: DTypeLike | None = None,
        copy: bool | None = None,  # noqa: FBT001 (NumPy's protocol)
    ) -> NDArray[Any]:
        """Return a copy of the whole part."""
        if copy is False:
            raise ValueError("The part of another image is always copied.")
        return np.array(self._elements, dtype=dtype)

    def __len__(self) -> int:
        return len(self._elements)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the part."""
        return self._coarray.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of its elements."""
        return self._coarray.dtype

    def atomic_read(self, index: Any = ()) -> int:
        """Return an element, whatever others do to it at the same time.

        Like the other atomic operations: 'index' chooses one element of a coarray of int32 or
        int64; what others see of several of them has the order in which they were done.

        Raises:
            CoarrayError: The index chooses no single element, or it is of another type.
        """
        return _pgas.atomic_read(self._element(index))

    def atomic_write(self, index: Any, value: int) -> None:
        """Set an element."""
        _pgas.atomic_write(self._element(index), self._number(value))

    def atomic_add(self, index: Any, value: int) -> int:
        """Add to an element, which wraps around; return what it was."""
        return _pgas.atomic_add(self._element(index), self._number(value))

    def atomic_and(self, index: Any, value: int) -> int:
        """Replace an element by its bitwise 'and' with a value; return what it was."""
        return _pgas.atomic_and(self._element(index), self._number(value))

    def atomic_or(self, index: Any, value: int) -> int:
        """Replace an element by its bitwise 'or' with a value; return what it was."""
        return _pgas.atomic_or(self._element(index), self._number(value))

    def atomic_xor(self, index: Any, value: int) -> int:
        """Replace an element by its bitwise 'exclusive or' with a value; return what it was."""
        return _pgas.atomic_xor(self._element(index), self._number(value))

    def atomic_cas(self, index: Any, compare: int, new: int) -> int:
        """Replace an element if it is equal to 'compare'; return what it was."""
        element = self._element(index)
        return _pgas.atomic_cas(element, self._number(compare), self._number(new))

    @property
    def _elements(self) -> NDArray[Any]:
        if self._array is None:
            _ = self._coarray.memory
        assert self._array is not None
        return self._array

    def _element(self, index: Any) -> NDArray[Any]:
        if not self._coarray.is_atomic:
            raise CoarrayError(
                f"Atomic operations are for coarrays of int32 and int64, not of {self.dtype}."
            )
        places = index if isinstance(index, tuple) else (index,)
        element = self._elements[(*places, ...)]
        if element.ndim > 0 or element.base is None:
            raise CoarrayError(
                f"The index {index} chooses {element.size} elements of the coarray; expected the "
                "index of one."
            )
        return element

    def _number(self, value: int) -> int:
        """Return a value that an element can have; NumPy raises OverflowError for others."""
        return int(self.dtype.type(value))

    def __repr__(self) -> str:
        return f"<part of {self._coarray!r}>"


def shape_of(shape: int | Sequence[int]) -> tuple[int, ...]:
    """Return a shape as a tuple.

    Raises:
        CoarrayError: There is no such shape.
    """
    try:
        extents = (shape,) if isinstance(shape, int) else tuple(int(extent) for extent in shape)
    except TypeError:
        extents = (-1,)
    if any(extent < 0 for extent in extents):
        raise CoarrayError(f"'{shape}' is no shape; expected numbers that are not negative.")
    return extents


def dtype_of(dtype: DTypeLike) -> np.dtype[Any]:
    """Return NumPy's type of elements that can lie in shared memory.

    Raises:
        CoarrayError: They are Python's objects, or of no size.
    """
    found = np.dtype(dtype)
    if found.hasobject or found.itemsize == 0:
        raise CoarrayError(
            f"A coarray cannot have elements of '{found}'; expected numbers, or records of them."
        )
    return found


def _require_cast(values: ArrayLike, dtype: np.dtype[Any]) -> None:
    given = np.asarray(values).dtype
    if not np.can_cast(given, dtype, "same_kind"):
        raise TypeError(f"Values of {given} cannot be assigned to elements of {dtype}.")
