"""What a step costs beyond its kernels and messages: almost nothing to compute, many steps."""

from __future__ import annotations

from typing import Any

import numpy as np

import halocline as hc
from halocline.bench.benchmark import Benchmark
from halocline.bench.settings import Settings
from halocline.bench.stepping import step_time
from halocline.bench.times import Times
from halocline.errors import HaloclineError
from halocline.io.results import Chart, Row

_STEPS = 20_000


@hc.kernel
def _increase(a: Any, b: Any) -> None:
    b[0, 0] = a[0, 0] + 1.0


def run(settings: Settings) -> list[Row]:
    """Measure a kernel on 4x4 cells and a swap, on one rank.

    Raises:
        HaloclineError: The kernel was not called once a step.
    """
    grid = hc.Grid((4, 4), periodic=True)
    a, b = grid.field("a"), grid.field("b")
    simulation = hc.Simulation(grid, [_increase(a, b), hc.swap(a, b)], threads=1, check_every=0)
    step_time(simulation, _STEPS)
    times = Times.of((step_time(simulation, _STEPS) for _ in range(settings.repetitions)), _STEPS)
    if not np.all(a.gather() == simulation.step):
        raise HaloclineError("The step has left wrong values: its time does not count.")
    return [{"step": "kernel on 4x4 cells, swap", **times.columns()}]


BENCHMARK = Benchmark(
    "step", "What a step costs beyond its kernels and messages.", run, Chart("step", "median [us]")
)
