"""Halo: a side of a cube to the neighbour and one back, across each axis, beside a plain memcpy."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.bench.board import Board, Way, exchange
from halocline.bench.job import measure_on_ranks
from halocline.bench.ping_pong import RANKS, MessageRow, two_ranks
from halocline.bench.settings import NATIVE, TRANSPORTS
from halocline.bench.table import RATE, TIMES, Benchmark, Chart, Column, size_text
from halocline.bench.times import Times, sample
from halocline.bench.yardstick import library
from halocline.errors import HaloclineError
from halocline.geometry import AXES

if TYPE_CHECKING:
    from halocline.bench.settings import Settings
    from halocline.runtime.job import Job

_EDGE = 128
MEMCPY, MEMCPY_SIGNALS = "memcpy", "memcpy, signals"


@dataclass(frozen=True, slots=True, kw_only=True)
class HaloRow(MessageRow):
    """The exchange of a side between two ranks, both ways.

    Attributes:
        cells: Edge of each rank's cube.
        across: The axis along which the ranks stand: a side across 'x' is one value a row, across
            'y' a row a plane, across 'z' a whole plane. Empty for the yardstick.
        kind: 'native' if nothing is packed, 'buffered' if values are, 'yardstick' for memcpy.
        against_memcpy: Median time over that of the plain memcpy of as many bytes.
    """

    cells: int
    across: str
    kind: str
    against_memcpy: float


def measure(job: Job, settings: Settings) -> list[HaloRow]:
    """Measure every transport and axis, the yardstick first."""
    rows: list[HaloRow] = []
    for edge in settings.sizes or (_EDGE,):
        for element in settings.element_bytes:
            rows += _cube(job, settings, edge, element)
    return rows


def _cube(job: Job, settings: Settings, edge: int, element: int) -> list[HaloRow]:
    size = edge * edge * element
    copies, signalled = Between(job, size).sample(settings)

    def row(transport: str, across: str, kind: str, times: Times) -> HaloRow:
        return HaloRow(
            transport=transport,
            element_bytes=element,
            message_bytes=size,
            ranks=RANKS,
            cells=edge,
            across=across,
            kind=kind,
            against_memcpy=times.median_s / copies.median_s,
            times=times,
            moved_bytes=size,
        )

    yardstick = [
        row(MEMCPY, "", "yardstick", copies),
        row(MEMCPY_SIGNALS, "", "yardstick", signalled),
    ]
    return yardstick + [
        row(
            transport,
            AXES[axis],
            "native" if transport in NATIVE else "buffered",
            halo(job, settings, transport, (edge, axis, element)),
        )
        for transport in settings.chosen(TRANSPORTS)
        for axis in range(3)
    ]


def halo(job: Job, settings: Settings, transport: str, cube: tuple[int, int, int]) -> Times:
    """Return the time in which two ranks exchange a side [s].

    Args:
        job: The ranks.
        settings: How to measure.
        transport: What moves the values.
        cube: Cells along each edge, axis along which the ranks stand, bytes of a value.
    """
    edge, axis, element = cube
    board = Board(job, (edge, edge, edge), axis, element, is_rewritten=settings.is_rewritten)
    number = board.add_exchange(transport, [Way(0, 1, "upper"), Way(1, 0, "lower")])
    board.set_program(exchange(number))
    return board.sample(settings)


class Between:
    """The yardstick: each of two processes copies what the other has just written.

    Args:
        job: Two ranks of one machine.
        size_bytes: What each copies; rounded up to 8 [bytes].
    """

    def __init__(self, job: Job, size_bytes: int) -> None:
        from mpi4py import MPI

        self.job = job
        self.words = -(-size_bytes // 8)
        self.library = library()
        needed = self.library.between_size(self.words) if job.rank == 0 else 0
        self.window = MPI.Win.Allocate_shared(needed, 1, comm=job.communicator)
        memory: Any = self.window.Shared_query(0)[0]
        self.shared: Any = np.frombuffer(memory, np.uint8)
        if job.rank == 0:
            self.shared[:] = 0
        self.target = np.zeros(self.words, np.int64)
        self.done = 0
        job.communicator.Barrier()

    def sample(self, settings: Settings) -> tuple[Times, Times]:
        """Return the times of the copy alone, and with the signals before and after it.

        Raises:
            HaloclineError: A value that was copied is wrong.
        """
        alone: list[float] = []

        def run(times: int) -> float:
            copying, both = self._run(times)
            alone.append(copying)
            return both

        signalled = sample(run, settings.repetitions, settings.budget_s)
        other = 1 - self.job.rank
        expected = self.done * (other + 1) + np.arange(self.words)
        if not np.array_equal(self.target, expected):
            raise HaloclineError("A plain memcpy between processes has left wrong values.")
        self.window.Free()
        return Times.of(alone[-settings.repetitions :], signalled.steps), signalled

    def _run(self, times: int) -> tuple[float, float]:
        seconds = (ctypes.c_double * 2)()
        address, target = self.shared.ctypes.data, self.target.ctypes.data
        self.library.between(address, self.job.rank, self.words, self.done, times, target, seconds)
        self.done += times
        found = self.job.communicator.allgather(tuple(s / times for s in seconds))
        copying, both = (max(column) for column in zip(*found, strict=True))
        return copying, both


BENCHMARK = Benchmark(
    "halo",
    "Two cubes exchange a side; memcpy: as many bytes copied between the same two processes.",
    lambda settings: measure_on_ranks(measure, two_ranks(settings, "halo")),
    (
        Column("transport", lambda row: row.transport),
        Column("kind", lambda row: row.kind),
        Column("across", lambda row: row.across),
        Column("cube", lambda row: f"{row.cells}³"),
        Column("element", lambda row: f"{row.element_bytes} B"),
        Column("side", lambda row: size_text(row.message_bytes)),
        *TIMES,
        RATE,
        Column("/ memcpy", lambda row: f"{row.against_memcpy:.2f}"),
    ),
    Chart(
        x=lambda row: row.transport,
        y=lambda row: row.times.median_s * 1e6,
        series=lambda row: f"across {row.across}" if row.across else "contiguous",
        x_label="transport",
        y_label="time [us]",
    ),
)
