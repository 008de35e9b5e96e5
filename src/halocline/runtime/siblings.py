"""The other ranks that a launcher has started on this node, seen from outside of MPI.

A rank that ends before MPI is up leaves the others waiting in 'MPI_Init' for ever, and MPICH's
launcher does not end them. So they look whether the launcher still has all of its processes.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

from halocline.frozen import Frozen
from halocline.launched import rank_on_node, ranks_on_node

if TYPE_CHECKING:
    from collections.abc import Iterator

# The process of MPICH's launcher whose children are the ranks of a node, or started them.
_LAUNCHER = "hydra_pmi_proxy"
_PROC = Path("/proc")
# How often ranks look [s], and how long each lets those before it speak first.
_INTERVAL_S = 0.5
_TURN_S = 0.3


class Siblings(Frozen):
    """The ranks of this node, this one included.

    Attributes:
        launcher: The process that started them.
        count: How many it has started.
    """

    launcher: int
    count: int

    def ended(self) -> int:
        """Return how many of them have ended."""
        processes = (_about(int(path.name)) for path in _PROC.iterdir() if path.name.isdecimal())
        alive = sum(parent == self.launcher and state not in "ZX" for _, state, parent in processes)
        return max(0, self.count - alive)


def siblings() -> Siblings | None:
    """Return the ranks of this node, None where no launcher of MPICH has started this process."""
    count, process = ranks_on_node(), os.getpid()
    while count is not None and process > 1:
        name, _, parent = _about(process)
        if name == _LAUNCHER:
            return Siblings(process, count)
        process = parent
    return None


def _about(process: int) -> tuple[str, str, int]:
    """Return a process's name, its state and its parent; nothing of one that has gone."""
    try:
        text = (_PROC / str(process) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "", "X", 0
    name, _, rest = text.partition("(")[2].rpartition(")")
    state, parent = rest.split()[:2]
    return name, state, int(parent)


@contextmanager
def watching_siblings() -> Iterator[None]:
    """End this process if a rank of this node ends within this, where all wait for each other.

    The block must let other threads of Python run.
    """
    group = siblings()
    if group is None:
        yield
        return
    is_over = Event()
    thread = Thread(target=_watch, args=(group, is_over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def _watch(group: Siblings, is_over: Event) -> None:
    while not is_over.wait(_INTERVAL_S):
        with suppress(OSError):
            ended = group.ended()
            if ended and not is_over.wait(_TURN_S * (rank_on_node() or 0)):
                if group.ended() == ended:
                    _report(group, ended)
                os._exit(1)


def _report(group: Siblings, ended: int) -> None:
    have = "has" if ended == 1 else "have"
    print(
        f"error: {ended} of the {group.count} ranks on this node {have} ended before MPI was up; "
        "the others would wait for ever. Look at what they printed: often it is a module that "
        "could not be imported.",
        file=sys.stderr,
        flush=True,
    )
