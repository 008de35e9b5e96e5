"""Measure the ocean of paper 002 beside GETM and the memory: 'python reproduction/bench/ocean.py'.

The report's box of 240 x 240 cells and 2 km, micro steps of 20 s, ten of them in a macro step, in
two dimensions and with 60 layers (T and S by P2_PDM with Strang splitting, k-epsilon, EOS-80). For
each case a copy of the memory takes turns with the steps. GETM's rates were measured elsewhere, on
a machine like the one named in docs/measurements/machines.md.
"""

from __future__ import annotations

import time
from statistics import median
from typing import Any

import numpy as np

import halocline as hc
from halocline_reproduction.ocean_box import MICRO_STEPS, make_box

TURNS, SECONDS = 5, 1.5
# Cell updates a second of GETM 2.5 in float64, by layers and threads.
GETM = {(0, 1): 1.20e7, (0, 2): 2.39e7, (60, 1): 2.04e6, (60, 2): 3.97e6}


@hc.kernel
def copy(source: Any, target: Any) -> None:
    """Copy a field."""
    target[...] = source


def copying(threads: int) -> hc.Simulation:
    """Return a simulation that copies 128 MB a step."""
    grid = hc.Grid((1 << 24,))
    source, target = grid.field("source"), grid.field("target")
    source.set(1.0)
    return hc.Simulation(grid, [copy(source, target)], threads=threads, check_every=0)


def rate(simulation: hc.Simulation, steps: int) -> float:
    """Return steps a second."""
    start = time.perf_counter()
    simulation.run(steps, progress=False)
    return steps / (time.perf_counter() - start)


def measure(layers: int, threads: int, dtype: str) -> None:
    """Measure a case and print a row."""
    model = make_box((240, 240), dtype, layers=layers)
    dt = model.setup.macro_step
    ocean = hc.Simulation(model.grid, model.steps, dt=dt, threads=threads, check_every=0)
    memory = copying(threads)
    for simulation in (ocean, memory):
        simulation.run(12, progress=False)
    counts = [max(1, round(SECONDS * rate(s, 2))) for s in (ocean, memory)]
    turns = [
        [rate(s, n) for s, n in zip((ocean, memory), counts, strict=True)] for _ in range(TURNS)
    ]
    updates = 240 * 240 * (layers or MICRO_STEPS)
    found = [updates * steps for steps, _ in turns]
    copied = median(2 * 8 * (1 << 24) * steps for _, steps in turns) / 1e9
    assert np.isfinite(model.zeta[:, :]).all()
    ratio = median(found) / GETM[layers, threads]
    of_a_core = 1e9 * threads / median(found)
    print(
        f"{'3-D' if layers else '2-D'} {dtype} {threads} thread(s): {median(found):.3g} cell "
        f"updates/s ({min(found):.3g} to {max(found):.3g}), {of_a_core:.1f} ns a core, "
        f"{ratio:.2f} times GETM's float64; copying {copied:.1f} GB/s"
    )


for layers in (0, 60):
    for threads in (1, 2):
        for dtype in ("float64", "float32"):
            measure(layers, threads, dtype)
