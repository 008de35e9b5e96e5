"""Overlap: computing alone, communicating alone, and both at once (paper 000, table 4.2).

What is computed needs no memory bandwidth: a small array is updated again and again. As many
updates as take as long as the messages. In turns: odd ranks compute before they wait, even ranks
after, then all exchange once more; so even ranks can compute at the same time as odd ones only if
the messages of these progress while they compute.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from halocline.bench.benchmark import Benchmark, on_ranks
from halocline.bench.block_row import BlockRow, exchange
from halocline.bench.kernels import FIXED_POINT
from halocline.bench.messages import SIDES, ring, row_of
from halocline.bench.settings import TRANSPORTS, Settings
from halocline.bench.times import Times
from halocline.errors import HaloclineError
from halocline.io.results import Chart, Row
from halocline.runtime import _core
from halocline.runtime.job import Job

if TYPE_CHECKING:
    from halocline.runtime._core import Operation

# As in the paper's table.
_MESSAGE_BYTES = 4 << 20
# Stays in the nearest cache.
_WORK_CELLS = 512
_POLLS = 16

COMPUTATION, COMMUNICATION = "computation", "communication"
BOTH, POLLED = "both", "both, polled"


def measure(job: Job, settings: Settings) -> list[Row]:
    """Measure ring-shift with computation, in longer repetitions: a step takes a millisecond."""
    settings = replace(settings, budget_s=4 * settings.budget_s)
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
        size = max(_WORK_CELLS * element, settings.largest_bytes or _MESSAGE_BYTES)
        self.point = transport, element, size // element * element
        extent = (size // element, 1, 1)
        self.blocks = BlockRow(job, extent, 2, element, is_rewritten=settings.is_rewritten)
        self.number = self.blocks.add_exchange(transport, ring(job))
        self.slot, self.work = self.blocks.add_work(_WORK_CELLS)

    def rows(self) -> list[Row]:
        """Measure; polled means that messages are looked at 16 times while computing."""
        start, wait = exchange(self.number)
        communication = self._times([start, wait])
        once = self._times(self._compute(1))
        count = max(_POLLS, round(communication.median_s / once.median_s))
        computation = self._times(self._compute(count))
        piece = [*self._compute(count // _POLLS), _core.Poll(self.number)]
        rest = self._compute(count % _POLLS) if count % _POLLS else []
        compute, polled = self._compute(count), [_core.Loop(_POLLS, piece), *rest]
        columns = {
            COMPUTATION: computation,
            COMMUNICATION: communication,
            BOTH: self._times([start, *compute, wait]),
            POLLED: self._times([start, *polled, wait]),
        }
        is_late = self.blocks.job.rank % 2 == 1
        for work, before in (("in turns", compute), ("in turns, polled", polled)):
            turns = [*before, wait] if is_late else [wait, *compute]
            columns[work] = self._times([start, *turns, start, wait])
        parts = computation.median_s, communication.median_s
        return [
            row_of(
                self.point,
                times,
                self.blocks.job.size,
                moved=0 if work == COMPUTATION else 2,
                side=SIDES.get(self.point[0], "both"),
                work=work,
                **{"hidden [%]": hidden(*parts, times.median_s) if BOTH in work else None},
            )
            for work, times in columns.items()
        ]

    def _compute(self, count: int) -> list[Operation]:
        return [_core.Loop(count, [self.work])]

    def _times(self, operations: list[Operation]) -> Times:
        is_computed = all(isinstance(op, _core.Loop) for op in operations)
        self.blocks.set_program(operations, is_silent=is_computed)
        times = self.blocks.sample(self.settings)
        if not np.all(self.blocks.runtime.view(self.slot, 0) == FIXED_POINT):
            raise HaloclineError("The computation has left wrong values: its time does not count.")
        return times


def hidden(computing: float, communicating: float, both: float) -> float:
    """Return the share of the shorter part that vanishes when both are done at once [%]."""
    return 100 * (computing + communicating - both) / min(computing, communicating)


BENCHMARK = Benchmark(
    "overlap",
    "Ring-shift and a computation without memory traffic that takes as long: alone and together.",
    on_ranks("overlap", measure),
    Chart(("transport", "element [B]"), "median [us]", ("work",)),
)
