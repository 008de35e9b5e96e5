"""Forests on any ranks, with every strategy, beside themselves on one block a level."""

from __future__ import annotations

import numpy as np
from many_ranks import BY_MPI
from parallel.on_forests import NOTHING, balance, digest, fluxes
from parallel.poisoned import in_turn

import halocline as hc
from halocline.runtime.job import join


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


def some_of(ways):
    """Return the ways that run on the ranks there are: all of them on one; trials by MPI alone."""
    job = join()
    if job.size == 1:
        return ways
    by_mpi = [way for way in ways if way[0] == "auto" or way[0].transport in BY_MPI]
    if job.process is None:
        return by_mpi
    return in_turn([way for way in ways if way not in by_mpi], 0, job.size)


def digests():
    """Return the digest that all strategies have."""
    strategies = [
        hc.Strategy(poison=True),
        hc.Strategy(poison=True, overlap="rim-first", transport="two-sided"),
        hc.Strategy(poison=True, overlap="postponed", messages="field", transport="shared-push"),
        hc.Strategy(poison=True, overlap="none", width="full", transport="persistent"),
        hc.Strategy(poison=True, wait="any", recompute="free", transport="get"),
        "auto",
    ]
    ways = [(strategy, "cpu") for strategy in strategies]
    ways.append((hc.Strategy(poison=True), "emulated:5"))
    found = {digest_of(*way) for way in some_of(ways)}
    found.discard(NOTHING)
    return sorted(found)
