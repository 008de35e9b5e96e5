"""What a step costs beyond its kernels and messages: almost nothing to compute, many steps."""

from __future__ import annotations

import time

import halocline as hc

_STEPS = 20_000


@hc.kernel
def _copy(a, b):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202
    b[0, 0] = a[0, 0]


def bench_step(repetitions: int = 7) -> tuple[float, float, float]:
    """Return minimum, median and maximum of the time of a step on 4x4 cells [s]."""
    grid = hc.Grid((4, 4), periodic=True)
    a, b = grid.field("a"), grid.field("b")
    simulation = hc.Simulation(grid, [_copy(a, b), hc.swap(a, b)], threads=1)
    simulation.run(_STEPS, progress=False)
    times = []
    for _ in range(repetitions):
        started = time.perf_counter()
        simulation.run(_STEPS, progress=False)
        times.append((time.perf_counter() - started) / _STEPS)
    times.sort()
    return times[0], times[len(times) // 2], times[-1]
