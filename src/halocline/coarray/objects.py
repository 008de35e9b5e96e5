"""Events and locks: what images wait for, at one image."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from halocline import _pgas
from halocline.coarray.array import shape_of
from halocline.coarray.shared import Shared
from halocline.errors import CoarrayError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType


class _Objects(Shared):
    """Objects of an array's shape on each image."""

    def __init__(self, name: str, shape: int | Sequence[int]) -> None:
        self.shape = shape_of(shape)
        size = math.prod(self.shape)
        super().__init__(f"{name} with shape {self.shape}", size * _pgas.object_bytes)
        self._places = np.arange(size).reshape(self.shape)

    def place(self, index: Any) -> int:
        """Return where an object lies among those of an image.

        Raises:
            CoarrayError: The index chooses no single one.
        """
        try:
            found = self._places[index]
        except IndexError:
            found = self._places
        if np.ndim(found) > 0:
            raise CoarrayError(
                f"The index {index} chooses none of the {self.name}; expected the index of one."
            )
        return int(found)


Of = TypeVar("Of", bound=_Objects)


class _One(Generic[Of]):
    """One object of an image, or those of which one is still to be chosen."""

    __slots__ = ("_image", "_index", "_owner")

    def __init__(self, owner: Of, image: int, index: Any = ()) -> None:
        self._owner = owner
        self._image = image
        self._index = index

    def __getitem__(self, index: Any) -> _One[Of]:
        """Return one of several."""
        return type(self)(self._owner, self._image, index)

    @property
    def _where(self) -> tuple[_pgas.Memory, int, int]:
        return self._owner.memory, self._image, self._owner.place(self._index)


class Event(_Objects):
    """Counters of each image that others raise and that it waits for. Made by all together.

    'event[2].post()' tells image 2, which waits for it by 'event.wait()'. Of an array of events one
    is 'event[2][i]', and 'event.wait(index=i)'.

    Args:
        shape: Of the events of each image.

    Raises:
        CoarrayError: There is no such shape, or images ask for different ones.

    Example:
        >>> arrived = hc.coarray.Event()
        >>> arrived[1].post()
        >>> arrived.wait()
    """

    def __init__(self, shape: int | Sequence[int] = ()) -> None:
        super().__init__("events", shape)

    def __getitem__(self, image: int) -> EventOfImage:
        """Return the event of an image of the current team, or its events."""
        return EventOfImage(self, image)

    def wait(self, until_count: int = 1, index: Any = ()) -> None:
        """Wait until this image's event has been posted so often, and count down by that.

        Args:
            until_count: How often, at least 1.
            index: Which one of an array of events.

        Raises:
            FailedImageError: An image has failed meanwhile, which might have posted it.
            StoppedImageError: All other images have ended.
        """
        _pgas.event_wait(self.memory, self.place(index), until_count)

    def query(self, index: Any = ()) -> int:
        """Return how often this image's event has been posted and not waited for."""
        return _pgas.event_query(self.memory, self.place(index))


class EventOfImage(_One[Event]):
    """An event of one image."""

    __slots__ = ()

    def __getitem__(self, index: Any) -> EventOfImage:
        """Return one of several."""
        return EventOfImage(self._owner, self._image, index)

    def post(self) -> None:
        """Tell that image; what this one has written before is what that one reads afterwards.

        Raises:
            CoarrayError: There is no such image, or event.
            FailedImageError: The image has failed.
        """
        _pgas.event_post(*self._where)


class Lock(_Objects):
    """A lock on each image, which one image at a time may hold. Made by all together.

    'with lock[1]:' holds the one of image 1. A failed image's lock passes on to the next.

    Args:
        shape: Of the locks of each image.

    Example:
        >>> lock = hc.coarray.Lock()
        >>> with lock[1]:
        ...     pass
    """

    def __init__(self, shape: int | Sequence[int] = ()) -> None:
        super().__init__("locks", shape)

    def __getitem__(self, image: int) -> LockOfImage:
        """Return the lock of an image of the current team, or its locks."""
        return LockOfImage(self, image)


class LockOfImage(_One[Lock]):
    """A lock of one image."""

    __slots__ = ()

    def __getitem__(self, index: Any) -> LockOfImage:
        """Return one of several."""
        return LockOfImage(self._owner, self._image, index)

    def acquire(self) -> None:
        """Wait until this image holds it.

        Raises:
            CoarrayError: This image holds it already.
            FailedImageError: The image whose lock it is has failed.
            StoppedImageError: An image that holds it has ended.
        """
        _pgas.lock(*self._where)

    def try_acquire(self) -> bool:
        """Take it if nobody holds it; return whether this image holds it now."""
        return _pgas.try_lock(*self._where)

    def release(self) -> None:
        """Give it back.

        Raises:
            CoarrayError: This image does not hold it.
        """
        _pgas.unlock(*self._where)

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()
