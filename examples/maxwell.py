"""Light meets a glass cylinder: Maxwell's equations on Yee's grid, with layers that absorb.

python examples/maxwell.py [cells steps]
mpiexec -n 4 python examples/maxwell.py
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import halocline as hc

cells, steps = map(int, sys.argv[1:] or (400, 800))
size, wavelength, c, mu = 8e-6, 8e-7, 299792458.0, 4e-7 * np.pi  # m, m, m/s, H/m
h = size / cells
dt = 0.7 * h / c  # below 1 / sqrt(2)

grid = hc.Grid((cells, cells), spacing=h)
# In the corners of cells, as Yee has it.
Ez = grid.field("Ez", location="xy_edge", unit="V/m", description="electric field")
eps = grid.field("eps", location="xy_edge", unit="F/m")  # permittivity
eps.set(lambda x, y: (1 + 1.25 * (np.hypot(x - size / 2, y - size / 2) < size / 6)) / (mu * c**2))
Hx, Hy = (grid.field(f"H{axis}", location=f"{axis}_face", unit="A/m") for axis in "xy")
Ez.boundary(grid.sides, hc.Dirichlet(0.0))  # a perfect conductor, behind the layers
pml = hc.PML(grid, speed=c, dt=dt, width=max(4, cells // 40))


@hc.kernel
def magnetic(Ez: hc.Field, Hx: hc.Field, Hy: hc.Field) -> None:
    Hx[0, 0] = Hx - dt / mu * pml.d(Ez, "y")
    Hy[0, 0] = Hy + dt / mu * pml.d(Ez, "x")


@hc.kernel
def electric(Ez: hc.Field, Hx: hc.Field, Hy: hc.Field, eps: hc.Field) -> None:
    Ez[0, 0] = Ez + dt / eps * (pml.d(Hy, "x") - pml.d(Hx, "y"))


@hc.kernel
def laser(Ez: hc.Field, *, t: float) -> None:  # a line that shines to both sides
    y = (hc.coordinate("y") - size / 2) / (size / 8)
    Ez[0, 0] = Ez + hc.exp(-y * y) * hc.sin(2 * np.pi * c / wavelength * t) * hc.tanh(t / (40 * dt))


line = hc.Box((cells // 6, cells // 4), (cells // 6 + 1, 3 * cells // 4))
time_step = [magnetic(Ez, Hx, Hy), electric(Ez, Hx, Hy, eps), laser(Ez, t=hc.time, on=line)]
simulation = hc.Simulation(grid, time_step, dt=dt)
simulation.run(steps)
energy = simulation.reduce(hc.sum(0.5 * eps * Ez * Ez)) * h * h
last, glass = Ez.to_xarray(), eps.to_xarray()
if simulation.rank == 0:
    print(f"after {steps * dt * 1e15:.2f} fs: electric energy {energy:.9e} J/m")
    last.plot.imshow(x="x", cmap="RdBu_r", vmin=-1, vmax=1, interpolation="bilinear")
    glass.plot.contour(x="x", levels=1, colors="black", linewidths=0.8)
    title = f"Light and a glass cylinder after {steps * dt * 1e15:.0f} fs"
    plt.gca().set(title=title, xlabel="x [m]", ylabel="y [m]", aspect=1)
    plt.savefig("maxwell.png", dpi=80)
