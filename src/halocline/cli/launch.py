"""Start the same command again on several ranks, and end all of them together."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from halocline.errors import HaloclineError, MpiError, OutputError

# What launchers tell each rank: how many there are, and which it is.
_SIZES = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS")
_RANKS = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID")

# How long other ranks let rank 0 report an error that all of them have found.
_PATIENCE_S = 2.0

EXIT_MISTAKE = 2


def is_launched() -> bool:
    """Return whether an MPI launcher has started this process."""
    return any(name in os.environ for name in ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"))


def launched_ranks() -> int | None:
    """Return how many ranks the launcher has started, when it says so."""
    return next((int(os.environ[name]) for name in _SIZES if name in os.environ), None)


def find_mpiexec() -> str:
    """Return the launcher that belongs to this Python, or the one on the path.

    Raises:
        MpiError: There is none.
    """
    beside = Path(sys.executable).parent / "mpiexec"
    found = str(beside) if beside.exists() else shutil.which("mpiexec")
    if found is None:
        raise MpiError(
            f"Several ranks were asked for, but there is no 'mpiexec' in '{beside.parent}' or on "
            "the path.",
            hint="Install MPI (pip install 'halocline[mpi]') or run on one rank.",
        )
    return found


def run_on_ranks(ranks: int, arguments: Sequence[str]) -> int:
    """Run 'halocline' with the same arguments on several ranks.

    Returns:
        The exit code of the job.

    Raises:
        MpiError: There is no launcher.
    """
    command = [find_mpiexec(), "-n", str(ranks), sys.executable, "-m", "halocline.cli", *arguments]
    job = subprocess.Popen(command)
    while True:
        try:
            return job.wait()
        except KeyboardInterrupt:
            # The launcher has got the signal too, passes it on and ends by itself.
            continue


def end_with(error: HaloclineError) -> int:
    """Report a mistake once and end all ranks of the job.

    Returns:
        The exit code, for a process that is not part of a job.
    """
    rank = next((int(os.environ[name]) for name in _RANKS if name in os.environ), 0)
    # Rank 0 writes, and what fails there is raised on all ranks, which then end by themselves.
    is_shared = isinstance(error, OutputError)
    if is_shared and rank > 0:
        return EXIT_MISTAKE
    if is_launched() and rank > 0:
        # Most mistakes are found by all ranks; rank 0 says it and ends the job meanwhile.
        time.sleep(_PATIENCE_S)
    sys.stdout.flush()
    print(f"error: {error}", file=sys.stderr, flush=True)
    if is_launched() and not is_shared and "mpi4py.MPI" in sys.modules:
        from mpi4py import MPI

        MPI.COMM_WORLD.Abort(EXIT_MISTAKE)
    return EXIT_MISTAKE
