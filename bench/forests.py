"""Measure flows on levels beside a uniform grid: '[mpiexec -n 2] python bench/forests.py [cuda]'.

For each size of blocks a D3Q19 flow in a box (float32, TRT) on a forest that is refined around a
sphere, and one on a uniform grid of about as many updates a step, take turns. Printed are the
medians of the ratios of cell updates a second, the memory beside the sum over cells, and what the
model says of a step. Cells of level l count 2^l times in a step. A device may be named.
"""

from __future__ import annotations

import sys
import time
from statistics import median
from typing import Any

import numpy as np

import halocline as hc
from halocline.lbm import Refinement, Setup, make_flow, trt

# A device records 16 steps at once.
TURNS, SECONDS, EACH = 5, 2.0, 16
# Cells of a block, roots along each axis, and how far from the sphere, in roots, a level reaches.
BLOCKS, ROOTS, REACH = (16, 32), 3, (0.5, 0.2)


def flow_of(block: int) -> Any:
    """Return a flow with levels around a sphere in the middle."""
    n = ROOTS * block

    def wanted(x: Any, y: Any, z: Any) -> Any:
        away = np.abs(np.sqrt(sum((c - n / 2) ** 2 for c in (x, y, z))) - n / 6) / block
        return sum((away < width).astype(int) for width in REACH)

    near = Refinement(wanted, finest=len(REACH), block=block)
    return make_flow(Setup((n,) * 3, "D3Q19", 1.6, trt(), dtype="float32", refinement=near))


def uniform(n: int) -> Any:
    """Return a flow in a periodic cube."""
    return make_flow(Setup((n,) * 3, "D3Q19", 1.6, trt(), dtype="float32"))


def simulated(flow: Any, device: str) -> hc.Simulation:
    """Return a simulation that has found out how it is fastest."""
    simulation = hc.Simulation(flow.grid, flow.steps, dt=flow.dt, device=device)
    simulation.run(40, progress=False)
    return simulation


def rate(simulation: hc.Simulation, updates: int) -> float:
    """Return cell updates a second."""
    steps, begun = 0, time.perf_counter()
    while time.perf_counter() - begun < SECONDS:
        simulation.run(EACH, progress=False)
        steps += EACH
    return steps * updates / (time.perf_counter() - begun)


def compare(block: int, device: str) -> None:
    """Print how a forest does beside a uniform grid."""
    flow = flow_of(block)
    leaves = flow.grid.leaves
    counts = [len(found) for found in leaves.levels]
    updates = flow.updates
    forest = simulated(flow, device)
    n = round(leaves.cells ** (1 / 3) / 16) * 16
    beside = simulated(uniform(n), device)
    pairs = [(rate(forest, updates), rate(beside, n**3)) for _ in range(TURNS)]
    a_cell = forest.bytes_stored() / leaves.cells, beside.bytes_stored() / n**3
    if forest.rank:
        return
    report = forest.report()
    measured = report.seconds / max(report.steps, 1)
    print(
        f"blocks of {block}^3, {counts} leaves, {leaves.cells:,} cells; uniform {n}^3; "
        f"{forest.size} rank(s)\n"
        f"  rate {median(a / b for a, b in pairs):.2f} of the uniform grid's "
        f"({median(a for a, _ in pairs) / 1e6:.0f} and {median(b for _, b in pairs) / 1e6:.0f} "
        "million updates/s)\n"
        f"  memory {a_cell[0]:.0f} bytes a cell, {a_cell[0] / a_cell[1]:.2f} of the other grid's\n"
        f"  a step {measured * 1e3:.1f} ms, {report.predicted_s * 1e3:.1f} ms by the model "
        f"({report.predicted_s / measured - 1:+.0%})"
    )


def main() -> None:
    """Compare all sizes of blocks."""
    device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
    for block in BLOCKS:
        compare(block, device)


if __name__ == "__main__":
    main()
