"""Memory: copies with 2 and 2·19 streams, plain and past the cache (paper 000, section 4.1).

Threads share arrays, processes have their own; together they always copy as much. Bytes
are those read plus those written. Paper 000 counts 3 N for plain stores, since a line is fetched
before it is written: its figures are 1.5 times these.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from halocline.bench.job import measure_on_ranks
from halocline.bench.table import RATE, TIMES, Benchmark, Chart, Column, size_text
from halocline.bench.times import Measured
from halocline.bench.yardstick import LOOPS, Yardstick

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from halocline.bench.settings import Settings
    from halocline.runtime.job import Job

_EDGE = 128
_MOST_STREAMS = 38


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRow(Measured):
    """A loop on some workers.

    Attributes:
        loop: Name of the loop.
        streams: Arrays read plus arrays written.
        stores: 'plain', 'non-temporal', 'rows' or 'in place'.
        kind: 'threads' or 'processes'.
        workers: How many of them.
        cells: Length of a stream, all workers together.
    """

    loop: str
    streams: int
    stores: str
    kind: str
    workers: int
    cells: int


def measure(job: Job, settings: Settings) -> list[MemoryRow]:
    """Measure one process a rank, all at once."""
    return list(_rows(job, settings, threads=1))


def run(settings: Settings) -> list[MemoryRow]:
    """Measure with 1 to all cores as threads, and as processes."""
    cores = len(os.sched_getaffinity(0))
    alone = replace(settings, ranks=1)
    rows = []
    for threads in worker_counts(cores):
        rows += measure_on_ranks(_Threads(threads), alone)
    for ranks in worker_counts(cores)[1:]:
        rows += measure_on_ranks(measure, replace(settings, ranks=ranks))
    return rows


@dataclass(frozen=True, slots=True)
class _Threads:
    """The measurement with a number of threads in one process."""

    threads: int

    def __call__(self, job: Job, settings: Settings) -> list[MemoryRow]:
        return list(_rows(job, settings, self.threads))


def worker_counts(cores: int) -> list[int]:
    """Return 1, 2, 4 … and the number of cores."""
    counts = [1 << n for n in range(cores.bit_length()) if 1 << n < cores]
    return [*counts, cores]


def _rows(job: Job, settings: Settings, threads: int) -> Iterator[MemoryRow]:
    for edge in settings.sizes or (_EDGE,):
        for name, loop in LOOPS.items():
            # As much memory with 2 streams as with 38, so that no cache holds it.
            cells = edge**3 * _MOST_STREAMS // loop.streams
            with Yardstick(name, cells // job.size, threads) as yardstick:
                together = _together(job)
                times = yardstick.sample(settings.repetitions, settings.budget_s, together)
                yield MemoryRow(
                    loop=name,
                    streams=loop.streams,
                    stores=loop.stores,
                    kind="processes" if job.size > 1 else "threads",
                    workers=job.size * threads,
                    cells=yardstick.cells * job.size,
                    times=times,
                    moved_bytes=yardstick.bytes * job.size,
                )


def _together(job: Job) -> Callable[[Callable[[int], float]], Callable[[int], float]]:
    """Return what makes all ranks run at once and gives the time of the slowest."""

    def together(run: Callable[[int], float]) -> Callable[[int], float]:
        if job.communicator is None:
            return run

        def all_ranks(passes: int) -> float:
            job.communicator.Barrier()
            found: list[float] = job.communicator.allgather(run(passes))
            return max(found)

        return all_ranks

    return together


BENCHMARK = Benchmark(
    "memory",
    "Copies of arrays by threads of one process and by processes; bytes read plus bytes written.",
    run,
    (
        Column("streams", lambda row: str(row.streams)),
        Column("stores", lambda row: row.stores),
        Column("workers", lambda row: f"{row.workers} {row.kind}"),
        Column("array", lambda row: size_text(8 * row.cells)),
        *TIMES,
        RATE,
    ),
    Chart(
        x=lambda row: f"{row.workers} {row.kind}",
        y=lambda row: row.bytes_per_s / 1e9,
        series=lambda row: f"{row.streams} streams, {row.stores}",
        x_label="workers",
        y_label="GB/s read + written",
    ),
)
