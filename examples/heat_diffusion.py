"""Heat spreads in a box: periodic in x and y, kept warm below, insulated above.

python examples/heat_diffusion.py [cells steps]
mpiexec -n 4 python examples/heat_diffusion.py
"""

import sys
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import halocline as hc

cells, steps = map(int, sys.argv[1:] or (96, 1000))
rate = 0.1  # diffusivity * dt / cell width²

grid = hc.Grid((cells, cells, cells), periodic=(True, True, False))
T = grid.field("T", unit="degC", description="temperature")
T_new = grid.field("T_new")


@hc.kernel
def heat(T: hc.Field, T_new: hc.Field, *, a: float) -> None:
    T_new[0, 0, 0] = T[0, 0, 0] + a * hc.laplacian(T)


def exact(x: Any, y: Any, z: Any, decay: float = 1.0) -> Any:
    return 1.0 + 0.5 * decay * np.sin(2 * np.pi * x / cells) * np.sin(np.pi * z / (2 * cells))


T.set(exact)  # every rank sets its own cells
T.boundary("z-", hc.Dirichlet(1.0))
T.boundary("z+", hc.Neumann(0.0))
simulation = hc.Simulation(grid, [heat(T, T_new, a=rate), hc.swap(T, T_new)])
simulation.run(steps)

mean, warmest = simulation.reduce(hc.sum(T)) / cells**3, simulation.reduce(hc.max(T))
section = T.to_xarray()  # on rank 0; None on the others
if simulation.rank == 0:
    decay = np.exp(-rate * steps * ((2 * np.pi / cells) ** 2 + (np.pi / (2 * cells)) ** 2))
    error = np.abs(section - exact(section.x, section.y, section.z, decay)).max() / decay
    print(f"mean temperature {mean:.6f} degC, warmest {warmest:.6f} degC")
    print(f"error {error:.1e}: largest difference from the exact solution, over its amplitude")
    plt.figure(figsize=(5.5, 4), layout="constrained")
    section.isel(y=0).plot.contourf(x="x", levels=np.linspace(0.6, 1.4, 17), cmap="coolwarm")
    plt.title(f"Heat in a box after {steps} steps")
    plt.xlabel("x [cells]"), plt.ylabel("z [cells]")
    plt.savefig("heat_diffusion.png", dpi=80)
