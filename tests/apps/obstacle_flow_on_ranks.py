"""Short flows past obstacles, and their bits on the ranks there are."""

from __future__ import annotations

import zlib

import numpy as np

import halocline as hc
from halocline_reproduction.obstacle_flow import ObstacleFlow


def bits(folder):
    """Return averages and sums of bits, on rank 0; the folder holds 'my.params' and so on."""
    files = {name: f"{folder}/my.{name}" for name in ("parameters", "obstacles")}
    found = []
    for case in (
        ObstacleFlow(steps=60),
        ObstacleFlow(**files),
        ObstacleFlow(**files, dtype="float32"),
    ):
        problem = case.problem()
        simulation = hc.Simulation(problem.grid, problem.steps, threads=1)
        result = case.run(simulation, problem, lambda _: None)
        state = [variable.values for variable in result.variables()]
        if simulation.rank == 0:
            sums = [zlib.crc32(np.ascontiguousarray(values)) for values in state]
            found.append([[v.hex() for v in problem.averages], sums])
    return found
