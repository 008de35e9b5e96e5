"""Columns of water: heat diffuses downwards implicitly, pressure adds up, currents are averaged.

python examples/columns.py [cells steps]
mpiexec -n 4 python examples/columns.py
"""

import sys
from time import perf_counter

import numpy as np

import halocline as hc

cells, steps = map(int, sys.argv[1:] or (256, 50))
levels, dz, dt = 40, 2.5, 600.0  # m, s
grid = hc.Grid((cells, cells, levels), periodic=(True, True, False), spacing=(1e3, 1e3, dz))
T = grid.field("T", unit="degC", description="temperature")
pressure = grid.field("pressure", unit="Pa")
mixing = grid.field("mixing", axes="z", unit="m2 s-1")  # a profile: the same in all columns
heating = grid.field("heating", axes="xy", unit="K m s-1")  # a surface field
bottom, mean = grid.field("bottom", axes="xy"), grid.field("mean", axes="z")

# Implicitly, with no flux at the ends: (1 + down + up) T - down T[k - 1] - up T[k + 1] = T before.
r, k = dt / dz**2 * mixing, hc.index("z")
down, up = hc.where(k == 0, 0.0, r), hc.where(k == levels - 1, 0.0, r)
diffuse = hc.tridiagonal("z", lower=-down, diagonal=1.0 + down + up, upper=-up, right=T, into=T)


@hc.sweep("z-")
def hydrostatic(above, T, pressure):
    weight = 9.81 * dz * (1000.0 - 0.2 * (T[0, 0, 0] - 10.0))
    pressure[0, 0, 0] = above + 0.5 * weight
    return above + weight


@hc.kernel
def heat(T, heating, *, dt):
    T[0, 0, 0] = T[0, 0, 0] + dt / dz * heating[0, 0]


T.set(lambda x, y, z: 10.0 + 0.0 * (x + y + z))
mixing.set(lambda z: 1e-4 + 1e-2 * z / (levels * dz))
heating.set(lambda x, y: 1e-5 * (1.0 + np.cos(2 * np.pi * x / (cells * 1e3)) + 0.0 * y))
top = hc.Box((0, 0, levels - 1), (cells, cells, levels))
time_step = [
    heat(T, heating, dt=dt, on=top),
    diffuse,
    hydrostatic(T, pressure, start=1.013e5, end=bottom),
    hc.sum(T, over="xy", into=mean),
]
simulation = hc.Simulation(grid, time_step)
started = perf_counter()
simulation.run(steps)
elapsed = perf_counter() - started
profile, deepest = mean.gather(), simulation.reduce(hc.max(bottom))
if simulation.rank == 0:
    print(f"after {steps * dt / 3600:.1f} h: {profile[-1] / cells**2:.6f} degC at the surface,")
    print(f"highest pressure at the bottom {deepest:.6f} Pa")
    moved = 9 * 8 * T.grid.domain.cells * steps  # what the kernels read and write at least
    print(f"effective memory throughput {moved / elapsed / 1e9:.1f} GB/s")
