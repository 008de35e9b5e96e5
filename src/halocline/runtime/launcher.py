"""How to start several ranks, and whether that went well."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

from halocline.errors import MpiError
from halocline.launched import launched_ranks, started_together
from halocline.runtime.ending import mark_known

# Chooses the network layer of MPICH, among those that it was built with.
NETWORK_OF_MPICH = "MPIR_CVAR_CH4_NETMOD"
# Slurm refuses some of the long PMI requests that hold UCX's addresses, and MPICH then hangs.
SRUN_OF_MPICH = f"{NETWORK_OF_MPICH}=ofi srun --mpi=pmi2"


def check_not_alone() -> None:
    """Refuse to be one of many ranks that do not know of each other.

    Raises:
        MpiError: The launcher belongs to another MPI than the one in use, or to none.
    """
    tasks, variable = started_together()
    if tasks > 1:
        raise refused_by_all(
            f"{tasks} processes were started together ({variable}={tasks}), but MPI was not told: "
            "each would be a simulation of its own.",
            hint="Start ranks by the 'mpiexec' of the MPI that Halocline was built with, or by "
            f"'{SRUN_OF_MPICH}' (MPICH) or 'srun --mpi=pmix' (Open MPI). If each process is to run "
            f"alone, unset {variable}.",
        )
    started = launched_ranks() or 1
    if started > 1:
        raise refused_by_all(
            f"{started} ranks were started, but each finds itself alone: the launcher belongs to "
            "another MPI than the one Halocline was built with.",
            hint="Use the 'mpiexec' of that MPI; for the wheel's it is beside 'python'.",
        )


def refused_by_all(message: str, *, hint: str) -> MpiError:
    """Return the error of a wrong start, which each process has and the first one reports."""
    error = MpiError(message, hint=hint)
    mark_known(error, 0)
    return error


def find_launcher() -> list[str]:
    """Return the command that starts ranks of the MPI that Halocline was built with.

    It is named by HALOCLINE_MPIEXEC, or else the one beside 'python', or else on the path.

    Raises:
        MpiError: There is none.
    """
    if given := os.environ.get("HALOCLINE_MPIEXEC", "").strip():
        return _named_launcher(given)
    beside = Path(sys.executable).with_name("mpiexec")
    launcher = str(beside) if beside.exists() else shutil.which("mpiexec")
    if launcher is None:
        raise MpiError(
            f"Several ranks were asked for, but there is no 'mpiexec' in '{beside.parent}' or on "
            "the path.",
            hint='Install MPI (pip install "halocline[mpi]") or run on one rank.',
        )
    return [launcher]


def _named_launcher(text: str) -> list[str]:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise MpiError(
            f"The environment variable 'HALOCLINE_MPIEXEC' is '{text}', which is no command: "
            f"{error}.",
            hint="Write the launcher and its options, as in a shell.",
        ) from None
    if not words or shutil.which(words[0]) is None:
        raise MpiError(
            f"The environment variable 'HALOCLINE_MPIEXEC' is '{text}', but there is no program "
            f"'{''.join(words[:1])}'.",
            hint="Name the launcher of the MPI that Halocline was built with, or unset the "
            "variable.",
        )
    return words
