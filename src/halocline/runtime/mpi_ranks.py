"""The ranks of an MPI communicator."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halocline.errors import MpiError
from halocline.native import CORES
from halocline.runtime.collective import Collective, collective_of
from halocline.runtime.launcher import check_not_alone
from halocline.runtime.lost_nodes import watch_next_node
from halocline.runtime.mpi_start import load_mpi, start_mpi
from halocline.runtime.ranks import Ranks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.runtime._core import Transport


class MpiRanks(Ranks):
    """The ranks of a communicator.

    Args:
        communicator: mpi4py's; None for all ranks of the launcher.

    Raises:
        MpiError: MPI cannot be used, or the communicator is none.
    """

    def __init__(self, communicator: Any = None) -> None:
        self.communicator = _checked(communicator)

    @property
    def collective(self) -> Collective:
        """Return where they meet; collective, the first time."""
        return collective_of(self.communicator)

    def machines(self) -> tuple[list[int], int]:
        """Return for each rank the first rank on the same machine, and who shares its cores."""
        meetings = self.collective
        if meetings.machines is None:
            meetings.machines = _machines(meetings.communicator)
        return meetings.machines

    def transport(
        self, nodes: Sequence[int], latency_s: float, seconds_per_byte: float
    ) -> Transport:
        """Return what moves messages in the time loop; collective."""
        handle = self.communicator.py2f()
        made: Transport = load_mpi().transport(handle, list(nodes), latency_s, seconds_per_byte)
        return made


def _machines(communicator: Any) -> tuple[list[int], int]:
    from mpi4py import MPI

    _forget_names_of_memory()
    machine = communicator.Split_type(MPI.COMM_TYPE_SHARED)
    first = machine.bcast(communicator.rank)
    sharers = sum(not CORES.isdisjoint(cores) for cores in machine.allgather(CORES))
    machine.Free()
    machines = communicator.allgather(first)
    watch_next_node(communicator, machines)
    return machines, sharers


@cache
def _forget_names_of_memory() -> None:
    """Remove the name of the memory that MPICH shares inside a node, which all ranks have by now.

    The system takes it back with the last of them, however that ends. MPICH itself removes the name
    where a job ends in good order; of each that does not, 2 MB would stay.
    """
    with suppress(OSError):
        maps = Path("/proc/self/maps").read_text(encoding="utf-8")
        for name in {line.split(maxsplit=5)[-1] for line in maps.splitlines()}:
            if name.startswith("/dev/shm/mpich_shm_"):
                Path(name).unlink(missing_ok=True)


def _checked(communicator: Any) -> Any:
    try:
        start_mpi()
    except ImportError as error:
        raise MpiError(
            f"This process was started by an MPI launcher, but MPI cannot be used: {error}.",
            hint='Install the MPI that Halocline was built with (pip install "halocline[mpi]"), or '
            "install Halocline again with MPICXX naming the compiler of another.",
        ) from error
    from mpi4py import MPI

    if MPI.COMM_WORLD.size == 1:
        check_not_alone()
    if communicator is None:
        communicator = MPI.COMM_WORLD
    if not isinstance(communicator, MPI.Intracomm) or communicator == MPI.COMM_NULL:
        raise MpiError(
            f"The simulation was given communicator={communicator!r}; expected one of mpi4py's "
            "that this process belongs to.",
            hint="Ranks that are not part of it make no simulation.",
        )
    return communicator
