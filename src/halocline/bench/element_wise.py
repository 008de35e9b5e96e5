"""Element-wise: as many messages as values, beside one message of all (paper 000, 4.2.7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from halocline.bench.board import Board, Way, exchange
from halocline.bench.job import measure_on_ranks
from halocline.bench.ping_pong import RANKS, MessageRow, points, two_ranks
from halocline.bench.settings import TRANSPORTS
from halocline.bench.table import MESSAGES, RATE, TIMES, Benchmark, Chart, Column

if TYPE_CHECKING:
    from halocline.bench.settings import Settings
    from halocline.bench.times import Times
    from halocline.runtime.job import Job

# 1024 messages of 8 bytes: every message is an object of its own, on both sides.
_LARGEST_BYTES = 8 << 10


@dataclass(frozen=True, slots=True, kw_only=True)
class PiecesRow(MessageRow):
    """A transfer in one or more messages.

    Attributes:
        messages: How many; 'message_bytes' is what they carry together.
    """

    messages: int


def measure(job: Job, settings: Settings) -> list[PiecesRow]:
    """Measure the transfer of an array, whole and value by value."""
    return [
        PiecesRow(
            transport=transport,
            element_bytes=element,
            message_bytes=size,
            ranks=RANKS,
            messages=messages,
            times=_ping_pong(job, settings, transport, (element, size, messages)),
            moved_bytes=size,
        )
        for transport, element, size in points(
            settings, settings.chosen(TRANSPORTS), _LARGEST_BYTES
        )
        for messages in dict.fromkeys((1, size // element))
    ]


def _ping_pong(job: Job, settings: Settings, transport: str, sizes: tuple[int, int, int]) -> Times:
    element, size, messages = sizes
    extent = (size // element, 1, 1)
    board = Board(job, extent, 2, element, is_rewritten=settings.is_rewritten)
    there = board.add_exchange(transport, [Way(0, 1, "upper")], messages)
    back = board.add_exchange(transport, [Way(1, 0, "lower")], messages)
    board.set_program([*exchange(there), *exchange(back)])
    return board.sample(settings).divided(2)


BENCHMARK = Benchmark(
    "element-wise",
    "Ping-pong of an array as one message and as one message a value (at most 1024 by default).",
    lambda settings: measure_on_ranks(measure, two_ranks(settings, "element-wise")),
    (*MESSAGES, Column("messages", lambda row: str(row.messages)), *TIMES, RATE),
    Chart(
        x=lambda row: row.message_bytes,
        y=lambda row: row.bytes_per_s / 1e9,
        series=lambda row: f"{row.transport}, {'whole' if row.messages == 1 else 'by value'}",
        x_label="array [bytes]",
        y_label="GB/s",
    ),
)
