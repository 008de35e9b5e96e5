"""Fill cells with their own number and copy every neighbour's; rank 0 writes what came."""

from __future__ import annotations

from itertools import product

import numpy as np

import halocline as hc

EXTENT = (6, 5, 4)
OFFSETS = tuple(product((-1, 0, 1), repeat=3))


@hc.kernel
def look_around(number, seen):
    for component, offset in enumerate(OFFSETS):
        seen[component] = number[offset]


def numbers() -> np.ndarray:
    """Return the number of each cell."""
    return np.arange(np.prod(EXTENT), dtype=np.int64).reshape(EXTENT)


def expected() -> np.ndarray:
    """Return what every cell should see."""
    return np.stack([np.roll(numbers(), tuple(-o for o in d), (0, 1, 2)) for d in OFFSETS])


def look(**options) -> np.ndarray | None:
    """Return what every cell sees around it, (offsets, nx, ny, nz), on rank 0."""
    grid = hc.Grid(EXTENT, periodic=True)
    number = grid.field("number", dtype="int64")
    seen = grid.field("seen", dtype="int64", components=len(OFFSETS))
    number.set(numbers())
    simulation = hc.Simulation(grid, [look_around(number, seen)], **options)
    simulation.run(1, progress=False)
    return seen.gather()


def seen(shape, neighbours):
    """Return what cells see on blocks of the ranks, on rank 0."""
    strategy = hc.Strategy(neighbours=neighbours, poison=True)
    found = look(decomposition=tuple(shape), strategy=strategy, threads=1)
    return None if found is None else found.tolist()
