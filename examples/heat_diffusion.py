"""Heat spreads in a box: periodic in x and y, warm below, insulated above.

python examples/heat_diffusion.py [cells steps]
mpiexec -n 4 python examples/heat_diffusion.py
"""

import sys
from time import perf_counter

import numpy as np

import halocline as hc

cells, steps = map(int, sys.argv[1:] or (128, 500))

grid = hc.Grid((cells, cells, cells), periodic=(True, True, False))
T, T_new = grid.field("T"), grid.field("T_new")


@hc.kernel
def heat(T, T_new, *, a):
    T_new[0, 0, 0] = T[0, 0, 0] + a * hc.laplacian(T)


simulation = hc.Simulation(grid, [heat(T, T_new, a=0.1), hc.swap(T, T_new)])
T.set(lambda x, y, z: 0.5 * np.sin(2 * np.pi * x / cells))
T.boundary("z-", hc.Dirichlet(1.0))
T.boundary("z+", hc.Neumann(0.0))

simulation.run(1)  # the first step compiles
start = perf_counter()
simulation.run(steps - 1)
seconds = perf_counter() - start

mean = simulation.reduce(hc.sum(T)) / cells**3
warmest = simulation.reduce(hc.max(T))
if simulation.rank == 0:
    print(simulation.plan)
    print(f"after {simulation.step} steps: mean temperature {mean:.6f}, warmest {warmest:.6f}")
    bytes_moved = 16 * cells**3 * (steps - 1)  # one value read and one written in each cell
    print(f"{seconds:.3f} s, effective memory throughput {bytes_moved / seconds / 1e9:.1f} GB/s")
