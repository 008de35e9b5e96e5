"""What is asked of anything that several processes do together: who they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from halocline.runtime.job import Job, Made


class OnRanks:
    """Done by the ranks of a job.

    Attributes:
        job: The ranks.
    """

    job: Job

    @property
    def rank(self) -> int:
        """The number of this process."""
        return self.job.rank

    @property
    def size(self) -> int:
        """The number of processes."""
        return self.job.size

    @property
    def communicator(self) -> Any:
        """The mpi4py communicator, or None for a single process."""
        return self.job.communicator

    def on_first(self, action: Callable[[], Made]) -> Made | None:
        """Return what an action returns on rank 0, None elsewhere; its errors are everybody's."""
        return self.job.on_first(action)
