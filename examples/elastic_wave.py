"""A quake below a soft layer: elastic waves, velocities and stresses, differences of eighth order.

python examples/elastic_wave.py [cells steps]
mpiexec -n 4 python examples/elastic_wave.py
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import halocline as hc

cells, steps = map(int, sys.argv[1:] or (300, 500))
h = 3e3 / cells  # m
fast, density = 4000.0, 2500.0  # speed of compression in the rock [m/s], kg/m³
dt, frequency = 0.4 * h / fast, fast / (25 * h)

# Virieux, Geophysics 51 (1986) 889: normal stresses in the middle of cells, shear on edges.
grid = hc.Grid((cells, cells), spacing=h)
u = grid.field("u", location="x_face", unit="m/s")
v = grid.field("v", location="y_face", unit="m/s", description="upward velocity")
xx, yy, xy = grid.field("xx"), grid.field("yy"), grid.field("xy", location="xy_edge")
stiff = grid.field("stiff", axes="y", unit="Pa")  # the modulus of compression, less in the layer
stiff.set(lambda y: density * fast**2 * np.where(y > 0.8 * cells * h, 0.3, 1.0))
for side in ("x-", "x+", "y-", "y+"):
    for field in (u, v, xx, yy, xy):
        field.boundary(side, hc.Dirichlet(0.0))
    if side[0] == "y":
        stiff.boundary(side, hc.Neumann(0.0))
D = {"accuracy": 8}


@hc.kernel
def move(u, v, xx, yy, xy, *, factor):
    u[0, 0] = u + factor * (hc.d(xx, "x", **D) + hc.d(xy, "y", **D))
    v[0, 0] = v + factor * (hc.d(xy, "x", **D) + hc.d(yy, "y", **D))


@hc.kernel
def strain(u, v, xx, yy, xy, stiff):
    ux, vy, third = hc.d(u, "x", **D), hc.d(v, "y", **D), 1 / 3  # Poisson's ratio 1/4
    xx[0, 0] = xx + dt * stiff * (ux + third * vy)
    yy[0, 0] = yy + dt * stiff * (vy + third * ux)
    shear = hc.d(u, "y", **D) + hc.d(v, "x", **D)
    xy[0, 0] = xy + dt * third * hc.average(stiff, "y") * shear


@hc.kernel
def quake(xx, yy, *, t, f):
    s = (np.pi * f * (t - 1.2 / f)) ** 2
    pulse = 1e6 * (1 - 2 * s) * hc.exp(-s)
    xx[0, 0], yy[0, 0] = xx + pulse, yy + pulse


middle = hc.Box((cells // 2,) * 2, (cells // 2 + 1,) * 2)
calm = [hc.sponge(field, ("x-", "x+", "y-"), width=cells // 8, strength=0.05) for field in (u, v)]
moved = move(u, v, xx, yy, xy, factor=dt / density)
strained = strain(u, v, xx, yy, xy, stiff)
shaken = quake(xx, yy, t=hc.time, f=frequency, on=middle)
simulation = hc.Simulation(grid, [moved, strained, shaken, *calm], dt=dt)
simulation.run(steps)

energy = simulation.reduce(hc.sum(0.5 * density * u * u)) * h * h
highest = simulation.reduce(hc.max(v))
last = v.to_xarray()
if simulation.rank == 0:
    print(f"after {steps * dt:.4f} s: horizontal kinetic energy {energy:.9e} J/m")
    print(f"highest upward velocity {highest:.6e} m/s")
    plt.figure(figsize=(5.5, 4.5), layout="constrained")
    limit = float(np.abs(last).max()) / 3
    last.plot.imshow(x="x", cmap="RdBu_r", vmin=-limit, vmax=limit, interpolation="bilinear")
    plt.axhline(0.8 * cells * h, color="black", linewidth=0.8)
    plt.title(f"A quake below a soft layer after {steps * dt:.2f} s"), plt.axis("image")
    plt.xlabel("x [m]"), plt.ylabel("y [m]")
    plt.savefig("elastic_wave.png", dpi=80)
