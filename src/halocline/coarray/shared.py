"""What all images of a team have together: its memory, and its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self
from weakref import WeakSet

from halocline import _pgas
from halocline.coarray.images import agree
from halocline.errors import CoarrayError

if TYPE_CHECKING:
    from types import TracebackType


class _Allocated:
    """What was allocated in a team: what is left of it, and how many that were, with those before.

    Args:
        count: How many were allocated when the team began.
    """

    def __init__(self, count: int) -> None:
        self.objects: WeakSet[Shared] = WeakSet()
        self.count = count

    def add(self, one: Shared) -> int:
        """Add one; return its number, which is the same on all images of the team."""
        self.objects.add(one)
        self.count += 1
        return self.count


# For each team, from the initial to the current one.
_of_teams = [_Allocated(0)]


class Shared:
    """Memory of as many bytes in each image of the current team. Made and freed by all together.

    Args:
        name: What it is, as messages say it.
        nbytes: How much of it each image has [bytes].
    """

    def __init__(self, name: str, nbytes: int) -> None:
        agree("allocation", name)
        self.name = name
        self._memory: _pgas.Memory | None = None
        self._number = _of_teams[-1].add(self)
        self._memory = _pgas.Memory(nbytes)

    @property
    def memory(self) -> _pgas.Memory:
        """The memory in all images.

        Raises:
            CoarrayError: It was freed.
        """
        if self._memory is None:
            raise _freed(self.name)
        return self._memory

    def free(self) -> None:
        """Give the memory back, once all images of the team have called this.

        Raises:
            CoarrayError: It was freed already, or images free different ones.
            FailedImageError: An image of the team has failed; it is freed for the others.
        """
        memory = self.memory
        agree("free", f"coarray {self._number}, {self.name}")
        self.end()
        memory.free()

    def end(self) -> None:
        """Let nobody use it any more."""
        self._memory = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # Where something has gone wrong, others may not come here.
        if kind is None and self._memory is not None:
            self.free()


def begin_team() -> None:
    """Note that another team is the current one."""
    _of_teams.append(_Allocated(_of_teams[-1].count))


def end_team() -> None:
    """End what was allocated in the current team."""
    for one in _of_teams.pop().objects:
        one.end()


def _freed(name: str) -> CoarrayError:
    return CoarrayError(
        f"The coarray ({name}) was freed.",
        hint="It can be used until 'free', the end of its 'with' block, or the end of its team.",
    )
