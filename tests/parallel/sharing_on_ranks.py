"""Flow through a channel whose blocks are shared by each rule."""

from __future__ import annotations

import numpy as np
from small_flows import fingerprint, run

import halocline as hc
from halocline.lbm import Setup
from halocline.runtime.job import join

EXTENT, BLOCK = (48, 40), (8, 8)


def channel() -> np.ndarray:
    """Return the fluid cells of a winding channel, periodic along x."""
    x, y = np.meshgrid(*map(np.arange, EXTENT), indexing="ij")
    return abs(y - 20 - 8 * np.sin(2 * np.pi * x / EXTENT[0])) < 5


def flow(**options):
    """Return the flow after some steps, and its simulation."""
    setup = Setup(EXTENT, "D2Q9", 1.4, solid=~channel(), force=(1e-4, 0.0))
    return run(setup, 20, **options)


def by_rule():
    """Run once by each rule; return what came of it."""
    found = {}
    for rule in ("curve", "metis"):
        shared = hc.Sparse(channel(), BLOCK, rule)
        made, simulation = flow(decomposition=shared, strategy=hc.Strategy(poison=True))
        blocks = simulation.decomposition.blocks_of(simulation.rank)
        found[rule] = {
            "bits": fingerprint(made),
            "imbalance": simulation.decomposition.balance.imbalance,
            "blocks": join().everywhere(len(blocks)),
            "shared": simulation.decomposition.pieces.blocks,
            "report": str(simulation.report()),
        }
    return found
