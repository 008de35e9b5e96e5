"""Images and their coarrays, in C++. Images are numbered from 1 in the current team.

Whatever cannot be done raises CoarrayError, FailedImageError or StoppedImageError.
"""

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, NoReturn, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

_Bytes: TypeAlias = NDArray[np.uint8]

def join() -> None:
    """Become the image that the launcher or MPI says, or the only one."""

def stop() -> None:
    """Tell the others that this image ends in good order."""

def fail_image() -> NoReturn: ...
def end_all(exit_code: int, /) -> None:
    """Let all images end. If it returns this one is to end, too."""

class State(Enum):
    """What has become of an image."""

    absent = ...
    running = ...
    stopped = ...
    failed = ...

def this_image() -> int: ...
def num_images() -> int: ...
def state_of(image: int, /) -> State: ...
def images_in(state: State, /) -> list[int]: ...
def sync_all() -> None: ...
def sync_memory() -> None: ...
def sync_images(images: Sequence[int], /) -> None: ...

class Team:
    """Images that work together."""

    @property
    def number(self) -> int: ...

def form_team(number: int, /) -> Team: ...
def change_team(team: Team, /) -> None: ...
def end_team() -> None: ...
def leave_team() -> None:
    """End the current team without waiting for anybody."""

def team_number() -> int: ...

class Chosen:
    """Elements of this image's part of a coarray, which stand for those of another image's part.

    They lie from an address on, with so many bytes from one to the next on each axis; or so many
    bytes behind it. Images are counted from 0 in the initial team.
    """

    @overload
    def __init__(
        self,
        first: int,
        shape: Sequence[int],
        strides: Sequence[int],
        bytes: int,
    ) -> None: ...
    @overload
    def __init__(self, first: int, offsets: Sequence[int], bytes: int) -> None: ...
    def get(self, image: int, values: _Bytes) -> None: ...
    def put(self, image: int, values: _Bytes) -> None: ...

class Memory:
    """Memory of a coarray: as much in every image. Made and freed by all images together."""

    def __init__(self, bytes: int) -> None: ...  # noqa: A002 (a unit)
    def free(self) -> None: ...
    def of(self, image: int, /) -> _Bytes:
        """Return what an image of this node has there, counted from 0 in the initial team."""

object_bytes: int

def accessible(image: int, /) -> int:
    """Return an image that has not failed as it is counted from 0 in the initial team."""

def is_near(image: int, /) -> bool:
    """Return whether an image, from 0 in the initial team, is on this node."""

def event_post(memory: Memory, image: int, i: int, /) -> None: ...
def event_wait(memory: Memory, i: int, until_count: int, /) -> None: ...
def event_query(memory: Memory, i: int, /) -> int: ...
def lock(memory: Memory, image: int, i: int, /) -> None: ...
def try_lock(memory: Memory, image: int, i: int, /) -> bool: ...
def unlock(memory: Memory, image: int, i: int, /) -> None: ...
def atomic_add(image: int, element: NDArray[Any], value: int) -> int:
    """Add to the element of an image, from 0 in the initial team, where this image has this one."""

def atomic_and(image: int, element: NDArray[Any], value: int) -> int: ...
def atomic_or(image: int, element: NDArray[Any], value: int) -> int: ...
def atomic_xor(image: int, element: NDArray[Any], value: int) -> int: ...
def atomic_cas(image: int, element: NDArray[Any], compare: int, value: int) -> int: ...
def atomic_read(image: int, element: NDArray[Any]) -> int: ...
def atomic_write(image: int, element: NDArray[Any], value: int) -> None: ...
def everywhere(text: str) -> list[str]:
    """Return what every image of the team says here; nothing of those that do not run."""

def co_sum(array: _Bytes, kind: str, bytes: int, result_image: int) -> None:  # noqa: A002
    """Add arrays of all images, given as bytes, of numbers of a kind ('i', 'u', 'f', 'c') and size.

    Image 0 stands for all of them.
    """

def co_min(array: _Bytes, kind: str, bytes: int, result_image: int) -> None: ...  # noqa: A002
def co_max(array: _Bytes, kind: str, bytes: int, result_image: int) -> None: ...  # noqa: A002
def co_reduce(
    array: _Bytes,
    bytes: int,  # noqa: A002
    function: Callable[[_Bytes, _Bytes], None],
    result_image: int,
) -> None:
    """Combine elements by a function that changes its first argument."""

def co_broadcast(array: _Bytes, source_image: int) -> None: ...
