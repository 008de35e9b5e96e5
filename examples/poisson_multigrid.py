"""The potential of random charges in a grounded square, by multigrid, beside a direct solver.

python examples/poisson_multigrid.py [cells]
mpiexec -n 3 python examples/poisson_multigrid.py
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy.fft import dstn, idstn

import halocline as hc

cells = int(sys.argv[1]) if len(sys.argv) > 1 else 256
grid = hc.Grid((cells, cells), spacing=1.0 / cells)
potential, charge = grid.field("potential"), grid.field("charge")
for side in ("x-", "x+", "y-", "y+"):
    potential.boundary(side, hc.Dirichlet(0.0))
given = np.random.default_rng(1).standard_normal((cells, cells))
charge.set(given)

multigrid = hc.Multigrid(lambda u: -hc.laplacian(u), potential, charge)
residuals = []
solve = hc.until(
    multigrid.residual < 1e-10 * np.abs(given).max(),
    *multigrid.cycle,
    multigrid.residual,
    lambda: residuals.append(multigrid.residual.value),
    most=14,
)
simulation = hc.Simulation(grid, [solve])
simulation.run(1)

found = potential.to_xarray()
if simulation.rank == 0:  # sines are what the operator only multiplies, each by a number of its own
    along = (2.0 - 2.0 * np.cos(np.pi * np.arange(1, cells + 1) / cells)) * cells**2
    other = idstn(dstn(given) / (along[:, None] + along))
    for cycle, residual in enumerate(residuals, 1):
        print(f"cycle {cycle:2d}: greatest residual {residual:.6e}")
    print(f"error {np.abs(found - other).max() / np.abs(other).max():.0e}: from a direct solver")
    _, (left, right) = plt.subplots(1, 2, figsize=(9.0, 4.0), layout="constrained")
    found.plot.imshow(x="x", ax=left, cmap="RdBu_r", interpolation="bilinear")
    left.set(title="The potential of noise", aspect="equal")
    right.semilogy(range(1, len(residuals) + 1), residuals, "o-")
    right.set(title="Convergence", xlabel="cycles", ylabel="greatest residual")
    plt.savefig("poisson_multigrid.png", dpi=80)
