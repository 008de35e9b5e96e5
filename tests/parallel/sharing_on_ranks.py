"""Flow through pores whose blocks are shared by each rule; rank 0 prints a fingerprint of each.

mpiexec -n N python sharing_on_ranks.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
from small_flows import fingerprint, run

import halocline as hc
from halocline.apps.lbm.flow import Setup
from halocline.runtime.job import join

EXTENT, BLOCK = (36, 24, 20), (4, 4, 4)


def pores() -> np.ndarray:
    """Return the fluid cells of two winding channels that meet, periodic along x."""
    x, y, z = np.meshgrid(*map(np.arange, EXTENT), indexing="ij")
    turn = 2 * np.pi * x / EXTENT[0]
    one = (y - 12 - 6 * np.sin(turn)) ** 2 + (z - 10) ** 2 < 4**2
    return one | ((y - 12) ** 2 + (z - 10 - 5 * np.cos(turn)) ** 2 < 3**2)


def flow(**options):
    """Return the flow after some steps, and its simulation."""
    setup = Setup(EXTENT, "D3Q19", 1.3, solid=~pores(), force=(1e-4, 0.0, 0.0))
    return run(setup, 6, **options)


def main() -> None:
    """Run once by each rule."""
    found = {}
    for rule in ("curve", "metis"):
        shared = hc.Sparse(pores(), BLOCK, rule)
        made, simulation = flow(decomposition=shared, strategy=hc.Strategy(poison=True))
        blocks = simulation.decomposition.blocks_of(simulation.rank)
        found[rule] = {
            "bits": fingerprint(made),
            "imbalance": simulation.decomposition.balance.imbalance,
            "blocks": join().gather(len(blocks)),
            "report": str(simulation.report()),
        }
    if join().rank == 0:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
