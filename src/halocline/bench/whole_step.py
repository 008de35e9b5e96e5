"""Whole step: the time of a step of a case or a program, on some ranks beside one."""

from __future__ import annotations

from dataclasses import replace

import halocline as hc
from halocline.apps.cases import read_case
from halocline.bench.benchmark import Benchmark
from halocline.bench.job import measure_on_ranks
from halocline.bench.settings import Settings
from halocline.bench.stepping import TimedSteps, take_turns
from halocline.errors import HaloclineError
from halocline.io.results import Chart, Row
from halocline.runtime.job import Job

# Each repetition lasts so many times the budget of a benchmark of messages.
_LONGER = 20
_FIRST_STEPS = 4


def measure(_: Job, settings: Settings) -> tuple[int, Row]:
    """Run some steps; return a checksum of the fields after the first, and the row."""
    problem = read_case(settings.case, {})[0].problem()
    simulation = hc.Simulation(
        problem.grid,
        problem.steps,
        dt=problem.dt,
        ranks_per_node=settings.ranks_per_node,
        link=settings.link,
        threads=1,
        device=settings.device if settings.device != "auto" else "cpu",
        check_every=0,
    )
    timed = TimedSteps(simulation, _LONGER * settings.budget_s, _FIRST_STEPS)
    take_turns([timed], settings.repetitions)
    times = timed.times
    rate = problem.grid.domain.cells / times.median_s / 1e6
    return timed.checksum, {"ranks": settings.ranks, **times.columns(), "Mcells/s": rate}


def run(settings: Settings) -> list[Row]:
    """Measure on one rank and on as many as asked for, and compare their results.

    Raises:
        HaloclineError: They differ, or there is no such case.
    """
    read_case(settings.case, {})
    alone = replace(settings, ranks=1, ranks_per_node=None, link=None)
    expected, row = measure_on_ranks(measure, alone)
    if settings.ranks == 1:
        return [row]
    crc, other = measure_on_ranks(measure, settings)
    if crc != expected:
        raise HaloclineError(
            f"'{settings.case}' has other results on {settings.ranks} ranks than on one."
        )
    return [row, other]


BENCHMARK = Benchmark(
    "whole-step",
    "Time of a step of a case or a program, one thread a rank; the same bits on all ranks.",
    run,
    Chart("ranks", "Mcells/s"),
)
