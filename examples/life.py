"""Conway's Game of Life on a torus of bytes, from a random start.

python examples/life.py [cells steps [picture.png]]
mpiexec -n 4 python examples/life.py
"""

import sys
from time import perf_counter

import matplotlib.pyplot as plt

import halocline as hc

born, stays = 3, 2  # neighbours alive with which a cell comes to life, and stays as it is
cells, steps = map(int, sys.argv[1:3] or (2048, 500))

grid = hc.Grid((cells, cells), periodic=(True, True))
life, after = grid.field("life", dtype="uint8"), grid.field("after", dtype="uint8")


@hc.kernel
def begin(life, *, density):
    life[0, 0] = hc.random(seed=2026, stream=0) < density


@hc.kernel
def live(life, after):
    around = sum(life[i, j] for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
    after[0, 0] = (around == born) | (around == stays) & (life[0, 0] == 1)


def picture(path):
    alive = life.gather()
    if simulation.rank == 0:
        plt.imsave(path, alive.T, cmap="gray_r", origin="lower")


simulation = hc.Simulation(grid, [live(life, after), hc.swap(life, after)])
simulation.execute(begin(life, density=0.3))
simulation.run(1)  # the first step compiles
start = perf_counter()
simulation.run(steps - 1)
seconds = perf_counter() - start

alive = simulation.reduce(hc.sum(life))
if simulation.rank == 0:
    print(f"after {steps} steps: {alive:.0f} of {cells**2} cells are alive")
    bytes_moved = 2 * cells**2 * (steps - 1)  # a byte read and one written in each cell
    print(f"{seconds:.3f} s, effective memory throughput {bytes_moved / seconds / 1e9:.1f} GB/s")
if sys.argv[3:]:
    picture(sys.argv[3])
