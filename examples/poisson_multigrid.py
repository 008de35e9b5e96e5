"""Poisson's equation on the unit square by multigrid: -laplacian(u) = f, zero at the sides.

python examples/poisson_multigrid.py [cells [picture.png]]
mpiexec -n 3 python examples/poisson_multigrid.py
"""

import sys
from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np

import halocline as hc

cells = int(sys.argv[1]) if sys.argv[1:] else 256
grid = hc.Grid((cells, cells), spacing=1 / cells)
u, f = grid.field("u"), grid.field("f")
for side in ("x-", "x+", "y-", "y+"):
    u.boundary(side, hc.Dirichlet(0.0))


def exact(x, y):
    return np.sin(np.pi * x) * np.sin(3 * np.pi * y)


f.set(lambda x, y: 10 * np.pi**2 * exact(x, y))
multigrid = hc.Multigrid(lambda u: -hc.laplacian(u), u, f)
wanted = 1e-10 * 10 * np.pi**2  # f at most
found = []
solve = hc.until(
    multigrid.residual < wanted,
    *multigrid.cycle,
    multigrid.residual,
    lambda: found.append(multigrid.residual.value),
    most=12,
)
simulation = hc.Simulation(grid, [solve])
simulation.run(0)  # compiles
started = perf_counter()
simulation.run(1, progress=False)
elapsed = perf_counter() - started

values = u.gather()
if simulation.rank == 0:
    for cycle, residual in enumerate(found, 1):
        print(f"after {cycle} cycles: greatest residual {residual:.3e}")
    middle = (np.arange(cells) + 0.5) / cells
    error = np.abs(values - exact(*np.meshgrid(middle, middle, indexing="ij"))).max()
    print(f"highest error {error:.6e}, of the order of the square of the spacing")
    # A relaxation reads u and f and writes u; three a cycle, on grids of a quarter of the cells.
    moved = len(found) * 3 * 3 * 8 * cells**2 * 4 / 3
    print(f"effective memory throughput {moved / elapsed / 1e9:.2f} GB/s")
    if sys.argv[2:]:
        plt.imshow(values.T, origin="lower", extent=(0, 1, 0, 1))
        plt.colorbar(label="u")
        plt.savefig(sys.argv[2])
