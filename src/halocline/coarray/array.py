"""Coarrays: arrays of which every image has a part that all images read and write."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline import _pgas
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

    Example:
        >>> row = hc.coarray.allocate((2, 8))
        >>> row[1][0] = 5.0
        >>> print(row.here[0, 0])
        5.0
    """
    return Coarray(shape_of(shape), dtype_of(dtype))


class Coarray(Shared):
    """An array with a part on each image: 'a[2]' is image 2's, 'a.here' is this image's own.

    Args:
        shape: Of the part of each image.
        dtype: Of its elements.

    Example:
        >>> row = hc.coarray.allocate(8)
        >>> row.here.shape
        (8,)
    """

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        super().__init__(f"{dtype} with shape {shape}", math.prod(shape) * dtype.itemsize)
        self.shape = shape
        self.dtype = dtype
        # Whether atomic operations can be done on its elements.
        self.is_atomic = dtype in (np.int32, np.int64)
        self._parts: dict[int, Part] = {}
        self._here: NDArray[Any] | None = self.array(_pgas.accessible(_pgas.this_image()))

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
            kind = Part if _pgas.is_near(place) else FarPart
            part = self._parts[place] = kind(self, place)
        return part

    def end(self) -> None:
        """Let nobody use it any more."""
        super().end()
        self._here = None
        for part in self._parts.values():
            part.end()
        self._parts.clear()

    def array(self, place: int) -> NDArray[Any]:
        """Return the part of an image of this node, which is counted from 0 among all images."""
        return np.ndarray(self.shape, self.dtype, self.memory.of(place))

    def __repr__(self) -> str:
        return f"<coarray of {self.name}>"


class Part:
    """The part of one image: what is read of it is a copy, what is assigned goes there.

    Args:
        coarray: What it is a part of.
        place: Whose part, counted from 0 among all images.

    Example:
        >>> row = hc.coarray.allocate(8)
        >>> row[1][2:4] = 1.0
        >>> row[1][2:4]
        array([1., 1.])
    """

    __slots__ = ("_array", "_coarray", "_place")

    def __init__(self, coarray: Coarray, place: int) -> None:
        self._coarray = coarray
        self._place = place
        self._array: NDArray[Any] | None = self._found()

    def _found(self) -> NDArray[Any]:
        """Return the elements where they are."""
        return self._coarray.array(self._place)

    def end(self) -> None:
        """Let nobody use it any more."""
        self._array = None

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
        is_plain = array.dtype.names is None
        _require_cast(values, array.dtype if is_plain else array[index].dtype)
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
        return _pgas.atomic_read(self._place, self._element(index))

    def atomic_write(self, index: Any, value: int) -> None:
        """Set an element."""
        _pgas.atomic_write(self._place, self._element(index), self._number(value))

    def atomic_add(self, index: Any, value: int) -> int:
        """Add to an element, which wraps around; return what it was."""
        return _pgas.atomic_add(self._place, self._element(index), self._number(value))

    def atomic_and(self, index: Any, value: int) -> int:
        """Replace an element by its bitwise 'and' with a value; return what it was."""
        return _pgas.atomic_and(self._place, self._element(index), self._number(value))

    def atomic_or(self, index: Any, value: int) -> int:
        """Replace an element by its bitwise 'or' with a value; return what it was."""
        return _pgas.atomic_or(self._place, self._element(index), self._number(value))

    def atomic_xor(self, index: Any, value: int) -> int:
        """Replace an element by its bitwise 'exclusive or' with a value; return what it was."""
        return _pgas.atomic_xor(self._place, self._element(index), self._number(value))

    def atomic_cas(self, index: Any, compare: int, new: int) -> int:
        """Replace an element if it is equal to 'compare'; return what it was."""
        element = self._element(index)
        return _pgas.atomic_cas(self._place, element, self._number(compare), self._number(new))

    @property
    def _elements(self) -> NDArray[Any]:
        if self._array is None:
            _ = self._coarray.memory
        assert self._array is not None
        return self._array

    def _element(self, index: Any) -> NDArray[Any]:
        """Return the element of this image's part that lies where one of that part does."""
        if not self._coarray.is_atomic:
            raise CoarrayError(
                f"Atomic operations are for coarrays of int32 and int64, not of {self.dtype}."
            )
        places = index if isinstance(index, tuple) else (index,)
        element = self._coarray.here[(*places, ...)]
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


