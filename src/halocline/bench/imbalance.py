"""Imbalance: how much time, and which share of the ranks, an uneven load costs.

Paper 000, section 4.2.9: all ranks are assumed to meet at the end of each step. Imbalance time
asks how much sooner the step would end with a perfect balance, imbalance percent how many of the
ranks, one of which must stay, a perfect balance would save.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import halocline as hc
from halocline.apps.cases import read_case
from halocline.bench.checksum import checksum
from halocline.bench.job import measure_on_ranks
from halocline.bench.table import Benchmark, Chart, Column
from halocline.errors import HaloclineError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.bench.settings import Settings
    from halocline.runtime.job import Job
    from halocline.runtime.report import Timer

COMPUTATION, COMMUNICATION = "computation", "communication"
_COMMUNICATING = ("start", "wait", "poll", "any")
# Each repetition lasts so many times the budget of a benchmark of messages.
_LONGER = 20
_FIRST_STEPS = 4


@dataclass(frozen=True, slots=True)
class ImbalanceRow:
    """Computation or communication, as a whole or one operation.

    Attributes:
        group: 'computation' or 'communication'.
        label: Kernel and zone, or exchange; 'all' for the whole.
        ranks: Number of ranks.
        least_s: Time of the fastest rank in a step, at the median over the repetitions [s].
        mean_s: Mean over the ranks [s].
        most_s: Of the slowest rank [s].
        imbalance_s: Imbalance time: minimum, median and maximum over the repetitions [s].
        percent: Imbalance percent at the median.
    """

    group: str
    label: str
    ranks: int
    least_s: float
    mean_s: float
    most_s: float
    imbalance_s: tuple[float, float, float]
    percent: float


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


def measure(job: Job, settings: Settings) -> tuple[int, list[ImbalanceRow]]:
    """Run some steps of a case; return a checksum of its fields after the first, and the rows."""
    problem = read_case(settings.case, {})[0].problem()
    simulation = hc.Simulation(
        problem.grid,
        problem.steps,
        strategy=hc.Strategy(),
        ranks_per_node=settings.ranks_per_node,
        link=settings.link,
        threads=1,
        check_every=0,
    )
    simulation.run(_FIRST_STEPS, progress=False)
    crc = checksum(simulation)
    started = time.perf_counter()
    simulation.run(_FIRST_STEPS, progress=False)
    taken = max(time.perf_counter() - started, 1e-9) / _FIRST_STEPS
    steps = max(1, int(_LONGER * settings.budget_s / taken))
    if job.communicator is not None:
        steps = job.communicator.bcast(steps)
    samples: list[list[list[Timer]]] = []
    for _ in range(settings.repetitions):
        simulation.timers(reset=True)
        simulation.run(steps, progress=False)
        samples.append(job.gather(simulation.timers()) or [])
    return crc, _rows(samples, steps) if job.rank == 0 else []


def _rows(samples: list[list[list[Timer]]], steps: int) -> list[ImbalanceRow]:
    """Return the rows of repetitions, in each of which every rank has its timers."""
    labels = dict.fromkeys(
        (_group(kind), f"{kind} {label}".strip())
        for ranks in samples
        for timers in ranks
        for label, kind, count, _ in timers
        if count
    )
    wholes = [(COMPUTATION, "all"), (COMMUNICATION, "all")]
    rows = []
    for group, label in (*wholes, *sorted(labels)):
        found = [[_seconds(t, group, label) / steps for t in ranks] for ranks in samples]
        rows.append(_row(group, label, found))
    return rows


def _group(kind: str) -> str:
    return COMMUNICATION if kind in _COMMUNICATING else COMPUTATION


def _seconds(timers: list[Timer], group: str, label: str) -> float:
    return sum(
        seconds
        for name, kind, _, seconds in timers
        if _group(kind) == group and label in ("all", f"{kind} {name}".strip())
    )


def _row(group: str, label: str, samples: list[list[float]]) -> ImbalanceRow:
    lost = sorted(imbalance_time(times, group) for times in samples)
    return ImbalanceRow(
        group=group,
        label=label,
        ranks=len(samples[0]),
        least_s=statistics.median(map(min, samples)),
        mean_s=statistics.median(map(statistics.mean, samples)),
        most_s=statistics.median(map(max, samples)),
        imbalance_s=(lost[0], statistics.median(lost), lost[-1]),
        percent=statistics.median(imbalance_percent(times, group) for times in samples),
    )


def run(settings: Settings) -> list[ImbalanceRow]:
    """Measure on ranks, and compare the result with that of a single rank.

    Raises:
        HaloclineError: They differ, or there is no such case.
    """
    read_case(settings.case, {})
    crc, rows = measure_on_ranks(measure, settings)
    alone = replace(settings, ranks=1, ranks_per_node=None, link=None, repetitions=1)
    expected, _ = measure_on_ranks(measure, alone)
    if crc != expected:
        raise HaloclineError(
            f"Case '{settings.case}' has other results on {settings.ranks} ranks than on one."
        )
    return rows


def _microseconds(row: ImbalanceRow, *, which: str) -> str:
    return f"{getattr(row, which) * 1e6:.4g}"


BENCHMARK = Benchmark(
    "imbalance",
    "Times of a step on each rank (us) and what a perfect balance would save, for a case.",
    run,
    (
        Column("group", lambda row: row.group),
        Column("operation", lambda row: row.label),
        Column("ranks", lambda row: str(row.ranks)),
        Column("least us", partial(_microseconds, which="least_s")),
        Column("mean us", partial(_microseconds, which="mean_s")),
        Column("most us", partial(_microseconds, which="most_s")),
        Column("imbalance min", lambda row: f"{row.imbalance_s[0] * 1e6:.4g}"),
        Column("median", lambda row: f"{row.imbalance_s[1] * 1e6:.4g}"),
        Column("max", lambda row: f"{row.imbalance_s[2] * 1e6:.4g}"),
        Column("percent", lambda row: f"{row.percent:.1f}"),
    ),
    Chart(
        x=lambda row: row.label,
        y=lambda row: row.imbalance_s[1] * 1e6,
        series=lambda row: row.group,
        x_label="operation",
        y_label="imbalance time of a step [us]",
    ),
)
