"""Poisson's equation on the unit square by multigrid: -laplacian(u) = f, zero at the sides.

python examples/poisson_multigrid.py [cells]
mpiexec -n 3 python examples/poisson_multigrid.py
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import halocline as hc

cells = int(sys.argv[1]) if sys.argv[1:] else 256
grid = hc.Grid((cells, cells), spacing=1 / cells)
u, f = grid.field("u"), grid.field("f")
u.boundary(grid.sides, hc.Dirichlet(0.0))


def exact(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.sin(np.pi * x) * np.sin(3 * np.pi * y)


# Of the difference of three points the exact solution is an eigenvector, too.
eigenvalue = sum(4 * (cells * np.sin(np.pi * k / (2 * cells))) ** 2 for k in (1, 3))
f.set(lambda x, y: eigenvalue * exact(x, y))
multigrid = hc.Multigrid(lambda u: -hc.laplacian(u), u, f)
residuals = []
solve = hc.until(
    multigrid.residual < 1e-10 * eigenvalue,
    *multigrid.cycle,
    multigrid.residual,
    lambda: residuals.append(multigrid.residual.value / eigenvalue),
    max_iterations=12,
)
simulation = hc.Simulation(grid, [solve])
simulation.run(1, progress=False)

values = u.gather()
if simulation.rank == 0:
    for cycle, residual in enumerate(residuals, 1):
        print(f"after {cycle} cycles: residual {residual:.3e}")
    middle = (np.arange(cells) + 0.5) / cells
    error = np.abs(values - exact(middle[:, None], middle[None])).max()
    print(f"error {error:.0e}: from the solution of the discrete equation")
    _, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    image = left.imshow(values.T, origin="lower", extent=(0, 1, 0, 1), cmap="RdBu_r")
    left.set(title="u", xlabel="x", ylabel="y")
    plt.colorbar(image, ax=left)
    right.semilogy(range(1, len(residuals) + 1), residuals, "o-")
    right.set(title=f"{cells} x {cells} cells", xlabel="cycles", ylabel="residual over f")
    right.grid(alpha=0.3)
    plt.savefig("poisson_multigrid.png", dpi=64)
