"""Your own kernels: waves in a closed basin, on a staggered grid (Arakawa C).

python examples/own_kernel.py [cells steps]
mpiexec -n 4 python examples/own_kernel.py
"""

import sys
from time import perf_counter

import numpy as np

import halocline as hc

cells, steps = map(int, sys.argv[1:] or (1024, 1000))
depth, gravity, spacing = 50.0, 9.81, 100.0  # m, m/s², m
dt = 0.5 * spacing / np.sqrt(gravity * depth)

grid = hc.Grid((cells, cells), spacing=spacing)
level = grid.field("level", unit="m", description="sea level")
u = grid.field("u", location="x_face", unit="m/s")  # u[i] is between the cells i - 1 and i
v = grid.field("v", location="y_face", unit="m/s")


@hc.kernel
def accelerate(u, v, level, *, factor):
    u[0, 0] = u[0, 0] - factor * (level[0, 0] - level[-1, 0])
    v[0, 0] = v[0, 0] - factor * (level[0, 0] - level[0, -1])


@hc.kernel
def rise(level, u, v, *, factor):
    outflow = u[1, 0] - u[0, 0] + v[0, 1] - v[0, 0]
    level[0, 0] = level[0, 0] - factor * outflow


for sign in "-+":  # no current through walls
    u.boundary("x" + sign, hc.Dirichlet(0.0))
    v.boundary("y" + sign, hc.Dirichlet(0.0))
middle, width = 0.5 * cells * spacing, 0.05 * cells * spacing
level.set(lambda x, y: np.exp(-((x - middle) ** 2 + (y - middle) ** 2) / (2 * width**2)))

volume = hc.sum(level, name="volume")
energy = hc.sum(0.5 * (gravity * level[0, 0] ** 2 + depth * (u[0, 0] ** 2 + v[0, 0] ** 2)))


def tell():
    if simulation.rank == 0:
        print(
            f"{simulation.step * dt:8.1f} s: water above rest {volume.value * spacing**2:.9e} m³, "
            f"energy {energy.value * spacing**2:.6e} m⁵/s²"
        )


simulation = hc.Simulation(
    grid,
    [
        accelerate(u, v, level, factor=gravity * dt / spacing),
        rise(level, u, v, factor=depth * dt / spacing),
        hc.every(max(1, steps // 5), volume, energy, tell),
    ],
    dt=dt,
)
start = perf_counter()
simulation.run(steps)
seconds = perf_counter() - start

highest = simulation.reduce(hc.max(level))
if simulation.rank == 0:
    print(f"highest level {highest:.4f} m after {simulation.step} steps")
    bytes_moved = 8 * 9 * cells**2 * steps  # the two kernels read six values and write three
    print(f"{seconds:.3f} s, effective memory throughput {bytes_moved / seconds / 1e9:.1f} GB/s")
