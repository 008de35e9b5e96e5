"""Start the same command again on several ranks, and end all of them together."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from halocline.errors import HaloclineError, OutputError
from halocline.launched import launched_rank
from halocline.runtime.ending import end_job, is_reported_elsewhere
from halocline.runtime.launcher import find_launcher

if TYPE_CHECKING:
    from collections.abc import Sequence

EXIT_MISTAKE = 2


def run_on_ranks(ranks: int, arguments: Sequence[str]) -> int:
    """Run 'halocline' with the same arguments on several ranks.

    Returns:
        The exit code of the job.

    Raises:
        MpiError: There is no launcher.
    """
    command = [
        *find_launcher(),
        "-n",
        str(ranks),
        sys.executable,
        "-m",
        "halocline.cli",
        *arguments,
    ]
    job = subprocess.Popen(command)
    code = _wait(job)
    if code not in (0, EXIT_MISTAKE):
        # A rank that dies silently ends the job, but not every launcher says so.
        print(f"error: The job of {ranks} ranks has died (exit code {code}).", file=sys.stderr)
    return code


def _wait(job: subprocess.Popen[bytes]) -> int:
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
    if is_reported_elsewhere(error):
        return EXIT_MISTAKE
    rank = launched_rank()
    # Rank 0 writes, and what fails there is raised on all ranks, which then end by themselves.
    is_shared = isinstance(error, OutputError)
    if is_shared and rank:
        return EXIT_MISTAKE
    end_job(error, rank or 0)
    if rank is not None and not is_shared and "mpi4py.MPI" in sys.modules:
        from mpi4py import MPI

        MPI.COMM_WORLD.Abort(EXIT_MISTAKE)
    return EXIT_MISTAKE
