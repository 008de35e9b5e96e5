"""Run a program with strategy='auto' and with the default; write what was chosen and why.

mpiexec -n N python auto.py OUTPUT [DEVICE]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import stencils

import halocline as hc
from halocline.runtime.job import join

MOST_STEPS = 20_000


def chosen(steps: int, device: str) -> dict[str, int | str]:
    """Run at least so many steps, until the strategy is decided."""
    problem = stencils.make("heat 2-D", "all", "float64")
    simulation = hc.Simulation(
        problem.grid, problem.steps, strategy="auto", threads=1, device=device
    )
    stencils.fill(problem)
    simulation.run(steps, progress=False)
    while simulation.selection.autotuner is not None and simulation.step < MOST_STEPS:
        simulation.run(steps, progress=False)
    return {
        "steps": simulation.step,
        "crc": stencils.checksum(problem),
        "strategy": simulation.report().strategy,
    }


def by_default(steps: int) -> int:
    """Return the checksum of so many steps with the default strategy on the processor."""
    problem = stencils.make("heat 2-D", "all", "float64")
    simulation = hc.Simulation(problem.grid, problem.steps, strategy=hc.Strategy(), threads=1)
    stencils.fill(problem)
    simulation.run(steps, progress=False)
    return stencils.checksum(problem)


if __name__ == "__main__":
    found = chosen(200, sys.argv[2] if len(sys.argv) > 2 else "cpu")
    found["expected"] = by_default(int(found["steps"]))
    if join().rank == 0:
        Path(sys.argv[1]).write_text(json.dumps(found), encoding="utf-8")
