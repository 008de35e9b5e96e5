"""Held files: one that grows is written by one process of a machine.

Two that write the same file, such as two processes that were started as two runs instead of one,
would leave one that nobody can read.
"""

from __future__ import annotations

import errno
import hashlib
import os
import socket
import struct
import weakref
from collections import Counter
from typing import TYPE_CHECKING

from halocline.errors import OutputError

if TYPE_CHECKING:
    from pathlib import Path

# The process, user and group at the other end of a local socket.
_PEER = struct.Struct("3i")
# What this process holds, and for how many writers.
_sockets: dict[str, socket.socket] = {}
_writers: Counter[str] = Counter()


def hold(path: Path, writer: object) -> None:
    """Let no other process of this machine hold a file until 'writer' is no more.

    The system gives it back when this process ends, however it does: what is held is a name of a
    local socket, which follows from where the file is, and nothing is left in any folder.

    Raises:
        OutputError: Another process holds it.
    """
    place = os.path.realpath(path)
    name = f"\0halocline {hashlib.sha256(os.fsencode(place)).hexdigest()}"
    if name not in _sockets:
        _sockets[name] = _bound(name, path)
    _writers[name] += 1
    weakref.finalize(writer, _give_back, name)


def _bound(name: str, path: Path) -> socket.socket:
    held = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        held.bind(name)
        held.listen()
    except OSError as error:
        held.close()
        if error.errno == errno.EADDRINUSE:
            raise OutputError(
                f"'{path}' is being written by {_holder(name)}; two at once would destroy it.",
                hint="Write another file, or end that process.",
            ) from None
        raise
    return held


def _holder(name: str) -> str:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as other:
        other.settimeout(0.0)
        try:
            other.connect(name)
            number, _, _ = _PEER.unpack(
                other.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
            )
        except OSError:
            return "another process"
    return f"process {number}"


def _give_back(name: str) -> None:
    _writers[name] -= 1
    if not _writers[name]:
        _sockets.pop(name).close()
