"""A simulation with all work in a corner, whose blocks are shared anew; rank 0 prints JSON."""

from __future__ import annotations

import zlib

import numpy as np

import halocline as hc
from halocline.errors import PlanError

MANY = 10**9
EVEN = hc.Sparse(np.ones((64, 48)), (8, 8))


@hc.kernel
def toil(a, b):
    found = a[1, 0] + a[0, -1]
    for _ in range(40):
        found = hc.sin(found) + 1.0
    b[0, 0] = found


@hc.kernel
def rest(a, b):
    b[0, 0] = a[0, 0]


def on_grid(**options):
    grid = hc.Grid((64, 48), periodic=True)
    a, b, busy = grid.field("a"), grid.field("b"), grid.field("busy", dtype="uint8")
    return _made(grid, a, b, busy, decomposition=EVEN, **options)


def on_forest(**options):
    def wanted(x, y):
        return np.where(np.hypot(x - 16, y - 24) < 9, 1, 0)

    forest = hc.Forest((64, 48), block=8, finest=1, refine=wanted, periodic=True)
    a, b = forest.field("a"), forest.field("b")
    busy = forest.field("busy", dtype="uint8", coupling="constant")
    return _made(forest, a, b, busy, **options)


def _made(grid, a, b, busy, **options):
    steps = [rest(a, b), toil(a, b, on=busy), hc.swap(a, b)]
    made = hc.Simulation(grid, steps, threads=1, **options)
    a.set(lambda x, y: x / 64 + y / 48)
    busy.set(lambda x, y: (x < 24) & (y < 24))
    return a, made


PROBLEMS = {"grid": on_grid, "forest": on_forest}


def checksum(a) -> int:
    """Return a number for the values of a field on all levels; 0 except on rank 0."""
    levels = getattr(a, "levels", [a])
    found = [values for values in (level.gather() for level in levels) if values is not None]
    return zlib.crc32(b"".join(np.nan_to_num(values).tobytes() for values in found))


def run_and_share(problem: str, steps_ahead: int, **options):
    a, made = PROBLEMS[problem](**options)
    made.run(20, progress=False)
    found = made.rebalance(steps_ahead)
    owners = (made.decomposition.pieces or made.decomposition).owners
    made.run(20, progress=False)
    return checksum(a), found, owners


def shared_now_and_then(problem: str, **options) -> int:
    a, made = PROBLEMS[problem](rebalance_every=10, **options)
    for steps in (7, 23, 10):
        made.run(steps, progress=False)
    return checksum(a)


def told(problem: str, **options):
    """Return what a problem came to."""
    try:
        shared, found, owners = run_and_share(problem, MANY, **options)
        unpaid, _, stay = run_and_share(problem, 0, **options)
        often = shared_now_and_then(problem, **options)
    except PlanError as error:
        return {"error": str(error)}
    return {
        "checksums": [shared, unpaid, often],
        "pays": found.pays,
        "gain": found.repartitioning.before / found.repartitioning.after,
        "steps": found.steps,
        "owners": owners,
        "unpaid": stay,
        "text": str(found),
    }
