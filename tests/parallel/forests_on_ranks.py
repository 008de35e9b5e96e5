"""Forests on any ranks, with every strategy, beside themselves on one block a level."""

from __future__ import annotations

import numpy as np
from parallel.on_forests import balance, digest, fluxes

import halocline as hc


@hc.kernel
def wide(T, T_new):
    """Reads along diagonals and two cells away."""
    T_new[0, 0, 0] = T[0, 0, 0] + 0.01 * (T[2, 0, 0] + T[-1, -1, 1] + T[0, -2, 0] - 3 * T[0, 0, 0])


def digest_of(strategy, device="cpu"):
    """Return what some steps make of a forest, as a digest of all leaves' values."""
    forest = hc.Forest(
        (16, 16, 16),
        block=8,
        finest=2,
        periodic=(True, False, True),
        refine=lambda x, y, z: np.where(x + y < 5, 2, np.where(z < 4, 1, 0)),
    )
    T, T_new = forest.field("T"), forest.field("T_new")
    faces = [forest.field(f"F{axis}", location=f"{axis}_face", coupling="flux") for axis in "xyz"]
    for side in forest.sides:
        T.boundary(side, hc.Neumann(0.0))
        faces[1].boundary(side, hc.Dirichlet(0.0))
    k = hc.PerLevel(lambda level: 0.02 * 2**level)
    further = [wide(T, T_new), hc.swap(T, T_new)]
    steps = [fluxes(T, *faces, k=k), balance(T, *faces), *further, hc.repeat(2, *further)]
    simulation = hc.Simulation(forest, steps, strategy=strategy, device=device)
    T.set(lambda x, y, z: np.sin(0.7 * x) + np.cos(1.1 * y + z) + 0.1 * z)
    simulation.run(3, progress=False)
    return digest(T)


WAYS = {
    "default": (hc.Strategy(poison=True),),
    "get": (hc.Strategy(poison=True, wait="any", recompute="fewest-bytes", transport="get"),),
    "rim first": (hc.Strategy(poison=True, overlap="rim-first", transport="two-sided"),),
    "postponed": (
        hc.Strategy(poison=True, overlap="postponed", messages="field", transport="shared-push"),
    ),
    "device": (hc.Strategy(poison=True), "emulated:5"),
    "auto": ("auto",),
    "recompute": (hc.Strategy(poison=True, recompute="fewest-bytes", wait="any"),),
    "full": (hc.Strategy(poison=True, overlap="none", width="full"),),
}


def run(name):
    """Return the digest of the leaves in one of the ways."""
    return digest_of(*WAYS[name])
