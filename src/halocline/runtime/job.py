"""Job: this process among the ranks it was started with; MPI is touched only under a launcher."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halocline.errors import HaloclineError, MpiError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from halocline.runtime._core import Transport

# Set by the launchers of MPICH and its relatives, Open MPI, PRRTE and Slurm in every rank.
_LAUNCHED = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_ID")
_SIZES = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE")

# How long other ranks wait for rank 0 to report an error that all of them found.
_PATIENCE_S = 2.0


@dataclass(frozen=True, slots=True)
class Job:
    """The ranks of a run.

    Attributes:
        rank: This process.
        size: How many there are.
        communicator: mpi4py's communicator, None for a single process.
        transport: What moves messages in the time loop, None for a single process.
        ranks_on_node: How many ranks share this machine.
    """

    rank: int
    size: int
    communicator: Any
    transport: Transport | None
    ranks_on_node: int

    def on_first(self, function: Callable[[], Any]) -> Any:
        """Call a function on rank 0 and return its result, or raise its error, on all ranks."""
        if self.communicator is None:
            return function()
        result = error = None
        if self.rank == 0:
            try:
                result = function()
            except HaloclineError as raised:
                error = raised
        result, error = self.communicator.bcast((result, error), root=0)
        if error is not None:
            raise error
        return result

    def gather(self, value: Any) -> list[Any] | None:
        """Return the values of all ranks on rank 0, None elsewhere."""
        if self.communicator is None:
            return [value]
        found: list[Any] | None = self.communicator.gather(value, root=0)
        return found


def join(communicator: Any = None) -> Job:
    """Return the job that this process belongs to.

    Args:
        communicator: An mpi4py communicator; None for all ranks of the launcher, or a single
            process if there was none.

    Raises:
        MpiError: A launcher started us but the package was built without MPI, or with another.
    """
    is_initialised = "mpi4py.MPI" in sys.modules
    if communicator is None and not is_initialised and not any(v in os.environ for v in _LAUNCHED):
        return Job(0, 1, None, None, 1)
    two_sided, communicator = _load_mpi(communicator)
    if communicator.size == 1:
        _check_launcher()
        return Job(0, 1, None, None, 1)
    from mpi4py import MPI

    node = communicator.Split_type(MPI.COMM_TYPE_SHARED)
    ranks_on_node = node.size
    node.Free()
    job = Job(
        communicator.rank,
        communicator.size,
        communicator,
        two_sided(communicator.py2f()),
        ranks_on_node,
    )
    sys.excepthook = _abort_on_error(job)
    return job


def _check_launcher() -> None:
    """Refuse to be one of many ranks that do not know of each other."""
    started = max(int(os.environ.get(name, "1")) for name in _SIZES)
    if started > 1:
        raise MpiError(
            f"{started} ranks were started, but each finds itself alone: the launcher belongs to "
            "another MPI than the one Halocline was built with.",
            hint="Use the 'mpiexec' of that MPI; for the wheel's it is beside 'python'.",
        )


def find_launcher() -> list[str]:
    """Return the command that starts ranks of the MPI that Halocline was built with.

    It is named by HALOCLINE_MPIEXEC, or else the one beside 'python', or else on the path.

    Raises:
        MpiError: There is none.
    """
    if given := os.environ.get("HALOCLINE_MPIEXEC"):
        return shlex.split(given)
    beside = Path(sys.executable).with_name("mpiexec")
    found = str(beside) if beside.exists() else shutil.which("mpiexec")
    if found is None:
        raise MpiError(
            "Several ranks were asked for, but there is no 'mpiexec'.",
            hint="Install MPI (pip install mpich) or run on one rank.",
        )
    return [found]


def _load_mpi(communicator: Any) -> tuple[Callable[[int], Transport], Any]:
    try:
        from mpi4py import MPI

        from halocline.runtime import _mpi
    except ImportError as error:
        raise MpiError(
            f"This process was started by an MPI launcher, but MPI cannot be used: {error}.",
            hint="Install MPI (pip install mpich, or the system's own with MPICXX set) and install "
            "Halocline again.",
        ) from error
    ours, theirs = _mpi.library_version(), MPI.Get_library_version().strip()
    if ours.strip() != theirs:
        raise MpiError(
            f"Halocline was built with '{_first_line(ours)}' but mpi4py uses "
            f"'{_first_line(theirs)}'; expected one and the same library.",
            hint="Install mpi4py from source with MPICC set to the MPI that Halocline was built "
            "with.",
        )
    return _mpi.two_sided, communicator or MPI.COMM_WORLD


def _first_line(text: str) -> str:
    return " ".join(text.split("\n", maxsplit=1)[0].split())


def _abort_on_error(job: Job) -> Callable[..., None]:
    """Return what to do with an error that nobody catches: say it once, then end all ranks.

    Without that the other ranks would wait for this one for ever.
    """

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        is_shared = isinstance(error, HaloclineError)
        if is_shared and job.rank > 0:
            # All ranks find the same mistake; rank 0 says it and ends the job meanwhile.
            time.sleep(_PATIENCE_S)
        where = "" if is_shared else f" on rank {job.rank} of {job.size}"
        sys.stdout.flush()
        if not is_shared:
            traceback.print_exception(kind, error, trace, file=sys.stderr)
        print(f"halocline: error{where}: {error}", file=sys.stderr, flush=True)
        job.communicator.Abort(1)

    return hook
