"""Run cases on the ranks this was started with; rank 0 writes the sums as JSON.

mpiexec -n N python run_cases.py OUTPUT [DEVICE]

With a device only the cases for devices.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import stencils
from parallel.cases import CASES, DEVICE_CASES, Case

from halocline.plan.strategy import DEVICE_TRANSPORTS
from halocline.runtime.job import Job, join


def chosen(ranks: int, device: str) -> dict[int, Case]:
    """Return the cases that run on so many ranks, by their numbers."""
    cases = dict(enumerate(CASES))
    if device == "cpu":
        return {n: case for n, case in cases.items() if ranks == case.ranks}
    kinds = len(DEVICE_TRANSPORTS)
    return {
        n: replace(case, transport=DEVICE_TRANSPORTS[n % kinds], ranks_per_node=None)
        for n, case in cases.items()
        if case in DEVICE_CASES
    }


def result(wanted: Case, job: Job, device: str = "cpu") -> dict:
    """Run a case; return what was run, a sum of all bits (on rank 0), and every rank's sums."""
    problem = wanted.make()
    case, split = job.from_first(partial(wanted.distribute, problem, job.size))
    simulation = stencils.run(
        problem,
        strategy=case.strategy(),
        threads=case.threads,
        decomposition=split,
        ranks_per_node=case.ranks_per_node,
        device=device,
    )
    field = next(iter(problem.grid.fields.values()))
    # Every rank must have the same reductions; the sum of the arrays is on rank 0 only.
    reductions = job.gather(stencils.reductions(field, simulation))
    return {"case": asdict(case), "crc": stencils.checksum(problem), "reductions": reductions}


def main() -> None:
    job = join()
    device = sys.argv[2] if len(sys.argv) > 2 else "cpu"
    found = {n: result(case, job, device) for n, case in chosen(job.size, device).items()}
    if job.rank == 0:
        Path(sys.argv[1]).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
