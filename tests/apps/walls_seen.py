"""What tests of walls inside cells share: channels between two of them, and a steady flow."""

from __future__ import annotations

import numpy as np

import halocline as hc
from halocline.lbm import Body, Flow, Setup, make_flow, trt

SPEED = 0.1


def between(low: float, high: float) -> tuple[Body, Body]:
    """Return the walls below and above a channel [cells]."""
    return Body(lambda x, y, *z: y - low), Body(lambda x, y, *z: high - y)


def steady(setup: Setup, width: float, *extra) -> tuple[Flow, hc.Simulation]:
    """Return a flow after four times in which what is viscous crosses a width [cells]."""
    flow = make_flow(setup)
    flow.start()
    simulation = hc.Simulation(flow.grid, [*flow.steps, *extra], threads=1)
    viscosity = (1.0 / setup.omega - 0.5) / 3.0
    simulation.run(int(4.0 * width**2 / viscosity) // flow.lattice_steps, progress=False)
    simulation.execute(flow.observe)
    return flow, simulation


def poiseuille_error(cells: int, offset: float, tau: float = 0.8, **more) -> float:
    """Return the error of a flow between plane walls, over its greatest velocity (RMS).

    Args:
        cells: Between the walls.
        offset: How far the lower wall is from the first centre above it.
        tau: Relaxation time.
        more: Of the setup.
    """
    low = 1.5 - offset
    y = np.arange(cells + 3) + 0.5
    is_fluid = (y > low) & (y < low + cells)
    viscosity, peak = (tau - 0.5) / 3.0, SPEED / cells
    force = 8.0 * viscosity * peak / cells**2
    setup = Setup(
        **{
            "extent": (4, cells + 3),
            "lattice": "D2Q9",
            "omega": 1.0 / tau,
            "collision": trt(),
            "bodies": between(low, low + cells),
            "force": (force, 0.0),
        }
        | more
    )
    flow, _ = steady(setup, cells)
    found = flow.velocity.gather()[0].mean(axis=(0, 2)[: flow.grid.dimensions - 1])
    expected = 4.0 * peak * (y - low) * (low + cells - y) / cells**2
    return float(np.sqrt(np.mean((found - expected)[is_fluid] ** 2))) / peak
