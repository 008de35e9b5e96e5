"""Heat spreads in a plate: periodic along x, cold below, insulated above.

python heat.py                # on all cores
mpiexec -n 4 python heat.py   # on four ranks, with the same bits
"""

import numpy as np

import halocline as hc

nx, ny = 128, 96  # cells
rate = 0.2  # diffusivity * time step / cell width²; stable up to 0.25
grid = hc.Grid((nx, ny), periodic=(True, False))
T, T_new = grid.field("T", unit="degC"), grid.field("T_new")


@hc.kernel  # computes one cell: T[0, 0] is the cell itself, T[1, 0] its neighbour along x
def heat(T: hc.Field, T_new: hc.Field, *, a: float) -> None:
    T_new[0, 0] = T[0, 0] + a * hc.laplacian(T)


kx, ky = 2 * np.pi / nx, np.pi / (2 * ny)  # the wave that the plate starts with
T.set(lambda x, y: np.sin(kx * x) * np.sin(ky * y))  # at the cell centres
T.boundary("y-", hc.Dirichlet(0.0))  # 0 degC at the lower side
T.boundary("y+", hc.Neumann(0.0))  # no heat passes the upper side
simulation = hc.Simulation(grid, [heat(T, T_new, a=rate), hc.swap(T, T_new)])
simulation.run(500)  # the next lines: all ranks reduce, rank 0 prints
warmest, exact = simulation.reduce(hc.max(T)), np.exp(-rate * 500 * (kx**2 + ky**2))
if simulation.rank == 0:
    print(f"warmest {warmest:.4f} degC; exact {exact:.4f} degC", simulation.report(), sep="\n")
