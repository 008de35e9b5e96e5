"""A crystal grows into an undercooled melt, after Kobayashi (Physica D 63, 1993, pp. 410-423).

python examples/phase_field.py [cells steps]
mpiexec -n 4 python examples/phase_field.py
"""

import sys
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import halocline as hc

cells, steps = map(int, sys.argv[1:] or (300, 3600))
width, dt, tau, latent_heat = 0.03, 1e-4, 3e-4, 1.6
grid = hc.Grid((cells, cells), spacing=width, origin=-0.5 * cells * width)
solid = grid.field("solid", description="phase")
T, T_new = grid.field("T", description="temperature, 1 where it melts"), grid.field("T_new")
flux_x, flux_y = grid.field("flux_x", location="x_face"), grid.field("flux_y", location="y_face")


def flux(a: Any, b: Any) -> Any:
    # Of the phase along an axis, with the derivatives along this and the other one.
    g2 = a**2 + b**2 + 1e-12
    energy = 0.01 * (1.0 + 0.04 * (1.0 - 8.0 * (a * b / g2) ** 2))  # 4 directions grow faster
    turned = -0.0064 * a * b * (a**2 - b**2) / g2**2  # its derivative by the angle
    return energy * (energy * a - turned * b)


@hc.kernel
def move(solid: hc.Field, flux_x: hc.Field, flux_y: hc.Field) -> None:
    flux_x[0, 0] = flux(hc.d(solid, "x"), hc.average(hc.d(solid, "y"), "x"))
    flux_y[0, 0] = flux(hc.d(solid, "y"), hc.average(hc.d(solid, "x"), "y"))


@hc.kernel
def grow(solid: hc.Field, T: hc.Field, flux_x: hc.Field, flux_y: hc.Field, T_new: hc.Field) -> None:
    drive = 0.9 / np.pi * np.arctan(10.0 * (1.0 - T[0, 0]))
    bulk = solid * (1.0 - solid) * (solid - 0.5 + drive)
    gained = dt / tau * (hc.div((flux_x, flux_y)) + bulk)
    solid[0, 0] = solid + gained
    T_new[0, 0] = T + dt * hc.laplacian(T) + latent_heat * gained


solid.set(lambda x, y: np.where(np.hypot(x, y) < 0.15, 1.0, 0.0))
solid.boundary(grid.sides, hc.Neumann())  # nothing passes
T.boundary(grid.sides, hc.Neumann())
flux_x.boundary(["x-", "x+"], hc.Dirichlet(0.0))
flux_y.boundary(["y-", "y+"], hc.Dirichlet(0.0))
time_step = [move(solid, flux_x, flux_y), grow(solid, T, flux_x, flux_y, T_new), hc.swap(T, T_new)]
simulation = hc.Simulation(grid, time_step, dt=dt)
heat = hc.sum(T - latent_heat * solid)
before = simulation.reduce(heat)
simulation.run(steps)
change, share = simulation.reduce(heat) / before - 1.0, simulation.reduce(hc.sum(solid)) / cells**2
crystal, warm = solid.to_xarray(), T.to_xarray()
if simulation.rank == 0:
    print(f"the crystal fills {100.0 * share:.9f} % of the box")
    print(f"error {abs(change):.0e}: heat gained or lost, over the latent heat of the seed")
    plt.figure(figsize=(5.5, 4.5), layout="constrained")
    warm.plot.imshow(x="x", cmap="inferno", vmin=0, vmax=1.1, interpolation="bilinear")
    crystal.plot.contour(x="x", levels=[0.5], colors="black", linewidths=0.5)
    plt.title("A crystal in a melt"), plt.axis("image"), plt.savefig("phase_field.png", dpi=80)
