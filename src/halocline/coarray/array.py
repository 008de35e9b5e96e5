"""Coarrays: arrays of which every image has a part that all images read and write."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.coarray import _pgas
from halocline.coarray.part import FarPart, Part
from halocline.coarray.shared import Shared
from halocline.errors import CoarrayError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike, NDArray


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
