"""Begin from a NetCDF file, or go on from what the run before has left: start it twice.

python examples/from_netcdf.py [cells steps]
mpiexec -n 4 python examples/from_netcdf.py
"""

import os
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import xarray

import halocline as hc
from halocline.io.checkpoint import load, save

cells, steps = map(int, sys.argv[1:] or (200, 300))
start, checkpoint = Path("start.nc"), Path("from_netcdf.npz")
diffusivity, drift, size = 50.0, (0.4, 0.2), 10e3  # m²/s, m/s, m


def exact(x, y, t=0.0):  # a warm patch drifts and spreads
    spread = size**2 + 2.0 * diffusivity * t
    away = (x - 40e3 - drift[0] * t) ** 2 + (y - 40e3 - drift[1] * t) ** 2
    return 15.0 + 5.0 * size**2 / spread * np.exp(-away / (2.0 * spread))


if not start.exists():  # every rank may write it: it appears when it is whole
    at = xarray.DataArray((np.arange(cells) + 0.5) * 120e3 / cells, dims="x")
    part = start.with_suffix(f".{os.getpid()}")
    exact(at, at.rename(x="y")).assign_coords(x=at.values, y=at.values).rename("T").to_netcdf(part)
    part.replace(start)

with xarray.open_dataset(start) as found:  # the grid is that of the file
    first, width = found["T"].load(), float(found.x[1] - found.x[0])
grid = hc.Grid(first.shape, periodic=True, spacing=width, origin=float(first.x[0]) - width / 2)
T = grid.field("T", unit="degC", description="temperature")
half = grid.field("half")
T.set(first.values)


def change(T):
    flow = sum(c * part for c, part in zip(drift, hc.grad(T, accuracy=4), strict=True))
    return diffusivity * hc.laplacian(T, accuracy=4) - flow


@hc.kernel
def begin(T, half, *, dt):  # the midpoint rule
    half[0, 0] = T + 0.5 * dt * change(T)


@hc.kernel
def finish(T, half, *, dt):
    T[0, 0] = T + dt * change(half)


dt = 0.2 * width
simulation = hc.Simulation(grid, [begin(T, half, dt=dt), finish(T, half, dt=dt)], dt=dt)
if checkpoint.exists():
    load(simulation, checkpoint)
simulation.run(steps)
save(simulation, checkpoint)

last, t = T.to_xarray(), simulation.step * dt
if simulation.rank == 0:
    last.to_netcdf("warm_patch.nc")
    error = float(np.abs(last - exact(last.x, last.y, t)).max())
    print(f"after {simulation.step} steps, {t / 3600:.1f} h: warmest {float(last.max()):.9f} degC")
    print(f"error {error:.1e} degC: largest difference from the exact solution")
    plt.figure(figsize=(5.5, 4.5), layout="constrained")
    last.plot.imshow(x="x", vmin=15, vmax=20, cmap="YlOrRd", interpolation="bilinear")
    first.plot.contour(x="x", levels=[16, 18], colors="black", linewidths=0.8, linestyles="--")
    plt.title(f"A warm patch after {t / 3600:.1f} h; dashed: in the file"), plt.axis("image")
    plt.xlabel("x [m]"), plt.ylabel("y [m]")
    plt.savefig("from_netcdf.png", dpi=80)
