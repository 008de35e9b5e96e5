"""The force and the torque of a flow on a body: the momentum that populations leave on its walls.

A population that has left a fluid cell for a solid one comes back turned round; so each link
between them takes twice its momentum in a step. Populations are deviations from rest: the pressure
at rest, which a closed body does not feel, is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import halocline as hc
from halocline.apps.lbm.arguments import as_mask, check_vector
from halocline.apps.lbm.populations import Value, add
from halocline.apps.lbm.streaming import POST_COLLISION
from halocline.errors import CaseError
from halocline.geometry import AXES, seen_along

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from halocline.apps.lbm.flow import Flow
    from halocline.geometry import Offset
    from halocline.language.steps.steps import Call, Reduction


@dataclass(frozen=True, slots=True)
class BodyForce:
    """What a flow does to a body at rest.

    Attributes:
        update: Computes what the following add up; a step.
        force: One sum an axis [lattice units: density at rest cell⁴ / step²].
        torque: About a point: one in 2-D, about z, or one an axis in 3-D [times cell].
    """

    update: Call
    force: tuple[Reduction, ...]
    torque: tuple[Reduction, ...]


@hc.kernel
def momentum_exchange(  # noqa: PLR0913 (the fields of one kernel)
    f: Any,
    links: Any,
    force: Any,
    torque: Any,
    *,
    velocity_set: Any,
    places: Any = POST_COLLISION,
    about: Any,
) -> None:
    """Compute the force on a solid cell, and its torque.

    Args:
        f: Populations, between two steps.
        links: One component a population: not zero where its link leads to a fluid cell.
        force: One component an axis.
        torque: See 'BodyForce'.
        velocity_set: The lattice.
        places: Where populations are kept, see 'streaming'.
        about: The point of the torque [cells from the low corner].

    Source: Ladd, J. Fluid Mech. 271 (1994) 285; Mei et al., Phys. Rev. E 65 (2002) 041203.
    """
    axes = range(velocity_set.dimensions)
    given: list[list[Value]] = [[] for _ in axes]
    turned: list[list[Value]] = [[] for _ in range(torque.components)]
    for i, c in enumerate(velocity_set.velocities):
        if not any(c):
            continue
        opposite = velocity_set.opposites[i]
        taken = 2.0 * places.outgoing(f, velocity_set, opposite, c)
        momentum = hc.where(links[i] == 0, 0.0, taken)
        for axis in axes:
            if c[axis]:
                given[axis].append(momentum if c[axis] < 0 else -momentum)
        for component, arm in enumerate(_arms(velocity_set.velocities[opposite], c, about)):
            turned[component].append(arm * momentum)
    for axis in axes:
        force[axis] = add(given[axis])
    for component, terms in enumerate(turned):
        if torque.components > 1:
            torque[component] = add(terms)
        else:
            torque[(0,) * velocity_set.dimensions] = add(terms)


def _arms(moving: Offset, link: Offset, about: Sequence[float]) -> list[Value]:
    """Return the lever of a population's momentum, applied half way along its link."""
    lever = [
        hc.index(axis) + (0.5 + 0.5 * c) - point
        for axis, c, point in zip(AXES, link, about, strict=False)
    ]
    planes = ((0, 1),) if len(moving) == len("xy") else ((1, 2), (2, 0), (0, 1))
    return [lever[a] * float(moving[b]) - lever[b] * float(moving[a]) for a, b in planes]


def body_force(
    flow: Flow, body: NDArray[np.bool_], about: Sequence[float], name: str = "body"
) -> BodyForce:
    """Return what computes the force on a body.

    Args:
        flow: The flow around it.
        body: True or 1 in its cells, which are solid.
        about: The point of the torque [cells from the low corner of the domain].
        name: Of its fields.

    Raises:
        CaseError: There is no body, or it has cells that are fluid, or the point other axes.
    """
    solid = flow.setup.solid
    body = as_mask("body", body, flow.setup.extent)
    check_vector("about", about, flow.velocity_set.dimensions)
    if solid is None or not body.any() or (body & ~solid).any():
        raise CaseError(
            f"The body '{name}' has no cells, or cells that are not solid; expected at least one, "
            "and solid ones only."
        )
    grid, lattice = flow.grid, flow.velocity_set
    mask = grid.field(name, dtype="uint8", description="1 in the cells of a body")
    mask.set(body)
    links = grid.field(f"{name}_links", dtype="uint8", components=len(lattice))
    links.set(_links(body, ~solid, flow))
    force = grid.field(f"{name}_force", components=lattice.dimensions)
    turns = 1 if lattice.dimensions == len("xy") else lattice.dimensions
    torque = grid.field(f"{name}_torque", components=turns)
    update = momentum_exchange(
        flow.f,
        links,
        force,
        torque,
        velocity_set=lattice,
        places=flow.streaming.places[0],
        about=tuple(float(x) for x in about),
        on=mask,
    )
    torques = [hc.sum(torque[k] if turns > 1 else torque) for k in range(turns)]
    return BodyForce(
        update, tuple(hc.sum(force[a]) for a in range(lattice.dimensions)), tuple(torques)
    )


def _links(body: NDArray[np.bool_], fluid: NDArray[np.bool_], flow: Flow) -> NDArray[np.bool_]:
    """Return for each population where its link leads from the body to a fluid cell."""
    found = [
        body & seen_along(fluid, c, flow.grid.periodic) if any(c) else np.zeros_like(body)
        for c in flow.velocity_set.velocities
    ]
    return np.stack(found)
