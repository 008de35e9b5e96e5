"""Ranks: what a job needs of those that share its work, MPI processes or threads of one process."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.runtime._core import Transport
    from halocline.runtime.collective import Collective


class Ranks(ABC):
    """Ranks that can make a job.

    Attributes:
        communicator: mpi4py's, or one with the methods of it that are called here.
    """

    communicator: Any

    @property
    @abstractmethod
    def collective(self) -> Collective:
        """Return where they meet; collective, the first time."""

    @abstractmethod
    def machines(self) -> tuple[list[int], int]:
        """Return for each rank the first rank on the same machine, and who shares its cores."""

    @abstractmethod
    def transport(
        self, nodes: Sequence[int], latency_s: float, seconds_per_byte: float
    ) -> Transport:
        """Return what moves messages in the time loop; collective.

        Args:
            nodes: The node of each rank.
            latency_s: Of an emulated link between nodes [s].
            seconds_per_byte: The same [s]; no link is emulated if both are 0.
        """
