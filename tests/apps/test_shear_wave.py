"""A shear wave decays with the viscosity that the relaxation time says, at second order."""

from __future__ import annotations

import numpy as np
import pytest

import halocline as hc
from halocline.apps.lbm import kernels
from halocline.apps.lbm.model import MAGIC
from halocline.apps.lbm.velocity_set import velocity_set


def viscosity_error(name, cells, collision):
    """Return the relative error of the measured viscosity; tau is the same on all grids."""
    lattice = velocity_set(name)
    extent = (cells, *(2,) * (lattice.dimensions - 1))
    grid = hc.Grid(extent, periodic=True)
    f = grid.field("f", components=len(lattice))
    f_next = grid.field("f_next", components=len(lattice))
    density, velocity = grid.field("density"), grid.field("velocity", components=lattice.dimensions)
    tau, k = 0.8, 2 * np.pi / cells
    omega = 1.0 / tau
    viscosity = (tau - 0.5) / 3.0
    # Diffusive scaling: velocities fall with the cell size, steps grow with its square.
    speed = 0.01 * 16 / cells

    def start(x, *others):
        wave = speed * np.sin(k * x) + sum(0.0 * other for other in others)
        still = np.zeros_like(wave)
        moving = [still, wave, still][: lattice.dimensions]
        populations = kernels.equilibrium(lattice, np.ones_like(wave), moving)
        # What the gradient adds, after collision (Krüger et al. 2017, section 5.5).
        gradient = speed * k * np.cos(k * x) + 0.0 * wave
        for i, (c, w) in enumerate(zip(lattice.velocities, lattice.weights, strict=True)):
            populations[i] = populations[i] - (1 - omega) * w * tau * 3.0 * c[0] * c[1] * gradient
        return np.stack(populations)

    if collision == "bgk":
        collide = kernels.collide_stream(f, f_next, velocity_set=lattice, omega=omega)
    else:
        odd = 1.0 / (0.5 + MAGIC / (tau - 0.5))
        collide = kernels.collide_stream_trt(
            f, f_next, velocity_set=lattice, omega=omega, omega_odd=odd
        )
    simulation = hc.Simulation(grid, [collide, hc.swap(f, f_next)], threads=1)
    f.set(start)
    read = kernels.macroscopic(f, density, velocity, velocity_set=lattice)

    def amplitude():
        simulation.execute(read)
        line = velocity.gather()[1].reshape(cells, -1)[:, 0]
        return 2 * np.mean(line * np.sin(k * (np.arange(cells) + 0.5)))

    quarter = round(cells**2 / 64)
    simulation.run(quarter, progress=False)
    first = amplitude()
    simulation.run(2 * quarter, progress=False)
    measured = -np.log(amplitude() / first) / (k**2 * 2 * quarter)
    return abs(measured / viscosity - 1.0)


@pytest.mark.parametrize(
    ("name", "collision"), [("D2Q9", "bgk"), ("D2Q9", "trt"), ("D3Q19", "bgk"), ("D3Q27", "bgk")]
)
def test_the_viscosity_error_falls_with_the_square_of_the_cell_size(name, collision):
    sizes = (16, 32, 64)
    errors = [viscosity_error(name, cells, collision) for cells in sizes]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert errors[1] < 0.005
    assert np.all((orders > 1.8) & (orders < 2.2)), (errors, orders)
