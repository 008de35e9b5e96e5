"""A quake below a soft layer: elastic waves (Virieux, Geophysics 51, 1986), of eighth order.

python examples/elastic_wave.py [cells steps]
mpiexec -n 4 python examples/elastic_wave.py
"""

import sys
from functools import partial

import matplotlib.pyplot as plt
import numpy as np

import halocline as hc

cells, steps = map(int, sys.argv[1:] or (300, 500))
h, fast, density = 3e3 / cells, 4000.0, 2500.0  # m, compression in the rock [m/s], kg/m³
dt, frequency = 0.4 * h / fast, fast / (25 * h)
d = partial(hc.d, accuracy=8)

grid = hc.Grid((cells, cells), spacing=h)
u = grid.field("u", location="x_face", unit="m/s")
v = grid.field("v", location="y_face", unit="m/s", description="upward velocity")
xx, yy, xy = grid.field("xx"), grid.field("yy"), grid.field("xy", location="xy_edge")
stiff = grid.field("stiff", axes="y", unit="Pa")  # the modulus of compression, less in the layer
stiff.set(lambda y: density * fast**2 * np.where(y > 0.8 * cells * h, 0.3, 1.0))
for field in (u, v, xx, yy, xy):
    field.boundary(grid.sides, hc.Dirichlet(0.0))
stiff.boundary(["y-", "y+"], hc.Neumann())


@hc.kernel
def move(u: hc.Field, v: hc.Field, xx: hc.Field, yy: hc.Field, xy: hc.Field) -> None:
    u[0, 0] = u + dt / density * (d(xx, "x") + d(xy, "y"))
    v[0, 0] = v + dt / density * (d(xy, "x") + d(yy, "y"))


@hc.kernel
def strain(
    u: hc.Field, v: hc.Field, xx: hc.Field, yy: hc.Field, xy: hc.Field, stiff: hc.Field
) -> None:
    # Poisson's ratio is 1/4.
    ux, vy, shear = d(u, "x"), d(v, "y"), d(u, "y") + d(v, "x")
    xx[0, 0] = xx + dt * stiff * (ux + vy / 3)
    yy[0, 0] = yy + dt * stiff * (vy + ux / 3)
    xy[0, 0] = xy + dt / 3 * hc.average(stiff, "y") * shear


s = (np.pi * frequency * (hc.time - 1.2 / frequency)) ** 2
source = hc.Points([((cells // 2 + 0.5) * h,) * 2])
quake = [source.inject(1e6 * (1 - 2 * s) * hc.exp(-s), into=stress) for stress in (xx, yy)]
calm = [hc.sponge(field, ("x-", "x+", "y-"), width=cells // 8, strength=0.05) for field in (u, v)]
waves = [move(u, v, xx, yy, xy), strain(u, v, xx, yy, xy, stiff)]
simulation = hc.Simulation(grid, [*waves, *quake, *calm], dt=dt)
simulation.run(steps)
energy, last = simulation.reduce(hc.sum(0.5 * density * u * u)) * h * h, v.to_xarray()
if simulation.rank == 0:
    print(f"after {steps * dt:.4f} s: horizontal kinetic energy {energy:.9e} J/m")
    limit = float(np.abs(last).max()) / 3
    last.plot.imshow(x="x", vmin=-limit, vmax=limit, cmap="RdBu_r", interpolation="bilinear")
    plt.axhline(0.8 * cells * h, color="black", linewidth=0.8)
    plt.gca().set(title="A quake below a soft layer", xlabel="x [m]", ylabel="y [m]", aspect=1)
    plt.savefig("elastic_wave.png", dpi=80)
