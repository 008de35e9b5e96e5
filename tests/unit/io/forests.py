"""Small forests for tests of output: no compiler is needed."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

import halocline as hc
from halocline.io.quantity import Quantity


@hc.kernel
def fade(T, w):
    T[0, 0] = 0.5 * T[0, 0]
    w[0][0, 0] = w[0][0, 0] + 1


def forest(low=4.0):
    """Return a simulation of two axes on up to three levels, refined from x = 'low' on."""
    made = hc.Forest(
        (8, 8),
        block=4,
        finest=2,
        refine=lambda x, y: np.where(x > low, 1, 0) + 0 * y,
        spacing=0.5,
        origin=1.0,
        substeps=1,
    )
    T = made.field("T", unit="K", description="temperature")
    w = made.field("w", dtype="int32", components=2)
    simulation = hc.Simulation(made, [fade(T, w)], dt=0.25, target="numpy", threads=1)
    T.set(lambda x, y: np.sin(x) + y)
    w.set(7)
    simulation.run(0, progress=False)
    quantities = (
        Quantity("T", T, unit="K", description="temperature", convert=lambda T: 2 * T),
        Quantity("count", w),
    )
    return SimpleNamespace(forest=made, simulation=simulation, T=T, w=w, quantities=quantities)
