"""Push and pull: the source writes, or the target fetches (paper 000, section 4.2.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from halocline.bench.job import measure_on_ranks
from halocline.bench.ping_pong import RANKS, MessageRow, ping_pong, points, two_ranks
from halocline.bench.table import MESSAGES, RATE, TIMES, Benchmark, Chart, Column

if TYPE_CHECKING:
    from halocline.bench.settings import Settings
    from halocline.runtime.job import Job

# Which side moves the values of each transport that has a choice.
SIDES = {"put": "push", "get": "pull", "shared-push": "push", "shared": "pull"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SidedRow(MessageRow):
    """Messages moved by one side.

    Attributes:
        side: 'push' or 'pull'.
    """

    side: str


def measure(job: Job, settings: Settings) -> list[SidedRow]:
    """Measure ping-pong with one-sided transports."""
    return [
        SidedRow(
            transport=transport,
            element_bytes=element,
            message_bytes=size,
            ranks=RANKS,
            side=SIDES[transport],
            times=ping_pong(job, settings, transport, element, size),
            moved_bytes=size,
        )
        for transport, element, size in points(settings, settings.chosen(tuple(SIDES)))
    ]


BENCHMARK = Benchmark(
    "push-pull",
    "Ping-pong where the source writes (push) or the target fetches (pull).",
    lambda settings: measure_on_ranks(measure, two_ranks(settings, "push-pull")),
    (*MESSAGES, Column("side", lambda row: row.side), *TIMES, RATE),
    Chart(
        x=lambda row: row.message_bytes,
        y=lambda row: row.bytes_per_s / 1e9,
        series=lambda row: f"{row.transport} ({row.side}), {row.element_bytes} B",
        x_label="message [bytes]",
        y_label="GB/s",
    ),
)
