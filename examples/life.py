"""Conway's Game of Life on a torus of bytes, from a random start.

python examples/life.py [cells steps]
mpiexec -n 4 python examples/life.py
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import halocline as hc

cells, steps = map(int, sys.argv[1:] or (512, 500))

grid = hc.Grid((cells, cells), periodic=True)
life, after = grid.field("life", dtype="uint8"), grid.field("after", dtype="uint8")


@hc.kernel
def begin(life: hc.Field, *, density: float) -> None:
    life[0, 0] = hc.random(seed=2026, stream=0) < density


@hc.kernel
def live(life: hc.Field, after: hc.Field) -> None:
    around = sum(life[i, j] for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
    after[0, 0] = (around == 3) | (around == 2) & (life[0, 0] == 1)


simulation = hc.Simulation(grid, [live(life, after), hc.swap(life, after)])
simulation.execute(begin(life, density=0.3))
other = life.gather()
simulation.run(steps)

alive, last = simulation.reduce(hc.sum(life)), life.to_xarray()
if simulation.rank == 0:
    for _ in range(steps):  # the same in NumPy
        near = [np.roll(other, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
        around = sum(near)
        other = ((around == 3) | (around == 2) & (other == 1)).astype("uint8")
    print(f"{alive:.0f} of {cells**2} cells are alive")
    print(f"error {(last.values != other).sum()}: cells that differ from NumPy's")
    plt.figure(figsize=(5, 4.5), layout="constrained")
    last[:192, :192].plot.imshow(x="x", cmap="gray_r", add_colorbar=False)
    plt.title(f"Life after {steps} steps"), plt.axis("image")
    plt.savefig("life.png", dpi=80)
