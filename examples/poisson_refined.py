"""Poisson's equation with a narrow charge, on cells that are fine where the charge is.

python examples/poisson_refined.py [cells of the coarsest level]
mpiexec -n 3 python examples/poisson_refined.py
"""

import sys
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import halocline as hc

cells, width = int(sys.argv[1]) if sys.argv[1:] else 64, 0.03


def from_middle(x: np.ndarray, y: np.ndarray) -> Any:
    return np.hypot(x - 0.3, y - 0.6) / width


def exact(x: np.ndarray, y: np.ndarray) -> Any:
    return np.exp(-(from_middle(x, y) ** 2) / 2)


def charge(x: np.ndarray, y: np.ndarray) -> Any:  # minus the Laplacian of that
    return (2 - from_middle(x, y) ** 2) * exact(x, y) / width**2


def wanted(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.select([from_middle(x, y) < r for r in (2.5, 4, 6)], [3, 2, 1], 0)


forest = hc.Forest((cells, cells), block=8, finest=3, refine=wanted, spacing=1 / cells)
u, f = forest.field("u"), forest.field("f")
u.boundary(forest.sides, hc.Dirichlet(0.0))
f.set(charge)
poisson = hc.Multigrid(lambda u: -hc.laplacian(u), u, f)
solve = hc.until(poisson.residual < 1e-8 / width**2, *poisson.cycle)
simulation = hc.Simulation(forest, [solve])
simulation.run(1, progress=False)

levels = [field.gather() for field in u.levels]
if simulation.rank == 0:
    print(f"{forest.cells} cells instead of {(8 * cells) ** 2}")
    print(f"{solve.iterations.value} cycles")
    _, axes = plt.subplots(figsize=(5, 4.4), layout="constrained")
    error = 0.0
    for level, values in enumerate(levels):
        for box in forest.leaves.boxes(level):
            here = values[box.slices((0, 0))]
            x, y = forest.level(level).coordinates("center", box)
            error = max(error, np.abs(here - exact(x, y)).max())
            (left, low), (right, high) = np.array([box.lower, box.upper]) / cells / 2**level
            place = (left, right, low, high)
            image = axes.imshow(here.T, origin="lower", extent=place, vmin=0, vmax=1)
            axes.plot([left, right, right], [low, low, high], color="white", linewidth=0.3)
    print(f"error {error:.1e}: from the solution of the differential equation")
    axes.set(xlim=(0, 1), ylim=(0, 1), title="u, and the borders of blocks", xlabel="x", ylabel="y")
    plt.colorbar(image, ax=axes)
    plt.savefig("poisson_refined.png", dpi=64)