class FarPart(Part):
    """The part of an image on another node. This image's own part shows where elements lie."""

    __slots__ = ()

    def _found(self) -> NDArray[Any]:
        return self._coarray.here

    def __getitem__(self, index: Any) -> Any:
        """Return a copy of elements, as NumPy's indexing chooses them."""
        values = self._get(index)
        return values if isinstance(self._elements[index], np.ndarray) else values[()]

    def __setitem__(self, index: Any, values: ArrayLike) -> None:
        """Assign to elements, as 'Part' does."""
        like = self._like(index)
        _require_cast(values, like.dtype)
        # What lies between the fields of records stays as it is.
        packed = np.empty(like.shape, like.dtype) if like.dtype.names is None else self._get(index)
        packed[...] = values
        if self._is_view(like):
            self._view(like).put(self._place, _bytes(packed))
        else:
            # Of several values for one element the last is assigned.
            offsets, last = np.unique(self._offsets(index)[::-1], return_index=True)
            packed = np.ravel(packed)[::-1][last]
            self._scattered(offsets).put(self._place, _bytes(packed))

    def __array__(
        self,
        dtype: DTypeLike | None = None,
        copy: bool | None = None,  # noqa: FBT001 (NumPy's protocol)
    ) -> NDArray[Any]:
        """Return a copy of the whole part."""
        if copy is False:
            raise ValueError("The part of another image is always copied.")
        values = self._get(())
        return values if dtype is None else values.astype(dtype, copy=False)

    def _get(self, index: Any) -> NDArray[Any]:
        like = self._like(index)
        values = np.empty(like.shape, like.dtype)
        is_view = self._is_view(like)
        chosen = self._view(like) if is_view else self._scattered(self._offsets(index))
        chosen.get(self._place, _bytes(values))
        return values

    def _like(self, index: Any) -> NDArray[Any]:
        """Return what the index chooses of this image's part, as an array."""
        here = self._elements
        found = here[index]
        if not isinstance(found, np.ndarray):
            found = here[(*(index if isinstance(index, tuple) else (index,)), ...)]
        like: NDArray[Any] = found
        return like

    def _is_view(self, like: NDArray[Any]) -> bool:
        """Return whether elements lie in a regular order; NumPy has copied them if not."""
        return like.size == 0 or np.may_share_memory(like, self._elements)

    @staticmethod
    def _view(like: NDArray[Any]) -> _pgas.Chosen:
        return _pgas.Chosen(_address(like), like.shape, like.strides, like.itemsize)

    def _offsets(self, index: Any) -> NDArray[np.int64]:
        """Return where elements lie behind the first one of the part [bytes]."""
        here = self._elements
        return np.ravel(np.arange(here.size).reshape(here.shape)[index]) * here.itemsize

    def _scattered(self, offsets: NDArray[np.int64]) -> _pgas.Chosen:
        here = self._elements
        return _pgas.Chosen(_address(here), offsets.tolist(), here.itemsize)


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


def _address(array: NDArray[Any]) -> int:
    return int(array.__array_interface__["data"][0])


def _bytes(array: NDArray[Any]) -> NDArray[np.uint8]:
    """Return an array without gaps as bytes, no copy."""
    return np.ndarray(array.nbytes, np.uint8, array)


def _require_cast(values: ArrayLike, dtype: np.dtype[Any]) -> None:
    kinds = _KINDS_FOR.get(type(values))
    if kinds is not None and dtype.kind in kinds:
        return
    given = np.asarray(values).dtype
    if not np.can_cast(given, dtype, "same_kind"):
        raise TypeError(f"Values of {given} cannot be assigned to elements of {dtype}.")
