"""Run cases on the ranks there are: those that need MPI where it is, others on virtual ranks."""

from __future__ import annotations

from functools import partial

import stencils
from many_ranks import BY_MPI
from msgspec import to_builtins
from msgspec.structs import replace
from parallel.cases import CASES, DEVICE_CASES, Case

from halocline.plan.cells.strategy import DEVICE_TRANSPORTS
from halocline.runtime.job import Job, join

# What moves messages of devices between virtual ranks.
BY_HOST = ("via-host", "box-copies")


def chosen(ranks: int, device: str, *, has_mpi: bool) -> dict[int, Case]:
    """Return the cases that run on so many ranks, by their numbers."""
    cases = dict(enumerate(CASES))
    if device == "cpu":
        return {
            n: case
            for n, case in cases.items()
            if ranks == case.ranks and (case.transport in BY_MPI) == has_mpi
        }
    ways = DEVICE_TRANSPORTS if has_mpi else BY_HOST
    return {
        n: replace(case, transport=ways[n % len(ways)], ranks_per_node=None)
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
    return {"case": to_builtins(case), "crc": stencils.checksum(problem), "reductions": reductions}


def results(device="cpu"):
    """Return what cases come to, by their numbers; with a device only those for devices."""
    job = join()
    cases = chosen(job.size, device, has_mpi=job.process is None)
    return {n: result(case, job, device) for n, case in cases.items()}
