"""Overlap: computing alone, communicating alone, and both at once (paper 000, table 4.2).

What is computed needs no memory bandwidth: a small array is updated again and again. As many
updates as take as long as the messages. In turns: odd ranks compute before they wait, even ranks
after, then all exchange once more; so even ranks can compute at the same time as odd ones only if
the messages of these progress while they compute.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

import halocline as hc
from halocline.bench.board import Board, Way, add_kernel, address_of, block_box, exchange
from halocline.bench.job import measure_on_ranks
from halocline.bench.ping_pong import MessageRow
from halocline.bench.push_pull import SIDES
from halocline.bench.ring_shift import several_ranks
from halocline.bench.settings import TRANSPORTS, dtype_of
from halocline.bench.table import MESSAGES, TIMES, Benchmark, Chart, Column
from halocline.errors import HaloclineError
from halocline.runtime import _core

if TYPE_CHECKING:
    from halocline.bench.settings import Settings
    from halocline.bench.times import Times
    from halocline.runtime._core import Operation
    from halocline.runtime.job import Job

# As in the paper's table.
_MESSAGE_BYTES = 4 << 20
# Stays in the nearest cache.
_WORK_CELLS = 512
CHAIN = 64
# What all updates leave as it is: a result that is easy to check.
_FIXED_POINT = 0.5
_POLLS = 16

COMPUTATION, COMMUNICATION = "computation", "communication"
BOTH, POLLED = "both", "both, polled"
TURNS, TURNS_POLLED = "in turns", "in turns, polled"


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlapRow(MessageRow):
    """One line of the table.

    Attributes:
        side: 'push', 'pull', or 'both' for transports with which both sides act.
        work: 'computation', 'communication', 'both', 'in turns'; 'polled' where messages are
            looked at 16 times while computing.
        hidden: Share of the shorter of computation and communication that vanishes when both are
            done at once; None where just one is.
    """

    side: str
    work: str
    hidden: float | None


def measure(job: Job, settings: Settings) -> list[OverlapRow]:
    """Measure ring-shift with computation."""
    return [
        row
        for transport in settings.chosen(TRANSPORTS)
        for element in settings.element_bytes
        for row in _Overlap(job, settings, transport, element).rows()
    ]


class _Overlap:
    """The measurements of one transport."""

    def __init__(self, job: Job, settings: Settings, transport: str, element: int) -> None:
        self.settings = settings
        self.transport = transport
        self.element = element
        size = max(_WORK_CELLS * element, settings.largest_bytes or _MESSAGE_BYTES)
        self.cells = size // element
        self.board = Board(job, (self.cells, 1, 1), 2, element, is_rewritten=settings.is_rewritten)
        runtime = self.board.runtime
        work = _core.Field("work", dtype_of(element), 1, (0, 0, 0), (0, 0, 0))
        self.slot = runtime.add_field(work)
        address = address_of(job, update, dtype_of(element))
        self.kernel = add_kernel(runtime, "compute", address, self.slot)
        ways = [Way(rank, (rank + 1) % job.size, "upper") for rank in range(job.size)]
        self.number = self.board.add_exchange(transport, ways)
        runtime.view(self.slot, 0)[:] = _FIXED_POINT

    def rows(self) -> list[OverlapRow]:
        start, wait = exchange(self.number)
        communication = self._times([start, wait])
        once = self._times(self._compute(1))
        count = max(_POLLS, round(communication.median_s / once.median_s))
        computation = self._times(self._compute(count))
        piece = [*self._compute(count // _POLLS), _core.Poll(self.number)]
        rest = self._compute(count % _POLLS) if count % _POLLS else []
        compute, polled = self._compute(count), [_core.Loop(_POLLS, piece), *rest]
        found = {
            COMPUTATION: computation,
            COMMUNICATION: communication,
            BOTH: self._times([start, *compute, wait]),
            POLLED: self._times([start, *polled, wait]),
        }
        is_late = self.board.job.rank % 2 == 1
        for work, before in ((TURNS, compute), (TURNS_POLLED, polled)):
            turns = [*before, wait] if is_late else [wait, *compute]
            found[work] = self._times([start, *turns, start, wait])
        parts = computation.median_s, communication.median_s
        return [
            self._row(work, times, _hidden(times, parts) if work in (BOTH, POLLED) else None)
            for work, times in found.items()
        ]

    def _row(self, work: str, times: Times, hidden: float | None) -> OverlapRow:
        size = self.cells * self.element
        return OverlapRow(
            transport=self.transport,
            element_bytes=self.element,
            message_bytes=size,
            ranks=self.board.job.size,
            side=SIDES.get(self.transport, "both"),
            work=work,
            hidden=hidden,
            times=times,
            moved_bytes=0 if work == COMPUTATION else 2 * size,
        )

    def _compute(self, count: int) -> list[Operation]:
        lower = self.board.lower
        box = block_box(lower, (lower[0] + _WORK_CELLS, lower[1] + 1, lower[2] + 1))
        return [_core.Loop(count, [_core.Run(self.kernel, "compute", [box])])]

    def _times(self, operations: list[Operation]) -> Times:
        is_computed = all(isinstance(op, _core.Loop) for op in operations)
        self.board.set_program(operations, is_silent=is_computed)
        times = self.board.sample(self.settings)
        if not np.all(self.board.runtime.view(self.slot, 0) == _FIXED_POINT):
            raise HaloclineError("The computation has left wrong values: its time does not count.")
        return times


def _hidden(both: Times, parts: tuple[float, float]) -> float:
    return (sum(parts) - both.median_s) / min(parts)


@hc.kernel
def update(values):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN201
    """Do 2 x 64 operations on each value, which come to rest at 1/2."""
    new = values[0, 0, 0]
    for _ in range(CHAIN):
        new = new * 0.5 + 0.25
    values[0, 0, 0] = new


def run(settings: Settings) -> list[OverlapRow]:
    """Measure with longer repetitions, since a step takes a millisecond."""
    longer = replace(settings, budget_s=4 * settings.budget_s)
    return measure_on_ranks(measure, several_ranks(longer, "overlap"))


BENCHMARK = Benchmark(
    "overlap",
    "Ring-shift and a computation without memory traffic that takes as long: alone and together.",
    run,
    (
        *MESSAGES,
        Column("side", lambda row: row.side),
        Column("work", lambda row: row.work),
        *TIMES,
        Column("hidden", lambda row: "" if row.hidden is None else f"{row.hidden:.0%}"),
    ),
    Chart(
        x=lambda row: f"{row.transport}\n{row.element_bytes} B",
        y=lambda row: row.times.median_s * 1e6,
        series=lambda row: row.work,
        x_label="transport",
        y_label="time [us]",
    ),
)
