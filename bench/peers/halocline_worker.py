"""Halocline's part of 'compare.py': CASE CELLS DTYPE."""

import sys
from typing import Any

from turns import bump, density, places_of, serve

import halocline as hc
from halocline.apps.lbm.collision import bgk
from halocline.apps.lbm.flow import Setup, make_flow

case, n, dtype = sys.argv[1], int(sys.argv[2]), sys.argv[3]
places = places_of(n)


@hc.kernel
def heat(u: Any, u_new: Any, *, a: float) -> None:
    """One step of diffusion."""
    u_new[0, 0, 0] = u + a * hc.laplacian(u)


@hc.kernel
def wave(u_old: Any, u: Any, u_new: Any, *, s: float) -> None:
    """One leapfrog step of eighth order."""
    u_new[0, 0, 0] = 2 * u - u_old + s * hc.laplacian(u, accuracy=8)


def stencil() -> None:
    """Step heat or a wave."""
    grid = hc.Grid((n, n, n))
    u, u_new = grid.field("u", dtype=dtype), grid.field("u_new", dtype=dtype)
    u.boundary(grid.sides, hc.Dirichlet(0.0))
    u.set(lambda x, y, z: bump(n, x, y, z))
    if case == "heat":
        steps = [heat(u, u_new, a=0.1), hc.swap(u, u_new)]
    else:
        u_old = grid.field("u_old", dtype=dtype)
        u_old.set(lambda x, y, z: bump(n, x, y, z))
        steps = [wave(u_old, u, u_new, s=0.1), hc.rotate(u_old, u, u_new)]
    simulation = hc.Simulation(grid, steps, check_every=0)

    def verify() -> list[float]:
        simulation.run(8)
        values = u.gather()
        return [float(values[place]) for place in places]

    serve(simulation.run, n**3, verify)


def lattice() -> None:
    """Step a lattice."""
    flow = make_flow(
        Setup((n,) * 3, "D3Q19", 1.6, bgk, {}, None, streaming=case.split(":")[1], dtype=dtype)
    )
    simulation = hc.Simulation(flow.grid, flow.steps, check_every=0)
    weights = flow.velocity_set.weights
    # Populations are stored as deviations from rest.
    flow.f.set(lambda x, y, z: [w * (density(n, x, y, z) - 1) for w in weights])

    def verify() -> list[float]:
        simulation.run(8 // flow.lattice_steps)
        values = flow.f.gather()
        return [1 + float(values[(slice(None), *place)].sum()) for place in places]

    serve(simulation.run, n**3 * flow.lattice_steps, verify)


stencil() if case in ("heat", "wave") else lattice()
