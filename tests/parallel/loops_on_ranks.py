"""Programs with loops that end when a condition holds; rank 0 prints what differs from NumPy."""

from __future__ import annotations

from loops import PROBLEMS, STRATEGIES, differences

import halocline as hc
from halocline.errors import ConvergenceError
from halocline.runtime.job import join


@hc.kernel
def grow(u):
    u[0] = 2.0 * u[0]


def unmet() -> str:
    """Return what all ranks are told where a condition never holds, and what fields are then."""
    grid = hc.Grid((16,))
    u = grid.field("u")
    u.set(1.0)
    total = hc.sum(u, name="total")
    simulation = hc.Simulation(grid, [hc.until(total < 1.0, grow(u), total, max_iterations=3)])
    try:
        simulation.run(2, progress=False)
    except ConvergenceError as error:
        largest = simulation.reduce(hc.max(u))
        return f"{error.message} {largest}"
    return "nothing"


def compare(device="cpu"):
    """Run every problem with some of the strategies; return what differs from NumPy."""
    job = join()
    found = {}
    for number, name in enumerate(PROBLEMS):
        for nth, strategy in enumerate(STRATEGIES):
            if device == "cpu" or (number + nth) % 3 == 0:
                options = {"strategy": STRATEGIES[strategy], "device": device}
                found[f"{name}, {strategy}"] = differences(name, **options)
    return {"differences": found, "told": sorted(set(job.everywhere(unmet())))}
