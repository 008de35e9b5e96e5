"""What a step costs beyond its kernels and messages: almost nothing to compute, many steps."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import halocline as hc
from halocline.bench.table import TIMES, Benchmark, Chart, Column
from halocline.bench.times import Measured, Times
from halocline.errors import HaloclineError

if TYPE_CHECKING:
    from halocline.bench.settings import Settings

_STEPS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRow(Measured):
    """A step with almost nothing in it.

    Attributes:
        step: What is in it.
    """

    step: str


@hc.kernel
def _increase(a, b):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202
    b[0, 0] = a[0, 0] + 1.0


def run(settings: Settings) -> list[StepRow]:
    """Measure a kernel on 4x4 cells and a swap, on one rank.

    Raises:
        HaloclineError: The kernel was not called once a step.
    """
    grid = hc.Grid((4, 4), periodic=True)
    a, b = grid.field("a"), grid.field("b")
    simulation = hc.Simulation(grid, [_increase(a, b), hc.swap(a, b)], threads=1, check_every=0)
    simulation.run(_STEPS, progress=False)
    times = []
    for _ in range(settings.repetitions):
        started = time.perf_counter()
        simulation.run(_STEPS, progress=False)
        times.append((time.perf_counter() - started) / _STEPS)
    if not np.all(a.gather() == simulation.step):
        raise HaloclineError("The step has left wrong values: its time does not count.")
    step = "kernel on 4x4 cells, swap"
    return [StepRow(step=step, times=Times.of(times, _STEPS), moved_bytes=16 * 2 * 8)]


BENCHMARK = Benchmark(
    "step",
    "What a step costs beyond its kernels and messages.",
    run,
    (Column("step", lambda row: row.step), *TIMES),
    Chart(
        x=lambda row: row.step,
        y=lambda row: row.times.median_s * 1e9,
        series=lambda _: "one rank",
        x_label="step",
        y_label="time [ns]",
    ),
)
