"""A switch between nodes with links of a latency and a rate, for kernels without 'netem'.

    python tests/cluster/switch.py LATENCY_S BITS_PER_S DEVICE…

It reads the packets of Ethernet devices. Each one passes its sender's link as bits in a row, and
arrives LATENCY_S after its last bit. 'tc tbf' would let bursts pass at once. Segments of up to
64 KiB that a device hands over as one packet stay one. The switch needs a processor for some
microseconds a packet, so it runs in real time: before all other processes, if the system lets it.
"""

from __future__ import annotations

import heapq
import os
import select
import socket
import sys
import time
from contextlib import suppress
from itertools import count

_ALL_PROTOCOLS = 0x0003
# Of <linux/if_packet.h> and <asm/socket.h>. A header before each packet says how it is to be
# segmented and checked; packets that this process has sent are not read again.
_SOL_PACKET, _VNET_HEADER, _IGNORE_OUTGOING = 263, 15, 23
_BUFFERS = (32, 33)  # SO_SNDBUFFORCE, SO_RCVBUFFORCE
_BUFFER_BYTES = 1 << 24
_HEADER_BYTES, _LARGEST_BYTES = 10, 1 << 17
_RECEIVER, _SENDER = slice(10, 16), slice(16, 22)
# Segments on a wire, with preamble, check sequence and gap around each [bytes].
_SEGMENT_BYTES, _AROUND_BYTES = 1514, 24
_PRIORITY = 10


class Port:
    """A device and the link from it to the switch.

    Args:
        device: Its name.
        bits_per_s: What the link carries; 0 for no limit.
    """

    def __init__(self, device: str, bits_per_s: float) -> None:
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        for option in (_VNET_HEADER, _IGNORE_OUTGOING):
            self._socket.setsockopt(_SOL_PACKET, option, 1)
        for option in _BUFFERS:
            self._socket.setsockopt(socket.SOL_SOCKET, option, _BUFFER_BYTES)
        self._socket.bind((device, _ALL_PROTOCOLS))
        self._socket.setblocking(False)
        self._seconds_per_byte = 8 / bits_per_s if bits_per_s else 0.0
        self._free_at = 0.0

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when packets come."""
        return self._socket.fileno()

    def receive(self) -> list[tuple[float, bytes]]:
        """Return the packets that have come, each with the time when its last bit passes [s]."""
        packets = []
        with suppress(BlockingIOError):
            while True:
                packet = self._socket.recv(_LARGEST_BYTES)
                sent = len(packet) - _HEADER_BYTES
                on_wire = sent + _AROUND_BYTES * -(-sent // _SEGMENT_BYTES)
                begins = max(self._free_at, time.monotonic())
                self._free_at = begins + on_wire * self._seconds_per_byte
                packets.append((self._free_at, packet))
        return packets

    def send(self, packet: bytes) -> None:
        """Send a packet; one for which there is no room is lost, as on a network."""
        with suppress(BlockingIOError):
            self._socket.send(packet)


def forward(ports: list[Port], latency_s: float) -> None:
    """Forward packets until the standard input of this process ends."""
    port_of: dict[bytes, Port] = {}
    waiting: list[tuple[float, int, Port, bytes]] = []
    numbers = count()
    while True:
        left_s = max(0.0, waiting[0][0] - time.monotonic()) if waiting else None
        ready, _, _ = select.select([sys.stdin, *ports], (), (), left_s)
        if sys.stdin in ready:
            return
        for source in ready:
            for passed, packet in source.receive():
                port_of[packet[_SENDER]] = source
                target = port_of.get(packet[_RECEIVER])
                # A receiver that has not sent yet, or all.
                for port in [target] if target else [p for p in ports if p is not source]:
                    heapq.heappush(waiting, (passed + latency_s, next(numbers), port, packet))
        while waiting and waiting[0][0] <= time.monotonic():
            _, _, port, packet = heapq.heappop(waiting)
            port.send(packet)


def main() -> None:
    """Forward packets between the devices of the command line."""
    latency_s, bits_per_s, *devices = sys.argv[1:]
    with suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(_PRIORITY))
    ports = [Port(device, float(bits_per_s)) for device in devices]
    print("ready", flush=True)
    forward(ports, float(latency_s))


if __name__ == "__main__":
    main()
