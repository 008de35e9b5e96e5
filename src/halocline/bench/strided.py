"""Strided: a message whose values lie apart, native or buffered (paper 000, section 4.2.6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from halocline.bench.board import Board, Way, exchange
from halocline.bench.job import measure_on_ranks
from halocline.bench.ping_pong import RANKS, MessageRow, ping_pong, two_ranks
from halocline.bench.settings import NATIVE, SMALLEST_BYTES, TRANSPORTS
from halocline.bench.table import MESSAGES, RATE, TIMES, Benchmark, Chart, Column

if TYPE_CHECKING:
    from halocline.bench.settings import Settings
    from halocline.bench.times import Times
    from halocline.runtime.job import Job

# A field of a row a value: 128 MB with the widest stride.
_LARGEST_BYTES = 512 << 10
# Rows begin at a cache line, so these are the strides there can be.
_STRIDES_BYTES = (64, 128, 256, 512, 1024, 2048)


@dataclass(frozen=True, slots=True, kw_only=True)
class StridedRow(MessageRow):
    """Messages of values apart.

    Attributes:
        stride_bytes: From one value to the next; that of an element if there is nothing between.
        kind: 'native' if values travel from where they lie, 'buffered' if they are packed.
    """

    stride_bytes: int
    kind: str


def measure(job: Job, settings: Settings) -> list[StridedRow]:
    """Measure messages of one size, over the stride of their values."""
    size = (settings.largest_bytes or _LARGEST_BYTES) // SMALLEST_BYTES * SMALLEST_BYTES
    return [
        _row(job, settings, transport, (element, size, stride))
        for transport in settings.chosen(TRANSPORTS)
        for element in settings.element_bytes
        for stride in (element, *_STRIDES_BYTES)
    ]


def _row(job: Job, settings: Settings, transport: str, sizes: tuple[int, int, int]) -> StridedRow:
    element, size, stride = sizes
    if stride == element:
        times = ping_pong(job, settings, transport, element, size)
    else:
        times = _strided(job, settings, transport, sizes)
    return StridedRow(
        transport=transport,
        element_bytes=element,
        message_bytes=size,
        ranks=RANKS,
        stride_bytes=stride,
        kind="native" if transport in NATIVE else "buffered",
        times=times,
        moved_bytes=size,
    )


def _strided(job: Job, settings: Settings, transport: str, sizes: tuple[int, int, int]) -> Times:
    element, size, stride = sizes
    # The halo cell of a row lies in the padding at its end, so it takes a place in the stride.
    owned = stride // element - 2
    extent = (owned, size // element, 1)
    board = Board(job, extent, 0, element, is_rewritten=settings.is_rewritten)
    there = board.add_exchange(transport, [Way(0, 1, "upper")])
    back = board.add_exchange(transport, [Way(1, 0, "lower")])
    board.set_program([*exchange(there), *exchange(back)])
    return board.sample(settings).divided(2)


BENCHMARK = Benchmark(
    "strided",
    "Ping-pong of values that lie apart; native: moved from where they lie, buffered: packed.",
    lambda settings: measure_on_ranks(measure, two_ranks(settings, "strided")),
    (
        *MESSAGES,
        Column("stride", lambda row: f"{row.stride_bytes} B"),
        Column("kind", lambda row: row.kind),
        *TIMES,
        RATE,
    ),
    Chart(
        x=lambda row: row.stride_bytes,
        y=lambda row: row.bytes_per_s / 1e9,
        series=lambda row: f"{row.transport}, {row.element_bytes} B",
        x_label="stride [bytes]",
        y_label="GB/s",
    ),
)
