"""Halocline's part of 'compare.py': CASE CELLS DTYPE."""

import sys

from kernels import heat, lattice, stencil, wave
from turns import bump, density, places_of, serve

import halocline as hc

case, n, dtype = sys.argv[1], int(sys.argv[2]), sys.argv[3]
places = places_of(n)


def step_stencil() -> None:
    """Step heat or a wave."""
    kernel = heat if case == "heat" else wave
    grid, steps, u = stencil(kernel, n, dtype, lambda x, y, z: bump(n, x, y, z))
    simulation = hc.Simulation(grid, steps, check_every=0)

    def verify() -> list[float]:
        simulation.run(8)
        values = u.gather()
        return [float(values[place]) for place in places]

    serve(simulation.run, n**3, verify)


def step_lattice() -> None:
    """Step a lattice."""
    flow = lattice("D3Q19", case.split(":")[1], n, dtype)
    simulation = hc.Simulation(flow.grid, flow.steps, check_every=0)
    weights = flow.velocity_set.weights
    # Populations are stored as deviations from rest.
    flow.f.set(lambda x, y, z: [w * (density(n, x, y, z) - 1) for w in weights])

    def verify() -> list[float]:
        simulation.run(8 // flow.lattice_steps)
        values = flow.f.gather()
        return [1 + float(values[(slice(None), *place)].sum()) for place in places]

    serve(simulation.run, n**3 * flow.lattice_steps, verify)


step_stencil() if case in ("heat", "wave") else step_lattice()
