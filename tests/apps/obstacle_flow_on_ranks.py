"""Run short flows past obstacles on the ranks this was started with; rank 0 prints their bits.

mpiexec -n N python obstacle_flow_on_ranks.py DIRECTORY

The directory holds 'my.params' and 'my.obstacles'.
"""

from __future__ import annotations

import json
import sys
import zlib

import numpy as np

import halocline as hc
from halocline.apps.lbm.obstacle_flow import ObstacleFlow


def main() -> None:
    files = {name: f"{sys.argv[1]}/my.{name}" for name in ("parameters", "obstacles")}
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
            bits = [zlib.crc32(np.ascontiguousarray(values)) for values in state]
            print(json.dumps([[v.hex() for v in problem.averages], bits]))


main()
