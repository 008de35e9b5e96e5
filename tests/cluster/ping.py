"""Print the least round trip of a byte to a host and the rate of a stream there [s, bit/s].

python tests/cluster/ping.py answer         on one node, until its input ends
python tests/cluster/ping.py HOST BYTES     on another one
"""

from __future__ import annotations

import socket
import sys
import threading
import time

_PORT, _TRIPS, _STREAM, _PIECE = 7007, 50, b"s", 1 << 16


def answer() -> None:
    """Return each byte to its sender; of a stream only the last one."""
    server = socket.create_server(("", _PORT))
    print("ready", flush=True)
    connection, _ = server.accept()
    while piece := connection.recv(_PIECE):
        if not piece.strip(_STREAM):
            continue
        connection.sendall(piece[-1:])


def measure(host: str, stream_bytes: int) -> tuple[float, float]:
    """Return the least round trip [s], and the rate of a stream [bit/s]."""
    with socket.create_connection((host, _PORT)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

        def trip(message: bytes) -> float:
            began = time.perf_counter()
            connection.sendall(message)
            connection.recv(1)
            return time.perf_counter() - began

        least = min(trip(b"p") for _ in range(_TRIPS))
        return least, 8 * stream_bytes / (trip(_STREAM * stream_bytes + b"p") - least)


def main() -> None:
    """Answer, or print what is measured."""
    if sys.argv[1] == "answer":
        threading.Thread(target=answer, daemon=True).start()
        sys.stdin.read()
    else:
        print(*measure(sys.argv[1], int(sys.argv[2])))


if __name__ == "__main__":
    main()
