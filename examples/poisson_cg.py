"""The potential of two charges in a grounded box, by conjugate gradients, beside a direct solver.

python examples/poisson_cg.py [cells]
mpiexec -n 4 python examples/poisson_cg.py
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy.fft import dstn, idstn

import halocline as hc

cells = int(sys.argv[1]) if len(sys.argv) > 1 else 96
grid = hc.Grid((cells,) * 3, spacing=1.0 / cells)
potential, charge = grid.field("potential", description="potential"), grid.field("charge")
potential.boundary(grid.sides, hc.Dirichlet(0.0))


@hc.kernel
def minus_laplacian(p: hc.Field, q: hc.Field) -> None:
    q[0, 0, 0] = -hc.laplacian(p)


def ball(x: np.ndarray, y: np.ndarray, z: np.ndarray, at: float) -> np.ndarray:
    return np.exp(-((x - at) ** 2 + (y - at) ** 2 + (z - 0.5) ** 2) / 0.003)


charge.set(lambda x, y, z: 1e3 * (ball(x, y, z, 0.35) - ball(x, y, z, 0.65)))
solver = hc.conjugate_gradients(minus_laplacian, potential, charge, tolerance=1e-10)
simulation = hc.Simulation(grid, [solver])
simulation.run(1)

found, given = potential.to_xarray(), charge.gather()
if simulation.rank == 0:  # sines are what the operator only multiplies, each by a number of its own
    along = (2.0 - 2.0 * np.cos(np.pi * np.arange(1, cells + 1) / cells)) * cells**2
    other = idstn(dstn(given) / (along[:, None, None] + along[:, None] + along))
    print(f"{solver.iterations.value} iterations, residual {solver.residual.value:.6e}")
    print(f"error {np.abs(found - other).max() / np.abs(other).max():.0e}: from a direct solver")
    plt.figure(figsize=(5.5, 4.5), layout="constrained")
    plane = found.isel(z=cells // 2)
    plane.plot.imshow(x="x", cmap="RdBu_r", interpolation="bilinear")
    plane.plot.contour(x="x", levels=15, colors="black", linewidths=0.5)
    plt.title("Two charges in a grounded box"), plt.axis("image")
    plt.savefig("poisson_cg.png", dpi=80)
