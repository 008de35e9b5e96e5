"""Memory: copies with 2 and 2·19 streams, plain and past the cache (paper 000, section 4.1).

Threads share arrays, processes have their own; together they always copy as much. Bytes
are those read plus those written. Paper 000 counts 3 N for plain stores, since a line is fetched
before it is written: its figures are 1.5 times these.
"""

from __future__ import annotations

from functools import partial

from msgspec.structs import replace

from halocline.bench.baseline import LOOPS, Baseline
from halocline.bench.benchmark import Benchmark
from halocline.bench.job import measure_on_ranks
from halocline.bench.settings import Settings
from halocline.bench.times import sample
from halocline.io.results import Chart, Row
from halocline.runtime.job import Job

_EDGE = 128
_MOST_STREAMS = 38


def run(settings: Settings) -> list[Row]:
    """Measure with 1 to all cores as threads, and as processes."""
    counts = worker_counts(settings.cores)
    jobs = [(1, threads) for threads in counts] + [(ranks, 1) for ranks in counts[1:]]
    return [
        row
        for ranks, threads in jobs
        for row in measure_on_ranks(partial(_measure, threads), replace(settings, ranks=ranks))
    ]


def worker_counts(cores: int) -> list[int]:
    """Return 1, 2, 4 … and the number of cores."""
    counts = [1 << n for n in range(cores.bit_length()) if 1 << n < cores]
    return [*counts, cores]


def _measure(threads: int, job: Job, settings: Settings) -> list[Row]:
    """Measure so many threads in each rank, all at once."""
    return [
        _row(job, settings, threads, name, edge)
        for edge in settings.sizes or (_EDGE,)
        for name in LOOPS
    ]


def _row(job: Job, settings: Settings, threads: int, name: str, edge: int) -> Row:
    loop = LOOPS[name]
    # As much memory with 2 streams as with 38, so that no cache holds it.
    cells = edge**3 * _MOST_STREAMS // loop.streams
    with Baseline(name, cells // job.size, threads, job.rank) as baseline:

        def run(passes: int) -> float:
            """Let all ranks run at once; return the time of the slowest."""
            if job.communicator:
                job.communicator.Barrier()
            return job.greatest([baseline.run(passes)])[0]

        times = sample(run, settings.repetitions, settings.budget_s)
        baseline.verify()
    kind = "processes" if job.size > 1 else "threads"
    return {
        "loop": name,
        "streams": loop.streams,
        "stores": loop.stores,
        "workers": f"{job.size * threads} {kind}",
        "array [B]": 8 * baseline.cells * job.size,
        **times.columns(),
        "GB/s": times.gigabytes_per_s(baseline.bytes * job.size),
    }


BENCHMARK = Benchmark(
    "memory",
    "Copies of arrays by threads of one process and by processes; bytes read plus bytes written.",
    run,
    Chart("workers", "GB/s", ("streams", "stores")),
)
