"""Messages between ranks, with the transports in turn (paper 000, section 4.2).

Ping-pong: one there, one of the same size back, as a whole, of values that lie apart, as a message
a value, or moved by one side. Ring-shift, the baseline of halo exchanges: every rank sends to the
next and receives from the one before, all at once; what arrives counts as well as what leaves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from halocline.bench.benchmark import RANKS, Benchmark, on_ranks
from halocline.bench.block_row import BlockRow, Cell, Message, exchange
from halocline.bench.settings import NATIVE, SMALLEST_BYTES, TRANSPORTS, Settings
from halocline.bench.times import Times
from halocline.io.results import Chart, Row
from halocline.runtime.job import Job

_LARGEST_BYTES = 64 << 20
# A field of a row a value: 128 MB with the widest stride.
_LARGEST_STRIDED_BYTES = 512 << 10
# 1024 messages of 8 bytes: every message is an object of its own, on both sides.
_LARGEST_PIECES_BYTES = 8 << 10
# Rows begin at a cache line, so these are the strides there can be.
_STRIDES_BYTES = (64, 128, 256, 512, 1024, 2048)
# Which side moves the values of each transport that has a choice.
SIDES = {"put": "push", "get": "pull", "shared-push": "push", "shared": "pull"}

# A transport, bytes of an element and of a message.
Point = tuple[str, int, int]


def points(
    settings: Settings, transports: Sequence[str] = TRANSPORTS, largest_bytes: int = _LARGEST_BYTES
) -> Iterator[Point]:
    """Yield what is measured of some transports."""
    for transport, element in product(settings.chosen(transports), settings.element_bytes):
        for size in settings.message_sizes(element, largest_bytes):
            yield transport, element, size


def row_of(point: Point, times: Times, ranks: int = RANKS, moved: int = 1, **more: Any) -> Row:
    """Return a row of any of these benchmarks, in which so many messages of the size move."""
    transport, element, size = point
    return {
        "transport": transport,
        "element [B]": element,
        "message [B]": size,
        "ranks": ranks,
        **more,
        **times.columns(),
        "GB/s": times.gigabytes_per_s(moved * size),
    }


def ping_pong(
    job: Job, settings: Settings, point: Point, extent: Cell | None = None, pieces: int = 1
) -> Times:
    """Return the time of one message of a ping-pong [s].

    Args:
        job: Two ranks.
        settings: How to measure.
        point: What is measured.
        extent: Cells of a block, whose side across x is sent; None for a contiguous side.
        pieces: Into how many messages the message is cut.
    """
    transport, element, size = point
    axis = 2 if extent is None else 0
    whole = extent or (size // element, 1, 1)
    blocks = BlockRow(job, whole, axis, element, is_rewritten=settings.is_rewritten)
    there = blocks.add_exchange(transport, [Message(0, 1, "upper")], pieces)
    back = blocks.add_exchange(transport, [Message(1, 0, "lower")], pieces)
    blocks.set_program([*exchange(there), *exchange(back)])
    return blocks.sample(settings).divided(2)


def ring_shift(job: Job, settings: Settings, point: Point) -> Times:
    """Return the time of a shift [s]."""
    transport, element, size = point
    extent = (size // element, 1, 1)
    blocks = BlockRow(job, extent, 2, element, is_rewritten=settings.is_rewritten)
    blocks.set_program(exchange(blocks.add_exchange(transport, ring(job))))
    return blocks.sample(settings)


def ring(job: Job) -> list[Message]:
    """Return the messages from every rank to the next, and from the last to the first."""
    return [Message(rank, (rank + 1) % job.size, "upper") for rank in range(job.size)]


def _measure_ping_pong(job: Job, settings: Settings) -> list[Row]:
    return [row_of(point, ping_pong(job, settings, point)) for point in points(settings)]


def _measure_ring_shift(job: Job, settings: Settings) -> list[Row]:
    return [
        row_of(point, ring_shift(job, settings, point), job.size, moved=2)
        for point in points(settings)
    ]


def _measure_push_pull(job: Job, settings: Settings) -> list[Row]:
    return [
        row_of(point, ping_pong(job, settings, point), side=SIDES[point[0]])
        for point in points(settings, tuple(SIDES))
    ]


def _measure_element_wise(job: Job, settings: Settings) -> list[Row]:
    return [
        row_of(
            point,
            ping_pong(job, settings, point, pieces=pieces),
            messages=pieces,
            sent="whole" if pieces == 1 else "by value",
        )
        for point in points(settings, largest_bytes=_LARGEST_PIECES_BYTES)
        for pieces in dict.fromkeys((1, point[2] // point[1]))
    ]


def _measure_strided(job: Job, settings: Settings) -> list[Row]:
    size = (settings.largest_bytes or _LARGEST_STRIDED_BYTES) // SMALLEST_BYTES * SMALLEST_BYTES
    every = product(settings.chosen(TRANSPORTS), settings.element_bytes)
    return [
        _strided_row(job, settings, (transport, element, size), stride)
        for transport, element in every
        for stride in (element, *_STRIDES_BYTES)
    ]


def _strided_row(job: Job, settings: Settings, point: Point, stride: int) -> Row:
    transport, element, size = point
    # The halo cell of a row lies in the padding at its end, so it takes a place in the stride.
    apart = None if stride == element else (stride // element - 2, size // element, 1)
    kind = "native" if transport in NATIVE else "buffered"
    more: dict[str, Any] = {"stride [B]": stride, "kind": kind}
    return row_of(point, ping_pong(job, settings, point, apart), **more)


def _chart(by: tuple[str, ...] = ("transport", "element [B]"), x: str = "message [B]") -> Chart:
    return Chart(x, "GB/s", by, log="xy")


BENCHMARKS = (
    Benchmark(
        "ping-pong",
        "A message from rank 0 to rank 1 and one back; the time is that of one message.",
        on_ranks("ping-pong", _measure_ping_pong, RANKS),
        _chart(),
    ),
    Benchmark(
        "ring-shift",
        "Every rank sends to the next and receives from the one before; GB/s a rank, both "
        "together.",
        on_ranks("ring-shift", _measure_ring_shift),
        _chart(),
    ),
    Benchmark(
        "strided",
        "Ping-pong of values that lie apart; native: moved from where they lie, buffered: packed.",
        on_ranks("strided", _measure_strided, RANKS),
        _chart(x="stride [B]"),
    ),
    Benchmark(
        "element-wise",
        "Ping-pong of an array as one message and as one message a value (at most 1024 by "
        "default).",
        on_ranks("element-wise", _measure_element_wise, RANKS),
        Chart("message [B]", "GB/s", ("transport", "sent"), log="xy"),
    ),
    Benchmark(
        "push-pull",
        "Ping-pong where the source writes (push) or the target fetches (pull).",
        on_ranks("push-pull", _measure_push_pull, RANKS),
        _chart(("transport", "side", "element [B]")),
    ),
)
