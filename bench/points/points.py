"""What a point and step takes: a million random points, with and without threads.

python bench/points/points.py [cells …]
"""

from __future__ import annotations

import sys
import time

import numpy as np

import halocline as hc

COUNT, STEPS, TURNS = 1_000_000, 10, 5


def measured(cells: int, interpolation: str, threads: int, dtype: str) -> dict[str, float]:
    """Return what each kernel takes, in the fastest of some turns [ns a point and step]."""
    grid = hc.Grid((cells,) * 3, periodic=True)
    p, q = grid.field("p", dtype=dtype), grid.field("q", dtype=dtype)
    p.set(1.0)
    random = np.random.default_rng(1)
    points = hc.Points(random.random((COUNT, 3)) * cells, interpolation)
    series = hc.Series([0.0, 1e6], random.random((2, COUNT)))
    shot = points.record(p)
    steps = [shot, points.inject(series, into=q)]
    simulation = hc.Simulation(grid, steps, strategy=hc.Strategy(), threads=threads, check_every=0)
    best: dict[str, float] = {}
    for _ in range(TURNS):
        simulation.timers(reset=True)
        wall, processor = time.perf_counter(), time.process_time()
        simulation.run(STEPS, progress=False)
        # Others may use the processor, too: what they took does not count.
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        share = min(1.0, processor / wall) if threads == 1 else 1.0
        for label, kind, count, seconds in simulation.timers():
            if kind == "run":
                taken = share * seconds / count / COUNT * 1e9
                best[label] = min(taken, best.get(label, taken))
        shot.clear()
    return best


def main() -> None:
    """Measure on grids of so many cells along each axis."""
    for cells in map(int, sys.argv[1:] or ("128", "256")):
        for interpolation in ("linear", "cubic", "sinc"):
            for threads, dtype in ((1, "float64"), (2, "float64"), (1, "float32")):
                for label, taken in measured(cells, interpolation, threads, dtype).items():
                    name = label.split("_")[0]
                    print(
                        f"{cells}³ {interpolation} {dtype} {threads} threads {name} {taken:.1f} ns"
                    )


if __name__ == "__main__":
    main()
