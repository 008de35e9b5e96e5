"""A sweep through blocks in line whose owners alternate, by every transport.

mpiexec -n N python interleaved_columns.py

A rank hands a carry on and waits for another one before the first has been taken: whatever moves
messages must go on meanwhile.
"""

from __future__ import annotations

from random import Random

import numpy as np
from many_ranks import BY_MPI
from parallel.cases import CHOICES

import halocline as hc
from halocline.runtime.job import join

EXTENT, BLOCKS = (4, 6, 12), (1, 3, 6)


@hc.sweep("z+")
def running_sum(below, T, total):
    total[0, 0, 0] = below + T[0, 0, 0]
    return below + T[0, 0, 0]


def split(ranks: int, seed: int) -> hc.Decomposition:
    """Return blocks whose owners, each of at least one, stand in any order."""
    cuts = tuple(
        tuple(range(0, n + 1, n // blocks)) for n, blocks in zip(EXTENT, BLOCKS, strict=True)
    )
    owners = [n % ranks for n in range(int(np.prod(BLOCKS)))]
    Random(seed).shuffle(owners)
    return hc.Decomposition(cuts, (False,) * 3, ranks, tuple(owners))


def transports():
    """Return by which transports the sums were right."""
    job = join()
    values = np.random.default_rng(1).integers(0, 9, EXTENT).astype(float)
    moved = [one for one in CHOICES["transport"] if job.process is None or one not in BY_MPI]
    for transport in moved:
        for seed in range(3):
            grid = hc.Grid(EXTENT)
            T, total = grid.field("T"), grid.field("total")
            T.set(values)
            simulation = hc.Simulation(
                grid,
                [running_sum(T, total, start=0.0)],
                decomposition=split(job.size, seed),
                strategy=hc.Strategy(transport=transport, tiles=4),
            )
            simulation.run(3, progress=False)
            found = total.gather()
            if job.rank == 0:
                np.testing.assert_array_equal(found, np.cumsum(values, axis=2))
    return moved
