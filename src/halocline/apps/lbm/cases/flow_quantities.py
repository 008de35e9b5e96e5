"""What can be seen of a flow: velocity, pressure and density of each cell, mass and energy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import halocline as hc
from halocline.apps.lbm.flow import kernels
from halocline.apps.lbm.lattice.populations import add
from halocline.io.quantity import Integral, Quantity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.apps.lbm.cases.units import Units
    from halocline.apps.lbm.flow.flow import Flow
    from halocline.language.steps.steps import Step


def quantities(flow: Flow, units: Units) -> tuple[Quantity, ...]:
    """Return velocity, pressure (0 at rest) and density over that at rest; 0 in solid cells."""
    of_flow = "" if units.is_physical else " over the flow's speed"

    def pressure(density: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(density == 0.0, 0.0, (density - 1.0) * (units.pressure / 3.0))

    components = (
        Quantity(
            name,
            flow.velocity,
            axis,
            lambda stored: stored * units.velocity,
            units.named("m s-1"),
            f"velocity along {'xyz'[axis]}{of_flow}",
            "velocity",
        )
        for axis, name in enumerate("uvw"[: flow.velocity_set.dimensions])
    )
    over = "" if units.is_physical else " over density at rest times the flow's speed squared"
    return (
        *components,
        Quantity(
            "pressure",
            flow.density,
            convert=pressure,
            unit=units.named("Pa"),
            description=f"pressure minus that at rest{over}",
        ),
        Quantity("density", flow.density, description="density over density at rest"),
    )


def integrals(flow: Flow, units: Units) -> tuple[tuple[Step, ...], tuple[Integral, ...]]:
    """Return mass and mean kinetic energy of the fluid, both over its mass at rest.

    With steps that bring up to date what they read.
    """
    share = 1.0 / flow.fluid_volume
    velocity = flow.velocity
    steps: tuple[Step, ...] = ()
    if flow.setup.refinement is None:
        squares = add([velocity[axis] * velocity[axis] for axis in range(velocity.components)])
        energy = hc.sum(flow.density * squares)
    else:
        local = flow.grid.field("energy", description="density times velocity squared")
        steps = (kernels.energy(flow.density, velocity, local, on=flow.fluid),)
        energy = hc.sum(local)
    return steps, (
        Integral("mass", hc.sum(flow.density), share, description="mass over mass at rest"),
        Integral(
            "kinetic_energy",
            energy,
            0.5 * share * units.velocity**2,
            units.named("J kg-1"),
            "kinetic energy over mass at rest"
            + ("" if units.is_physical else " and the flow's speed squared"),
        ),
        Integral(
            "mean_u",
            hc.sum(velocity[0] if velocity.components > 1 else velocity),
            units.velocity / float(np.prod(flow.setup.extent)),
            units.named("m s-1"),
            "velocity along x, mean over all cells, solid ones included",
        ),
    )
