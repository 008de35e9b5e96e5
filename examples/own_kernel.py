"""Your own kernels: waves in a closed basin, on a staggered grid (Arakawa C).

python examples/own_kernel.py [cells steps]
mpiexec -n 4 python examples/own_kernel.py
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy.fft import dctn, idctn

import halocline as hc

cells, steps = map(int, sys.argv[1:] or (384, 600))
depth, gravity, width = 50.0, 9.81, 100.0  # m, m/s², m
speed = np.sqrt(gravity * depth)
dt = 0.5 * width / speed

grid = hc.Grid((cells, cells), spacing=width)
level = grid.field("level", unit="m", description="sea level")
u = grid.field("u", location="x_face", unit="m/s")  # u[i] is between the cells i - 1 and i
v = grid.field("v", location="y_face", unit="m/s")


@hc.kernel
def accelerate(u: hc.Field, v: hc.Field, level: hc.Field, *, factor: float) -> None:
    u[0, 0] = u[0, 0] - factor * (level[0, 0] - level[-1, 0])
    v[0, 0] = v[0, 0] - factor * (level[0, 0] - level[0, -1])


@hc.kernel
def rise(level: hc.Field, u: hc.Field, v: hc.Field, *, factor: float) -> None:
    level[0, 0] = level[0, 0] - factor * (u[1, 0] - u[0, 0] + v[0, 1] - v[0, 0])


u.boundary(["x-", "x+"], hc.Dirichlet(0.0))  # no current through walls
v.boundary(["y-", "y+"], hc.Dirichlet(0.0))
length = cells * width
level.set(lambda x, y: np.exp(-((x - length / 3) ** 2 + (y - length / 2) ** 2) * 400 / length**2))

start = accelerate(u, v, level, factor=0.5 * gravity * dt / width)
rising = rise(level, u, v, factor=depth * dt / width)
time_step = [rising, accelerate(u, v, level, factor=gravity * dt / width)]
simulation = hc.Simulation(grid, time_step, dt=dt)
before, first = simulation.reduce(hc.sum(level)), level.gather()  # its values, on rank 0
simulation.execute(start)  # currents are known half a step after levels
simulation.run(steps)

after, last = simulation.reduce(hc.sum(level)), level.to_xarray()
if simulation.rank == 0:
    k = np.pi * np.arange(cells) / length  # waves in a box are cosines, each with its frequency
    turn = np.cos(np.hypot(k[:, None], k) * speed * dt * steps)
    error = np.abs(last - idctn(turn * dctn(first))).max() / np.abs(last).max()
    print(f"water above rest {after * width**2:.6e} m³, at first {before * width**2:.6e} m³")
    print(f"error {float(error):.1e}: largest difference from the exact waves, over the highest")
    plt.figure(figsize=(5.5, 4.5), layout="constrained")
    last.plot.imshow(x="x", vmin=-0.15, vmax=0.15, cmap="RdBu_r", interpolation="bilinear")
    plt.title(f"Waves in a basin after {steps * dt / 60:.0f} min"), plt.axis("image")
    plt.locator_params(nbins=4), plt.savefig("own_kernel.png", dpi=80)
