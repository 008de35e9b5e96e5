"""Poisson's equation on a forest, with several strategies, beside itself on one rank."""

from __future__ import annotations

import numpy as np
from parallel.on_forests import digest

import halocline as hc


def through(u, k):
    along = [hc.d(hc.average(k, axis) * hc.d(u, axis), axis) for axis in "xyz"]
    return -(along[0] + along[1] + along[2])


def digest_of(strategy, device="cpu"):
    """Return what some cycles make of a forest, as a digest of all leaves' values."""
    forest = hc.Forest(
        (16, 8, 8),
        block=4,
        finest=2,
        periodic=(True, False, True),
        refine=lambda x, y, z: np.where(x + y < 3, 2, np.where(z < 3, 1, 0)),
    )
    u, f, k = (forest.field(name) for name in "ufk")
    u.boundary("y-", hc.Dirichlet(1.0))
    u.boundary("y+", hc.Neumann(0.0))
    k.boundary(forest.sides, hc.Neumann(0.0))
    k.set(lambda x, y, z: 1.0 + 0.3 * np.sin(x + y) + 0.0 * z)
    f.set(lambda x, y, z: np.sin(0.7 * x) + np.cos(1.1 * y + z))
    poisson = hc.Multigrid(through, u, f, coefficients=[k])
    solve = hc.until(poisson.residual < 1e-4, *poisson.cycle, max_iterations=6, on_failure="ignore")
    simulation = hc.Simulation(
        forest, [*poisson.update, solve], strategy=strategy, device=device, threads=1
    )
    simulation.run(1, progress=False)
    assert simulation.reduce(poisson.residual) < 1e-2
    return digest(u)


WAYS = {
    "default": (hc.Strategy(poison=True),),
    "rim first": (hc.Strategy(poison=True, overlap="rim-first", transport="two-sided"),),
    "postponed": (
        hc.Strategy(poison=True, overlap="postponed", width="full", transport="shared-push"),
    ),
    "device": (hc.Strategy(poison=True), "emulated:5"),
}


def solved(name):
    """Return the digest of the solution in one of the ways."""
    return digest_of(*WAYS[name])
