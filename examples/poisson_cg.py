"""The potential of charges in a grounded box, by conjugate gradients, beside the exact answer.

python examples/poisson_cg.py [cells]
mpiexec -n 4 python examples/poisson_cg.py
"""

import sys
from time import perf_counter

import numpy as np

import halocline as hc

cells = int(sys.argv[1]) if len(sys.argv) > 1 else 128
grid = hc.Grid((cells,) * 3, spacing=1.0 / cells)
potential, charge = grid.field("potential"), grid.field("charge")
for side in ("x-", "x+", "y-", "y+", "z-", "z+"):
    potential.boundary(side, hc.Dirichlet(0.0))


@hc.kernel
def minus_laplacian(p, q):
    q[0, 0, 0] = -hc.laplacian(p)


exact = np.random.default_rng(1).random(grid.extent)
around = np.pad(exact, 1, mode="edge")
for axis in range(3):  # so that the potential is zero half a cell further in
    np.moveaxis(around, axis, 0)[[0, -1]] *= -1.0
neighbours = sum(np.roll(around, n, axis)[1:-1, 1:-1, 1:-1] for n in (-1, 1) for axis in range(3))
charge.set((6.0 * exact - neighbours) * cells**2)
solver = hc.conjugate_gradients(minus_laplacian, potential, charge, tolerance=1e-12)
simulation = hc.Simulation(grid, [solver])
simulation.run(0)  # compiles
started = perf_counter()
simulation.run(1)
elapsed = perf_counter() - started

found = potential.gather()
if simulation.rank == 0:
    passes, error = int(solver.passes.value), np.abs(found - exact).max()
    print(f"after {passes} passes: residual {solver.residual.value:.6e}, error {error:.6e}")
    moved = 8 * 11 * cells**3 * passes  # what three kernels read and write, sums along with them
    print(f"{elapsed:.3f} s, effective memory throughput {moved / elapsed / 1e9:.1f} GB/s")
