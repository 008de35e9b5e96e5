"""Run all cases on the ranks this was started with; rank 0 writes the sums as JSON.

mpiexec -n N python run_cases.py OUTPUT [DEVICE]

With a device only the cases for devices.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import stencils
from parallel.cases import CASES, DEVICE_CASES

from halocline.plan.strategy import DEVICE_TRANSPORTS
from halocline.runtime.job import join


def main() -> None:
    job = join()
    device = sys.argv[2] if len(sys.argv) > 2 else "cpu"
    results = {}
    for number, wanted in enumerate(CASES):
        case = wanted
        if device != "cpu":
            if wanted not in DEVICE_CASES:
                continue
            transport = DEVICE_TRANSPORTS[number % len(DEVICE_TRANSPORTS)]
            case = replace(wanted, transport=transport, ranks_per_node=None)
        problem = case.make()
        split, strategy = job.from_first(partial(case.distribute, problem, job.size))
        simulation = stencils.run(
            problem,
            strategy=strategy,
            threads=case.threads,
            decomposition=split,
            ranks_per_node=case.ranks_per_node,
            device=device,
        )
        field = next(iter(problem.grid.fields.values()))
        found = stencils.reductions(field, simulation)
        # Every rank must have the same reductions; the sum of the arrays is on rank 0 only.
        everyone = job.gather(found)
        results[str(number)] = {"crc": stencils.checksum(problem), "reductions": everyone}
    if job.rank == 0:
        Path(sys.argv[1]).write_text(json.dumps(results), encoding="utf-8")


if __name__ == "__main__":
    main()
