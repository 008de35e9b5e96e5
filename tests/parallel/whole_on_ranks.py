"""Whole grids on ranks, with every strategy, compared with NumPy; multigrid; plan files."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

import numpy as np
import whole_or_cut
from many_ranks import possible
from parallel.poisoned import in_turn
from whole import Whole, differences

import halocline as hc
from halocline.runtime.job import join

STRATEGIES = {
    "default": {},
    "messages": {"transport": "two-sided", "messages": "field", "width": "full"},
    "put": {"transport": "put", "overlap": "none"},
    "rim first": {"overlap": "rim-first", "neighbours": "staged", "poison": True},
    "postponed": {"overlap": "postponed", "poison": True, "wait": "any"},
    "deep": {"depth": 2, "poison": True},
}


def boxes(ranks):
    """Return blocks of unequal size: the left half, and the rest in strips among the others."""
    half = [hc.Box((0, 0), (12, 20))]
    strips = [hc.Box((12, 4 * n), (24, 4 * n + 4)) for n in range(5)]
    owners = [0, *(n % ranks for n in range(1, 6))]
    return hc.Decomposition.of_blocks((24, 20), (True, False), ranks, half + strips, owners)


def digest(ranks, **options):
    """Return bits of a solution by multigrid, uneven blocks and all."""
    grid = hc.Grid((96, 64), spacing=(1 / 96, 1 / 64))
    u, f = grid.field("u"), grid.field("f")
    for side in ("x-", "x+", "y-", "y+"):
        u.boundary(side, hc.Dirichlet(0.0))
    f.set(np.random.default_rng(1).standard_normal(grid.extent))
    multigrid = hc.Multigrid(lambda u: -hc.laplacian(u), u, f, **options)
    simulation = hc.Simulation(grid, multigrid.cycle, threads=1, decomposition=(1, ranks))
    simulation.run(3, progress=False)
    return hashlib.sha256(u[...].tobytes()).hexdigest()[:16]


def check():
    """Return what differs."""
    ranks = hc.Simulation(hc.Grid(64), [lambda: None]).size
    wrong = []
    for split in ({}, {"blocks": 2}):
        for name in in_turn(STRATEGIES, len(split), ranks):
            found = differences(strategy=possible(hc.Strategy(**STRATEGIES[name])), **split)
            wrong += [(name, split, one) for one in found]
    if 1 < ranks <= 5:
        wrong += differences(decomposition=boxes(ranks))
    wrong += differences(device="emulated:4")
    strategy = hc.Strategy(overlap="rim-first", poison=True)
    whole = [whole_or_cut.digest(is_replicated=True, **g) for g in ({}, {"strategy": strategy})]
    wrong += [] if set(whole) == {whole_or_cut.digest(is_replicated=False)} else whole
    problem = Whole()
    simulation = hc.Simulation(problem.grid, problem.steps, threads=1)
    simulation.run(1, progress=False)
    simulation.rebuild(blocks=2)
    simulation.run(2, progress=False)
    wrong += problem.differences(simulation)
    folder = simulation.job.on_first(tempfile.mkdtemp)
    (folder,) = [one for one in simulation.job.everywhere(folder) if one]
    simulation.write_plan(Path(folder) / "whole.plan")
    again = Whole()
    planned = hc.Simulation(again.grid, again.steps, threads=1, plan=Path(folder) / "whole.plan")
    planned.run(2, progress=False)
    return wrong + again.differences(planned), simulation.size


def digests(ranks):
    """Return the bits of two cycles on some ranks."""
    return digest(ranks), digest(ranks, agglomeration_threshold=1000, cycle="F")


def check_all():
    """Return what differs and the digests, on each rank."""
    wrong, size = check()
    return join().everywhere((wrong, digests(size)))
