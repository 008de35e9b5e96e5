"""A forest whose blocks split, merge and go to other ranks while it runs, on any ranks.

mpiexec -n N python regrids_on_ranks.py CHECKPOINT

goes on from the checkpoint if there is one, or else writes it on the way.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from parallel.on_forests import balance, digest, fluxes

import halocline as hc
from halocline.io.checkpoint import load, save
from halocline.runtime.job import join

SAVED_AFTER, STEPS = 1, 3


@hc.kernel
def steep(T, wanted):
    change = 0.0
    for axis in range(3):
        ahead = tuple(int(a == axis) for a in range(3))
        behind = tuple(-n for n in ahead)
        change = change + abs(T[ahead] - T[behind])
    wanted[0, 0, 0] = 5.0 * change


def made(strategy):
    """Return a simulation, its forest and its field."""
    forest = hc.Forest(
        (8, 8, 8),
        block=4,
        finest=2,
        periodic=(True, False, True),
        refine=lambda x, y, z: np.where(x + y < 3, 1, 0) + 0 * z,
    )
    T, wanted = forest.field("T"), forest.field("wanted", dtype="float32", coupling="none")
    faces = [forest.field(f"F{axis}", location=f"{axis}_face", coupling="flux") for axis in "xyz"]
    pair = forest.field("pair", components=2, dtype="float32")
    for side in forest.sides:
        T.boundary(side, hc.Neumann(0.0))
        faces[1].boundary(side, hc.Dirichlet(0.0))
    k = hc.PerLevel(lambda level: 0.02 * 2**level)
    steps = [fluxes(T, *faces, k=k), balance(T, *faces), hc.every(2, steep(T, wanted))]
    simulation = hc.Simulation(
        forest, steps, strategy=strategy, refine=hc.Refine(wanted, every=2), check_every=0
    )
    T.set(lambda x, y, z: np.exp(-((x - 4) ** 2 + (y - 4) ** 2 + (z - 3) ** 2) / 2))
    pair.set(lambda x, y, z: [x + 0 * y * z, np.sin(y + z) + 0 * x])
    return simulation, forest, T, pair


def go_on(simulation, forest, steps):
    """Do steps one by one, with the leaves on other ranks in each."""
    for _ in range(steps):
        simulation.run(1, progress=False)
        count, ranks = forest.leaves.count, simulation.size
        owners = np.random.default_rng(simulation.step).integers(0, ranks, count)
        owners[:ranks] = range(ranks)
        simulation.rebuild(decomposition=hc.Owners(tuple(owners.tolist())))


def content(T):
    mine = sum(a.sum() / 8**level for level, f in enumerate(T.levels) for a in f.local())
    return sum(join().everywhere(mine))


def digest_and_leaves(saved):
    """Return the digest, and how many leaves there are in the end."""
    saved = Path(saved)
    simulation, forest, *fields = made(hc.Strategy(poison=True))
    simulation.run(0, progress=False)
    before = content(fields[0])
    if saved.exists():
        load(simulation, saved)
    else:
        go_on(simulation, forest, SAVED_AFTER)
        save(simulation, saved)
    go_on(simulation, forest, STEPS - simulation.step)
    assert abs(content(fields[0]) / before - 1) < 1e-13
    found = digest(*fields, about=repr([*forest.leaves]))
    return found, *map(len, forest.leaves.levels)
