"""A shear wave decays with the viscosity that the relaxation time says, at second order."""

from __future__ import annotations

import numpy as np
import pytest

import halocline as hc
from halocline.apps.lbm.flow import kernels
from halocline.lbm import (
    bgk,
    central,
    cumulant,
    equilibrium,
    mrt,
    regularised,
    smagorinsky,
    trt,
    velocity_set,
)

COLLISIONS = {
    "bgk": bgk,
    "trt": trt(),
    "central": central(),
    "mrt": mrt(),
    "regularised": regularised,
    "cumulant": cumulant,
    # Hardly any eddies: the viscosity stays what it is.
    "smagorinsky": smagorinsky(0.01),
}


def viscosity_error(name, cells, collision, mean=0.0):
    """Return the relative error of the measured viscosity; tau is the same on all grids.

    The wave rides on a mean flow across its crests.
    """
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
        moving = [still + mean, wave, still][: lattice.dimensions]
        populations = equilibrium(lattice, np.ones_like(wave), moving)
        # What the gradient adds, after collision (Krüger et al. 2017, section 5.5).
        gradient = speed * k * np.cos(k * x) + 0.0 * wave
        for i, (c, w) in enumerate(zip(lattice.velocities, lattice.weights, strict=True)):
            populations[i] = populations[i] - (1 - omega) * w * tau * 3.0 * c[0] * c[1] * gradient
        return np.stack(populations)

    collide = kernels.collide_stream(
        f, f_next, velocity_set=lattice, omega=omega, collision=COLLISIONS[collision]
    )
    simulation = hc.Simulation(grid, [collide, hc.swap(f, f_next)], threads=1)
    f.set(start)
    read = kernels.macroscopic(f, density, velocity, velocity_set=lattice)

    def amplitude():
        simulation.execute(read)
        line = velocity.gather()[1].reshape(cells, -1)[:, 0]
        # Wherever the mean flow has taken it.
        return 2 * abs(np.mean(line * np.exp(1j * k * (np.arange(cells) + 0.5))))

    quarter = round(cells**2 / 64)
    simulation.run(quarter, progress=False)
    first = amplitude()
    simulation.run(2 * quarter, progress=False)
    measured = -np.log(amplitude() / first) / (k**2 * 2 * quarter)
    return measured / viscosity - 1.0


@pytest.mark.parametrize(
    ("name", "collision"),
    [
        *(("D2Q9", collision) for collision in COLLISIONS if collision != "cumulant"),
        *(("D3Q19", collision) for collision in ("bgk", "central", "mrt", "regularised")),
        ("D3Q15", "trt"),
        ("D3Q27", "bgk"),
        ("D3Q27", "central"),
        ("D3Q27", "cumulant"),
    ],
)
def test_the_viscosity_error_falls_with_the_square_of_the_cell_size(name, collision):
    sizes = (16, 32, 64)
    errors = [abs(viscosity_error(name, cells, collision)) for cells in sizes]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert errors[1] < 0.005
    assert np.all((orders > 1.8) & (orders < 2.2)), (errors, orders)


def test_cumulants_do_not_see_a_mean_flow():
    """The frame of the collision moves with the flow; that of BGK rests."""
    cumulants, rest = (
        [viscosity_error("D3Q27", 16, collision, mean) for mean in (0.0, 0.1, 0.2)]
        for collision in ("cumulant", "bgk")
    )
    assert np.ptp(cumulants) < 0.003
    assert np.ptp(rest) > 0.08
