"""Imbalance: how much time, and which share of the ranks, an uneven load costs.

Paper 000, section 4.2.9: all ranks are assumed to meet at the end of each step. Imbalance time
asks how much sooner the step would end with a perfect balance, imbalance percent how many of the
ranks, one of which must stay, a perfect balance would save.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from msgspec.structs import replace

import halocline as hc
from halocline.apps.cases import read_case
from halocline.bench.benchmark import Benchmark
from halocline.bench.job import measure_on_ranks
from halocline.bench.settings import Settings
from halocline.bench.stepping import take_turns
from halocline.bench.timed_case import alone, check_results, timed_case
from halocline.bench.times import Times
from halocline.io.results import Chart, Row
from halocline.runtime.job import Job
from halocline.runtime.timers import Timer

COMPUTATION, COMMUNICATION = "computation", "communication"
_COMMUNICATING = ("start", "wait", "poll", "any")


def imbalance_time(times: Sequence[float], group: str) -> float:
    """Return the imbalance time of the ranks' times [s].

    Greatest minus mean for computation; for communication, most of which is waiting for the
    slowest rank, mean minus least.
    """
    mean = statistics.mean(times)
    return max(times) - mean if group == COMPUTATION else mean - min(times)


def imbalance_percent(times: Sequence[float], group: str) -> float:
    """Return imbalance percent: N / (N - 1) of imbalance time over the greatest time, times 100."""
    ranks, greatest = len(times), max(times)
    if ranks == 1 or greatest == 0:
        return 0.0
    return 100 * ranks / (ranks - 1) * imbalance_time(times, group) / greatest


def measure(job: Job, settings: Settings) -> tuple[int, list[Row]]:
    """Run some steps of a case; return a checksum of its fields after the first, and the rows."""
    timed = timed_case(settings, strategy=hc.Strategy())
    take_turns([timed], settings.repetitions)
    ranks = job.gather(timed.timers)
    samples = list(zip(*ranks, strict=True)) if ranks else []
    return timed.checksum, _rows(samples, timed.steps) if ranks else []


def _rows(samples: Sequence[Sequence[list[Timer]]], steps: int) -> list[Row]:
    """Return the rows of repetitions, in each of which every rank has its timers."""
    labels = dict.fromkeys(
        (_group(kind), f"{kind} {label}".strip())
        for ranks in samples
        for timers in ranks
        for label, kind, count, _ in timers
        if count
    )
    rows = []
    for group, label in ((COMPUTATION, "all"), (COMMUNICATION, "all"), *sorted(labels)):
        seconds = [[_seconds(t, group, label) / steps for t in ranks] for ranks in samples]
        rows.append(_row(group, label, seconds))
    return rows


def _group(kind: str) -> str:
    return COMMUNICATION if kind in _COMMUNICATING else COMPUTATION


def _seconds(timers: list[Timer], group: str, label: str) -> float:
    return sum(
        seconds
        for name, kind, _, seconds in timers
        if _group(kind) == group and label in ("all", f"{kind} {name}".strip())
    )


def _row(group: str, label: str, samples: list[list[float]]) -> Row:
    """Return a row: of ranks the least, mean and greatest time, at the median over repetitions."""
    lost = Times.of(imbalance_time(times, group) for times in samples)
    return {
        "group": group,
        "operation": label,
        "ranks": len(samples[0]),
        "least [us]": 1e6 * statistics.median(map(min, samples)),
        "mean [us]": 1e6 * statistics.median(map(statistics.mean, samples)),
        "most [us]": 1e6 * statistics.median(map(max, samples)),
        **{f"imbalance, {name}": value for name, value in lost.columns().items()},
        "imbalance [%]": statistics.median(imbalance_percent(times, group) for times in samples),
    }


def run(settings: Settings) -> list[Row]:
    """Measure on ranks, and compare the result with that of a single rank.

    Raises:
        HaloclineError: They differ, or there is no such case.
    """
    read_case(settings.case, {})
    crc, rows = measure_on_ranks(measure, settings)
    expected, _ = measure_on_ranks(measure, replace(alone(settings), repetitions=1))
    check_results(settings, crc, expected)
    return rows


BENCHMARK = Benchmark(
    "imbalance",
    "Times of a step on each rank (us) and what a perfect balance would save, for a case.",
    run,
    Chart("operation", "imbalance, median [us]", ("group",)),
)
