"""Begin from a NetCDF file, or go on from what the run before has left: start it twice.

python examples/from_netcdf.py [steps]
mpiexec -n 4 python examples/from_netcdf.py
"""

import sys
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import xarray

import halocline as hc

steps = int(*sys.argv[1:] or (300,))
output = Path("from_netcdf.nc")
start = output if output.exists() else Path(__file__).with_name("warm_patch.nc")
diffusivity, drift, size = 50.0, {"x": 0.3, "y": 0.2}, 10e3  # m²/s, m/s, m

with xarray.open_dataset(start) as found:  # the grid is that of the file
    first, begun, width = found["T"].load(), found["T"].hours, float(found.x[1] - found.x[0])
grid = hc.Grid(first.shape, periodic=True, spacing=width, origin=float(first.x[0]) - width / 2)
T = grid.field("T", unit="degC", description="temperature")
T_new = grid.field("T_new")
T.set(first.values)


def change(T: hc.Field) -> Any:
    flow = sum(c * hc.d(T, axis, accuracy=4) for axis, c in drift.items())
    return diffusivity * hc.laplacian(T, accuracy=4) - flow


@hc.kernel
def step(T: hc.Field, T_new: hc.Field, *, dt: float) -> None:  # the midpoint rule
    T_new[0, 0] = T + dt * change(T + 0.5 * dt * change(T))


def exact(x: Any, y: Any, t: float) -> Any:  # the warm patch drifts and spreads
    spread = size**2 + 2.0 * diffusivity * t
    away = (x - 40e3 - drift["x"] * t) ** 2 + (y - 40e3 - drift["y"] * t) ** 2
    return 15.0 + 5.0 * size**2 / spread * np.exp(-away / (2.0 * spread))


dt = 0.2 * width
simulation = hc.Simulation(grid, [step(T, T_new, dt=dt), hc.swap(T, T_new)], dt=dt)
simulation.run(steps)

last, hours = T.to_xarray(), begun + steps * dt / 3600
if simulation.rank == 0:
    last.assign_attrs(hours=hours).to_netcdf(output)
    error = float(np.abs(last - exact(last.x, last.y, hours * 3600)).max())
    print(f"after {hours:.1f} h: warmest {float(last.max()):.9f} degC")
    print(f"error {error:.1e} degC: largest difference from the exact solution")
    plt.figure(figsize=(5.5, 4.5), layout="constrained")
    last.plot.imshow(x="x", vmin=15, vmax=20, cmap="YlOrRd", interpolation="bilinear")
    first.plot.contour(x="x", levels=[16, 18], colors="black", linewidths=0.8, linestyles="--")
    plt.title(f"A warm patch after {hours:.1f} h; dashed: in the file"), plt.axis("image")
    plt.savefig("from_netcdf.png", dpi=80)
