"""Nodes without power or network: they close no connection, and MPI would wait for them for ever.

The first rank of each node has a TCP connection to that of the next node, on which nothing is sent.
The two systems ask each other whether they are there. They answer while ranks compute or are
stopped, so a slow node is none that is lost.
"""

from __future__ import annotations

import fcntl
import platform
import socket
import struct
from contextlib import suppress
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Any

from halocline.errors import MpiError
from halocline.frozen import Frozen
from halocline.runtime.ending import abort, mark_known

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# A system asks after so long without traffic, again after each interval, and so often [s].
_IDLE_S, _INTERVAL_S, _QUESTIONS = 10, 5, 2
_SILENT_S = _IDLE_S + _QUESTIONS * _INTERVAL_S
# How long an address of a node may take to answer for the first time [s].
_CONNECTED_S = 5.0
# Of Linux: asks for the address of a network device, which follows 20 bytes later.
_SIOCGIFADDR, _DEVICE, _ADDRESS = 0x8915, "256s", slice(20, 24)
# The sockets that other nodes connect to, until this process ends; the system alone serves them.
_listening: list[socket.socket] = []


class _Node(Frozen):
    """A node as its first rank describes it.

    Attributes:
        name: Its host name.
        addresses: Its IPv4 addresses.
        port: Where it listens.
    """

    name: str
    addresses: tuple[str, ...]
    port: int


def watch_next_node(communicator: Any, machines: Sequence[int]) -> None:
    """End the job when a node no longer answers; collective.

    The first rank of each node watches the next one, in the order of these ranks. It does not watch
    a node whose addresses it cannot reach, for example behind a firewall.

    Args:
        communicator: mpi4py's.
        machines: For each rank the first rank on the same machine.
    """
    firsts, rank = sorted(set(machines)), communicator.rank
    if len(firsts) == 1:
        return
    nodes: list[_Node | None] = communicator.allgather(_listen() if rank in firsts else None)
    own, watched = nodes[rank], firsts[(firsts.index(machines[rank]) + 1) % len(firsts)]
    if own is not None and (node := nodes[watched]) is not None:
        end = partial(_end, node.name, watched, rank)
        Thread(target=_watch, args=(own, node, end), daemon=True).start()


def _listen() -> _Node:
    """Let other nodes connect, and return where."""
    _listening.append(socket.create_server(("", 0)))
    return _Node(platform.node(), _addresses(), _listening[-1].getsockname()[1])


def _addresses() -> tuple[str, ...]:
    """Return the IPv4 addresses of this machine, without that of the loopback."""
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        for _, name in socket.if_nameindex():
            with suppress(OSError):
                about = fcntl.ioctl(asking, _SIOCGIFADDR, struct.pack(_DEVICE, name.encode()))
                found.append(socket.inet_ntoa(about[_ADDRESS]))
    return tuple(address for address in found if not address.startswith("127."))


def _watch(own: _Node, node: _Node, end: Callable[[], None]) -> None:
    connection = _connected(own, node)
    if connection is None:
        return
    try:
        # It returns, or the connection is reset, when the other process ends: others see to that.
        connection.recv(1)
    except ConnectionError:
        return
    except OSError:
        end()


def _connected(own: _Node, node: _Node) -> socket.socket | None:
    """Return a connection to a node that its system is asked about; None if there is no way."""
    for address in node.addresses:
        # Nodes may have a virtual network each, with the same addresses.
        if address in own.addresses:
            continue
        with suppress(OSError):
            connection = socket.create_connection((address, node.port), _CONNECTED_S)
            connection.settimeout(None)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            for option, value in (
                (socket.TCP_KEEPIDLE, _IDLE_S),
                (socket.TCP_KEEPINTVL, _INTERVAL_S),
                (socket.TCP_KEEPCNT, _QUESTIONS),
            ):
                connection.setsockopt(socket.IPPROTO_TCP, option, value)
            return connection
    return None


def _end(name: str, first: int, rank: int) -> None:
    """Report the loss of a node, by its name and its first rank, and end all ranks."""
    error = MpiError(
        f"Node '{name}' with rank {first} has not answered for {_SILENT_S} s; expected an answer "
        "of its system, also if its programs are slow.",
        hint="Look at the node and its network. 'halocline run --relaunch' goes on without it.",
    )
    mark_known(error, rank)
    abort(error, rank, None)
