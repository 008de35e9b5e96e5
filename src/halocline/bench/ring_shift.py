"""Ring-shift: every rank sends to the next and receives from the one before, all at once.

The yardstick of halo exchanges in paper 000 (section 4.2): what arrives counts as well as what
leaves, T = L + 2 N / B.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.bench.board import Board, Way, exchange
from halocline.bench.job import measure_on_ranks
from halocline.bench.ping_pong import LARGEST_BYTES, RANKS, MessageRow, points
from halocline.bench.settings import TRANSPORTS
from halocline.bench.table import MESSAGE_CHART, MESSAGES, RATE, TIMES, Benchmark
from halocline.errors import HaloclineError

if TYPE_CHECKING:
    from halocline.bench.settings import Settings
    from halocline.bench.times import Times
    from halocline.runtime.job import Job


def measure(job: Job, settings: Settings) -> list[MessageRow]:
    """Measure the time until the slowest rank has sent and received."""
    return [
        MessageRow(
            transport=transport,
            element_bytes=element,
            message_bytes=size,
            ranks=job.size,
            times=ring_shift(job, settings, transport, element, size),
            moved_bytes=2 * size,
        )
        for transport, element, size in points(settings, settings.chosen(TRANSPORTS), LARGEST_BYTES)
    ]


def ring_shift(job: Job, settings: Settings, transport: str, element: int, size: int) -> Times:
    """Return the time of a shift [s]."""
    extent = (size // element, 1, 1)
    board = Board(job, extent, 2, element, is_rewritten=settings.is_rewritten)
    ways = [Way(rank, (rank + 1) % job.size, "upper") for rank in range(job.size)]
    number = board.add_exchange(transport, ways)
    board.set_program(exchange(number))
    return board.sample(settings)


def several_ranks(settings: Settings, name: str) -> Settings:
    """Return the settings of a benchmark that needs neighbours.

    Raises:
        HaloclineError: A single rank has none.
    """
    if settings.ranks < RANKS:
        raise HaloclineError(
            f"The benchmark '{name}' was asked for on {settings.ranks} rank; expected at least "
            f"{RANKS}.",
        )
    return settings


BENCHMARK = Benchmark(
    "ring-shift",
    "Every rank sends to the next and receives from the one before; GB/s a rank, both together.",
    lambda settings: measure_on_ranks(measure, several_ranks(settings, "ring-shift")),
    (*MESSAGES, *TIMES, RATE),
    MESSAGE_CHART,
)
