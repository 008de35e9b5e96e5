"""Start the same command again on several ranks, and end all of them together."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from threading import Thread
from typing import IO, TYPE_CHECKING

from halocline.errors import HaloclineError, OutputError
from halocline.frozen import Frozen
from halocline.launched import launched_rank
from halocline.runtime.ending import end_job, is_reported_elsewhere

if TYPE_CHECKING:
    from collections.abc import Sequence

EXIT_MISTAKE = 2
# How MPICH's launcher names the node of a rank that has died.
_NODE_OF_RANK = re.compile(rb"RUNNING AT (\S+)")
# How long the last lines of a launcher may take after its end [s].
_LAST_LINES_S = 2.0
_PIECE_BYTES = 65536
# Ranks start no ranks, even if a case file asks for that.
_OF_RANKS = ("--relaunch", "0", "--hosts=")


class JobEnd(Frozen):
    """How a job has ended.

    Attributes:
        code: The exit code of the launcher.
        node: The node of a rank that has died, if the launcher has named it; else ''.
        is_interrupted: Whether the user has pressed Ctrl-C.
    """

    code: int
    node: str = ""
    is_interrupted: bool = False

    @property
    def is_death(self) -> bool:
        """Whether ranks have died, instead of ending well or by a mistake of the user's."""
        return self.code not in (0, EXIT_MISTAKE)

    def describe(self, ranks: int) -> str:
        """Return a clause that says how the job of some ranks has died."""
        where = f" on {self.node}" if self.node else ""
        return f"The job of {ranks} ranks has died{where} (exit code {self.code})"


def run_on_ranks(launcher: Sequence[str], ranks: int, arguments: Sequence[str]) -> int:
    """Run 'halocline' with the same arguments on ranks.

    Args:
        launcher: See 'run_job'.
        ranks: How many.
        arguments: Of 'halocline'.

    Returns:
        The exit code of the job.
    """
    end = run_job(launcher, ranks, arguments)
    if end.is_death:
        # A rank that dies silently ends the job, but not every launcher says so.
        print(f"error: {end.describe(ranks)}.", file=sys.stderr)
    return end.code


def run_job(launcher: Sequence[str], ranks: int, arguments: Sequence[str]) -> JobEnd:
    """Run 'halocline run' on ranks, and pass on what it prints.

    Args:
        launcher: The words that start ranks, but for their number.
        ranks: How many.
        arguments: Of 'halocline'.
    """
    words = [sys.executable, "-m", "halocline.cli", *arguments, *_OF_RANKS]
    job = subprocess.Popen([*launcher, "-n", str(ranks), *words], stdout=subprocess.PIPE)
    assert job.stdout is not None
    nodes: list[bytes] = []
    # A process that has outlived the launcher may hold its output open: so nobody waits for an end.
    lines = Thread(target=_pass_on, args=(job.stdout, nodes), daemon=True)
    lines.start()
    is_interrupted = _wait(job)
    lines.join(_LAST_LINES_S)
    return JobEnd(job.returncode, nodes[0].decode() if nodes else "", is_interrupted)


def _pass_on(output: IO[bytes], nodes: list[bytes]) -> None:
    """Print what a launcher prints, and collect the nodes of ranks that have died."""
    last = b""
    while piece := os.read(output.fileno(), _PIECE_BYTES):
        sys.stdout.buffer.write(piece)
        sys.stdout.flush()
        lines, _, last = (last + piece).rpartition(b"\n")
        nodes += _NODE_OF_RANK.findall(lines)


def _wait(job: subprocess.Popen[bytes]) -> bool:
    """Wait for a job to end, and return whether the user has interrupted it."""
    is_interrupted = False
    while True:
        try:
            job.wait()
        except KeyboardInterrupt:
            # The launcher has got the signal too, passes it on and ends by itself.
            is_interrupted = True
        else:
            return is_interrupted


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
