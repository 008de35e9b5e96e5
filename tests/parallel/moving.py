"""Simulations that go on with other blocks now and then; rank 0 prints the sums as JSON."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from random import Random

import numpy as np
import stencils
from many_ranks import possible
from msgspec.structs import replace
from property.executions import draw_split
from related import Related
from stencils import Problem

import halocline as hc
from halocline.runtime.job import join

PIECES = (2, 3, 1, 2)


@hc.kernel
def grow(T, T_new, seen, *, rate, total, step, time):
    T_new[0, 0] = T[0, 0] + rate * (T[1, 0] + T[0, -1] - T[0, 0]) / total + 1e-3 * time
    seen[0][0, 0] = step
    seen[1][0, 0] = seen[1][0, 0] + 1


@hc.kernel
def strike(T, hit):
    hit[0, 0] = T[0, 0] > 0.5


def counting() -> Problem:
    """A mask, numbers that change between steps, a reduction, a function, now and then."""
    grid = hc.Grid((12, 9), periodic=(True, False))
    T, T_new = grid.field("T"), grid.field("T_new")
    hit = grid.field("hit", dtype="uint8")
    seen = grid.field("seen", dtype="float32", components=2, layout="aos")
    T.boundary("y-", hc.Dirichlet(0.25))
    rate, total = hc.Parameter(0.1), hc.sum(T * T + 1.0)

    def change() -> None:
        rate.value *= 1.5
        for array in T.local():
            array[...] *= 1.25

    steps = [
        hc.every(2, strike(T, hit)),
        total,
        grow(T, T_new, seen, rate=rate, total=total, step=hc.step, time=hc.time, on=hit),
        hc.swap(T, T_new),
        hc.every(3, change),
    ]
    return Problem(grid, steps)


def related() -> Problem:
    """Fields without axes, on a coarser grid and on faces, and a sweep."""
    made = Related()
    return Problem(made.grid, made.steps)


def made(name: str) -> Callable[[], Problem]:
    """Return what makes one of the problems of other tests."""
    return lambda: stencils.make(name, "first", "float32")


PROBLEMS = {
    "heat": made("heat 3-D"),
    "waves": made("waves 2-D"),
    "interleaved": made("cavity 2-D, interleaved"),
    "in place": made("in place 2-D"),
    "obstacles": made("obstacles 2-D"),
    "counting": counting,
    "related": related,
}
STRATEGIES = (
    "auto",
    hc.Strategy(poison=True),
    hc.Strategy(transport="two-sided", overlap="rim-first", width="full", poison=True),
    hc.Strategy(transport="persistent", overlap="postponed", neighbours="staged", poison=True),
)


def splits(problem: Problem, ranks: int, seed: int) -> Iterator[dict]:
    """Yield what a simulation is to be rebuilt with."""
    random, grid = Random(seed), problem.grid
    grain = tuple(
        max(int(1 / other.scale[axis]) for other in grid.family) for axis in range(grid.dimensions)
    )
    split = draw_split(random, grid.extent, grid.periodic, ranks, grain)
    owners = [*range(ranks), *random.choices(range(ranks), k=split.blocks - ranks)]
    random.shuffle(owners)
    yield {"decomposition": replace(split, owners=tuple(owners))}
    yield {"decomposition": "tiles" if ranks <= 2 else None, "blocks": 2 if ranks < 5 else 1}
    if len(grid.family) == 1:
        weights = np.random.default_rng(seed).uniform(1.0, 9.0, grid.extent)
        rule = ("curve", "metis")[(ranks + seed) % 2]
        yield {"decomposition": hc.Sparse(weights, (3,) * grid.dimensions, rule)}
    yield {}


def checksum(name: str, number: int, *, ranks: int, is_moving: bool, **options) -> int:
    """Run a problem, on other blocks after each piece if wanted; return a sum of its bits."""
    problem = PROBLEMS[name]()
    stencils.fill(problem)
    simulation = hc.Simulation(problem.grid, problem.steps, threads=1, **options)
    others = splits(problem, ranks, number)
    for count in PIECES:
        simulation.run(count, progress=False)
        if is_moving and (split := next(others, None)) is not None:
            simulation.rebuild(**split)
    assert simulation.step == sum(PIECES)
    numbers = np.array([simulation.reduce(hc.sum(f)) for f in problem.grid.fields.values()])
    return zlib.crc32(numbers.tobytes(), stencils.checksum(problem))


def on_these(name, device="cpu"):
    """Return the sum of a problem whose blocks are replaced, on the ranks here."""
    ranks, number = join().size, list(PROBLEMS).index(name)
    strategy = STRATEGIES[(number + ranks) % len(STRATEGIES)]
    if device != "cpu" and strategy != "auto":
        strategy = hc.Strategy(poison=True)
    options = {"strategy": possible(strategy), "device": device}
    return checksum(name, number, ranks=ranks, is_moving=True, **options)
