"""What started this process, and how to start several ranks."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

from halocline.errors import MpiError

# Set in every rank by the launchers of MPICH and its relatives, Open MPI, PRRTE and Slurm.
_RANKS = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK")
_SIZES = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE")


def launched_rank() -> int | None:
    """Return the rank that an MPI launcher gave this process, None if it was started alone."""
    return next((int(os.environ[name]) for name in _RANKS if name in os.environ), None)


def launched_ranks() -> int | None:
    """Return how many ranks the launcher has started, when it says so."""
    return next((int(os.environ[name]) for name in _SIZES if name in os.environ), None)


def check_not_alone() -> None:
    """Refuse to be one of many ranks that do not know of each other.

    Raises:
        MpiError: The launcher belongs to another MPI than the one in use.
    """
    started = launched_ranks() or 1
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
            f"Several ranks were asked for, but there is no 'mpiexec' in '{beside.parent}' or on "
            "the path.",
            hint="Install MPI (pip install 'halocline[mpi]') or run on one rank.",
        )
    return [found]
