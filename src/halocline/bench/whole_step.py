"""Whole step: the time of a step of a case or a program, on some ranks beside one."""

from __future__ import annotations

from halocline.apps.cases import read_case
from halocline.bench.benchmark import Benchmark
from halocline.bench.job import measure_on_ranks
from halocline.bench.settings import Settings
from halocline.bench.stepping import take_turns
from halocline.bench.timed_case import alone, check_results, timed_case
from halocline.io.results import Chart, Row
from halocline.runtime.job import Job


def measure(_: Job, settings: Settings) -> tuple[int, Row]:
    """Run some steps; return a checksum of the fields after the first, and the row."""
    timed = timed_case(settings, device="cpu" if settings.device == "auto" else settings.device)
    take_turns([timed], settings.repetitions)
    times = timed.times
    rate = timed.simulation.grid.domain.cells / times.median_s / 1e6
    return timed.checksum, {"ranks": settings.ranks, **times.columns(), "Mcells/s": rate}


def run(settings: Settings) -> list[Row]:
    """Measure on one rank and on as many as asked for, and compare their results.

    Raises:
        HaloclineError: They differ, or there is no such case.
    """
    read_case(settings.case, {})
    expected, row = measure_on_ranks(measure, alone(settings))
    if settings.ranks == 1:
        return [row]
    crc, row_on_ranks = measure_on_ranks(measure, settings)
    check_results(settings, crc, expected)
    return [row, row_on_ranks]


BENCHMARK = Benchmark(
    "whole-step",
    "Time of a step of a case or a program, one thread a rank; the same bits on all ranks.",
    run,
    Chart("ranks", "Mcells/s"),
)
