"""A quake below a soft layer: elastic waves, velocities and stresses, differences of eighth order.

python examples/elastic_wave.py [cells steps]
mpiexec -n 4 python examples/elastic_wave.py
"""

import sys
from time import perf_counter

import numpy as np

import halocline as hc

cells, steps = map(int, sys.argv[1:] or (300, 500))
h = 3e3 / cells  # m
fast, density = 4000.0, 2500.0  # speed of compression in the rock [m/s], kg/m³
dt, frequency = 0.4 * h / fast, fast / (25 * h)

# Virieux, Geophysics 51 (1986) 889: normal stresses in the middle of cells, shear on edges.
grid = hc.Grid((cells, cells), spacing=h)
u, v = grid.field("u", location="x_face"), grid.field("v", location="y_face")
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
simulation = hc.Simulation(
    grid,
    [
        move(u, v, xx, yy, xy, factor=dt / density),
        strain(u, v, xx, yy, xy, stiff),
        quake(xx, yy, t=hc.time, f=frequency, on=middle),
        *calm,
    ],
    dt=dt,
)
start = perf_counter()
simulation.run(steps)
seconds = perf_counter() - start

energy = simulation.reduce(hc.sum(0.5 * density * u * u)) * h * h
highest = simulation.reduce(hc.max(v))
if simulation.rank == 0:
    print(f"after {steps * dt:.4f} s: horizontal kinetic energy {energy:.6e} J/m")
    print(f"highest upward velocity {highest:.6e} m/s")
    moved = 8 * 18 * cells**2 * steps  # five fields read and written, read again by the other
    print(f"effective memory throughput {moved / seconds / 1e9:.1f} GB/s")
