"""Start processes that have the slow imports done already.

A server imports what scripts need and forks a process for each script. The process that the test
or the MPI launcher starts is a client (warm_client.py): a bare interpreter that passes its files,
environment and folder to the fork, waits for it and ends as the fork does. So every script has a
process of its own, and every rank of a job too, but does not spend a second on imports.
"""

from __future__ import annotations

import atexit
import os
import socket
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
# Strings hash differently in each server. Ranks that depend on the order of a set then disagree.
SERVERS = 2
# Threads that wait leave the processor to other ranks; pictures need no screen.
QUIETLY = {"OMP_WAIT_POLICY": "passive", "MPLBACKEND": "Agg"}
# Servers write here the processor seconds of each fork that has ended.
_spent = tempfile.TemporaryFile("ab+")  # noqa: SIM115 (open as long as the servers are)


@cache
def warm_python() -> list[str]:
    """Return the words that start a script as 'python' does."""
    names = [_serve() for _ in range(SERVERS)]
    return [sys.executable, "-IS", str(FOLDER / "warm_client.py"), ",".join(names)]


class Spent:
    """Adds up the processor seconds of all forks that have ended."""

    def __init__(self) -> None:
        self._read, self._seconds = 0, 0.0

    def seconds(self) -> float:
        """Return the sum."""
        new = os.pread(_spent.fileno(), 1 << 20, self._read)
        self._read += len(new)
        self._seconds += sum(map(float, new.split()))
        return self._seconds


def _serve() -> str:
    """Start a server that lives as long as this process, and return the name of its socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        # Linux chooses a name outside of the file system.
        listener.bind("")
        listener.listen(64)
        server = subprocess.Popen(
            [
                sys.executable,
                FOLDER / "warm_server.py",
                str(listener.fileno()),
                str(_spent.fileno()),
            ],
            # The server ends when this is closed.
            stdin=subprocess.PIPE,
            # No terminal: scripts buffer what they print as for a pipe.
            stdout=subprocess.DEVNULL,
            pass_fds=[listener.fileno(), _spent.fileno()],
            env={**os.environ, **QUIETLY},
            # Ctrl-C ends the clients, and with them the forks.
            start_new_session=True,
        )
        atexit.register(server.communicate)
        return listener.getsockname()[1:].decode()
