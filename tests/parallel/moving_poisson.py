"""Poisson on a forest whose blocks move, split and merge between cycles, or are loaded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from parallel.on_forests import digest

import halocline as hc
from halocline.io.checkpoint import load, save

CYCLES = 2


def wanted(x, y):
    """Return finer levels in a corner."""
    return np.where(x + y < 5, 2, np.where(y < 4, 1, 0))


def further(x, y):
    """Return finer levels elsewhere."""
    return np.where(np.hypot(x - 10, y - 8) < 3, 2, 0)


def made(refine=wanted):
    """Return a simulation whose step is a cycle, its solution and its residual."""
    forest = hc.Forest((16, 16), block=4, finest=2, periodic=(True, False), refine=refine)
    u, f = forest.field("u"), forest.field("f")
    u.boundary("y-", hc.Dirichlet(1.0))
    u.boundary("y+", hc.Neumann(0.0))
    f.set(lambda x, y: np.sin(0.7 * x) + np.cos(1.1 * y))
    poisson = hc.Multigrid(lambda u: -hc.laplacian(u), u, f)
    strategy = hc.Strategy(poison=True)
    simulation = hc.Simulation(forest, [*poisson.cycle], strategy=strategy, threads=1)
    return simulation, u, poisson.residual


def gone_on(between):
    """Return the solution when something happens to the blocks twice, as a digest."""
    simulation, u, _ = made()
    for number in range(2):
        simulation.run(CYCLES, progress=False)
        between(simulation, number)
    simulation.run(CYCLES, progress=False)
    return digest(u)


def moved(simulation, number):
    """Give leaves to other ranks: most to one, and then to others by what they took."""
    leaves = simulation.grid.state.forest.leaves
    if number == 0:
        owners = [0] * (leaves.count - simulation.size) + list(range(simulation.size))
        simulation.rebuild(decomposition=hc.Owners(owners))
    else:
        simulation.rebalance(100_000)


def regridded(folder):
    """Return the solution on blocks that have been split and merged, before and after a restart."""
    simulation, u, residual = made()
    simulation.run(CYCLES, progress=False)
    for _ in range(2):
        assert simulation.regrid(further)
        simulation.run(CYCLES, progress=False)
    save(simulation, folder / f"regridded_{simulation.size}.npz")
    before = simulation.reduce(hc.max(u))
    simulation.run(8, progress=False)
    assert np.isfinite(before)
    assert simulation.reduce(residual) < 1e-6
    return digest(u)


def loaded(path):
    """Return the solution of a run that goes on from a file."""
    simulation, u, _ = made(lambda x, y: 0 * x * y)
    load(simulation, path)
    simulation.run(8, progress=False)
    return digest(u)


def on_blocks_that_move(folder):
    """Return digests of cycles on blocks that stay and on blocks that move."""
    return sorted({gone_on(between) for between in (lambda *_: None, moved)})


def on_blocks_that_change(folder):
    """Return digests on blocks that split and merge, and after all restarts there are."""
    folder = Path(folder)
    changed = {regridded(folder)}
    return sorted(changed | {loaded(path) for path in sorted(folder.glob("regridded_*.npz"))})
