"""Ping-pong: a message there, one of the same size back (paper 000, section 4.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from halocline.bench.board import Board, Way, exchange
from halocline.bench.job import measure_on_ranks
from halocline.bench.settings import TRANSPORTS
from halocline.bench.table import MESSAGE_CHART, MESSAGES, RATE, TIMES, Benchmark
from halocline.bench.times import Measured, Times
from halocline.errors import HaloclineError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from halocline.bench.settings import Settings
    from halocline.runtime.job import Job

LARGEST_BYTES = 64 << 20
RANKS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRow(Measured):
    """Messages of one size.

    Attributes:
        transport: What moved them.
        element_bytes: Size of a value.
        message_bytes: Size of a message.
        ranks: How many took part.
    """

    transport: str
    element_bytes: int
    message_bytes: int
    ranks: int


def measure(job: Job, settings: Settings) -> list[MessageRow]:
    """Measure the time of a message, one half of there and back."""
    return [
        MessageRow(
            transport=transport,
            element_bytes=element,
            message_bytes=size,
            ranks=RANKS,
            times=ping_pong(job, settings, transport, element, size),
            moved_bytes=size,
        )
        for transport, element, size in points(settings, settings.chosen(TRANSPORTS))
    ]


def two_ranks(settings: Settings, name: str) -> Settings:
    """Return the settings of a benchmark that is made for two ranks.

    Raises:
        HaloclineError: Another number was asked for.
    """
    if settings.ranks != RANKS:
        raise HaloclineError(
            f"The benchmark '{name}' was asked for on {settings.ranks} ranks; expected {RANKS}.",
            hint="More ranks at once are measured by 'ring-shift'.",
        )
    return settings


def points(
    settings: Settings, transports: Sequence[str], largest_bytes: int = LARGEST_BYTES
) -> Iterator[tuple[str, int, int]]:
    """Yield transports, sizes of an element and of a message."""
    for transport in transports:
        for element in settings.element_bytes:
            for size in settings.message_sizes(element, largest_bytes):
                yield transport, element, size


def ping_pong(job: Job, settings: Settings, transport: str, element: int, size: int) -> Times:
    """Return the time of one message [s]."""
    extent = (size // element, 1, 1)
    board = Board(job, extent, 2, element, is_rewritten=settings.is_rewritten)
    there = board.add_exchange(transport, [Way(0, 1, "upper")])
    back = board.add_exchange(transport, [Way(1, 0, "lower")])
    board.set_program([*exchange(there), *exchange(back)])
    return board.sample(settings).divided(2)


BENCHMARK = Benchmark(
    "ping-pong",
    "A message from rank 0 to rank 1 and one back; the time is that of one message.",
    lambda settings: measure_on_ranks(measure, two_ranks(settings, "ping-pong")),
    (*MESSAGES, *TIMES, RATE),
    MESSAGE_CHART,
)
