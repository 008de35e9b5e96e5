"""Columns of water: heat diffuses downwards implicitly, pressure adds up, currents are averaged.

python examples/columns.py [cells steps]
mpiexec -n 4 python examples/columns.py
"""

import sys
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import halocline as hc

cells, steps = map(int, sys.argv[1:] or (128, 100))
levels, depth, dz, dt = 40, 100.0, 2.5, 600.0  # m, m, s
grid = hc.Grid((cells, cells, levels), periodic=(True, True, False), spacing=(1e3, 1e3, dz))
T = grid.field("T", unit="degC", description="temperature")
pressure = grid.field("pressure", unit="Pa")
mixing = grid.field("mixing", axes="z", location="z_face", unit="m2 s-1")  # the same in all columns
heating = grid.field("heating", axes="xy", unit="K m s-1")  # a surface field
bottom, mean = grid.field("bottom", axes="xy"), grid.field("mean", axes="z")
# Implicitly: (1 + down + up) T - down T[k - 1] - up T[k + 1] = T before.
down, up = dt / dz**2 * mixing[0], dt / dz**2 * mixing[1]  # through the faces of a cell
diffuse = hc.tridiagonal("z", lower=-down, diagonal=1.0 + down + up, upper=-up, right=T, into=T)


@hc.sweep("z-")
def hydrostatic(above: Any, T: hc.Field, pressure: hc.Field) -> Any:
    weight = 9.81 * dz * (1000.0 - 0.2 * (T[0, 0, 0] - 10.0))
    pressure[0, 0, 0] = above + 0.5 * weight
    return above + weight


@hc.kernel
def heat(T: hc.Field, heating: hc.Field, *, dt: float) -> None:
    T[0, 0, 0] = T[0, 0, 0] + dt / dz * heating[0, 0]


T.set(10.0)
mixing.set(lambda z: 0.1 * (z / depth) ** 2 * (z < depth))  # none through the ends
heating.set(lambda x, y: 2e-4 * (1.0 + np.cos(2 * np.pi * x / (cells * 1e3)) + 0.0 * y))
time_step = [
    heat(T, heating, dt=dt, on=hc.Box((0, 0, levels - 1), (cells, cells, levels))),
    diffuse,
    hydrostatic(T, pressure, start=1.013e5, end=bottom),
    hc.sum(T, over="xy", into=mean),
]
simulation = hc.Simulation(grid, time_step, dt=dt)
simulation.run(steps)

profile, section, deepest = mean.gather(), T.to_xarray(), simulation.reduce(hc.max(bottom))
content = dz * simulation.reduce(hc.sum(T)) / cells**2  # in a column, on average
if simulation.rank == 0:
    error = content - (10.0 * depth + 2e-4 * dt * steps)  # what was there, and what came
    print(f"{profile[-1] / cells**2:.6f} degC at the surface, {profile[0] / cells**2:.6f} below")
    print(f"highest pressure at the bottom {deepest:.6f} Pa")
    print(f"error {abs(error):.0e} K m: heat gained or lost in a column")
    plt.figure(figsize=(5.5, 4), layout="constrained")
    section.isel(y=0).plot.contourf(x="x", levels=20, cmap="inferno")
    plt.title(f"Water warmed from above for {steps * dt / 3600:.0f} h")
    plt.xlabel("x [m]"), plt.ylabel("height [m]"), plt.savefig("columns.png", dpi=80)
