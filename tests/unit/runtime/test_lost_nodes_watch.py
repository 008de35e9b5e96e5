"""A node that answers no more ends the job; one whose program ends does not."""

from __future__ import annotations

import errno
import os
import socket
from threading import Event, Thread

import pytest
from msgspec.structs import replace

from halocline.runtime import lost_nodes


@pytest.fixture
def listening(monkeypatch):
    """Return this machine as a node, which listens until the test ends."""
    sockets: list[socket.socket] = []
    monkeypatch.setattr(lost_nodes, "_listening", sockets)
    monkeypatch.setattr(lost_nodes, "_addresses", lambda: ("127.0.0.1",))
    yield lost_nodes._listen(), sockets
    for one in sockets:
        one.close()


def test_a_connection_is_kept_alive_by_the_system(listening):
    node, _ = listening
    connection = lost_nodes._connected(replace(node, addresses=()), node)
    with connection:
        options = (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT)
        found = [connection.getsockopt(socket.IPPROTO_TCP, option) for option in options]
        assert connection.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        assert found[0] + found[1] * found[2] == lost_nodes._SILENT_S


def test_an_address_that_both_nodes_have_is_left_out(listening):
    node, _ = listening
    assert lost_nodes._connected(node, node) is None


def test_the_end_of_the_other_program_is_no_loss(listening):
    node, sockets = listening
    is_lost = Event()
    watch = Thread(
        target=lost_nodes._watch, args=(replace(node, addresses=()), node, is_lost.set), daemon=True
    )
    watch.start()
    sockets[0].accept()[0].close()
    watch.join(10)
    assert not watch.is_alive()
    assert not is_lost.is_set()


@pytest.mark.parametrize("number", [errno.ETIMEDOUT, errno.EHOSTUNREACH])
def test_silence_is_reported_with_the_node(monkeypatch, number):
    class Silent:
        def recv(self, _):
            raise OSError(number, os.strerror(number))

    reported = []
    monkeypatch.setattr(lost_nodes, "_connected", lambda *_: Silent())
    monkeypatch.setattr(lost_nodes, "abort", lambda *given: reported.append(given))
    node = lost_nodes._Node("node2", (), 1)
    lost_nodes._watch(node, node, lambda: lost_nodes._end("node2", 8, 0))
    ((error, rank, _),) = reported
    assert rank == 0
    assert str(error) == (
        "Node 'node2' with rank 8 has not answered for 20 s; expected an answer of its system, "
        "also if its programs are slow. Look at the node and its network. "
        "'halocline run --relaunch' goes on without it."
    )
