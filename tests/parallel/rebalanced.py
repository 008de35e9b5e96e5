"""A simulation with all work in a corner, whose blocks are shared anew; rank 0 prints JSON.

mpiexec -n N python rebalanced.py [DEVICE]
"""

from __future__ import annotations

import json
import sys
import zlib

import numpy as np

import halocline as hc
from halocline.errors import PlanError
from halocline.runtime.job import join

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


def simulation(**options):
    grid = hc.Grid((64, 48), periodic=True)
    a, b, busy = grid.field("a"), grid.field("b"), grid.field("busy", dtype="uint8")
    steps = [rest(a, b), toil(a, b, on=busy), hc.swap(a, b)]
    made = hc.Simulation(grid, steps, decomposition=EVEN, threads=1, **options)
    a.set(lambda x, y: x / 64 + y / 48)
    busy.set(lambda x, y: (x < 24) & (y < 24))
    return a, made


def run_and_share(steps_ahead: int, **options):
    a, made = simulation(**options)
    made.run(20, progress=False)
    found = made.rebalance(steps_ahead)
    owners = made.decomposition.owners
    made.run(20, progress=False)
    values = a.gather()
    return 0 if values is None else zlib.crc32(values.tobytes()), found, owners


def main() -> None:
    options = dict(zip(["device"], sys.argv[1:], strict=False))
    try:
        checksum, found, owners = run_and_share(MANY, **options)
        unpaid, _, stay = run_and_share(0, **options)
    except PlanError as error:
        told = {"error": str(error)}
    else:
        told = {
            "checksums": [checksum, unpaid],
            "pays": found.pays,
            "gain": found.resharing.before / found.resharing.after,
            "steps": found.steps,
            "owners": owners,
            "unpaid": stay,
            "text": str(found),
        }
    if join().rank == 0:
        print(json.dumps(told))


if __name__ == "__main__":
    main()
