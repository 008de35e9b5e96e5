"""The force and the torque of a flow on a body: the momentum that populations leave on its walls.

Each link from a fluid cell to the body takes the momentum of the population that has left the cell
for it, and that of the one which it sends back: the same turned round from a wall half-way.
Populations are deviations from rest: the pressure at rest, which a closed body does not feel, is
left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import halocline as hc
from halocline.apps.lbm.arguments import as_mask, check_vector
from halocline.apps.lbm.bodies import Body
from halocline.apps.lbm.curved_wall import from_wall
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
    """What a flow does to a body.

    Attributes:
        updates: Compute what the following add up; steps.
        force: One sum an axis [lattice units: density at rest cell⁴ / step²].
        torque: About a point: one in 2-D, about z, or one an axis in 3-D, with levers in cells
            [lattice units: those of the force times cell].
    """

    updates: tuple[Call, ...]
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
    about: Any,
    places: Any = POST_COLLISION,
    walls: Any = (),
    bodies: Any = (),
) -> None:
    """Compute what the links of a fluid cell do to a body.

    Args:
        f: Populations, between two steps.
        links: One component a population: not zero where it leads to the body.
        force: One component an axis.
        torque: See 'BodyForce'.
        velocity_set: The lattice.
        about: The point of the torque [cells from the low corner].
        places: Where populations are kept, see 'streaming'.
        walls: See 'Solids'; empty if all walls lie half-way.
        bodies: See 'curved_wall'.

    Source: Ladd, J. Fluid Mech. 271 (1994) 285; Mei et al., Phys. Rev. E 65 (2002) 041203.
    """
    axes = range(velocity_set.dimensions)
    here = (0,) * velocity_set.dimensions
    given: list[list[Value]] = [[] for _ in axes]
    turned: list[list[Value]] = [[] for _ in range(torque.components)]
    for i in velocity_set.by_halves:
        opposite = velocity_set.opposites[i]
        c = velocity_set.velocities[opposite]
        sent = places.outgoing(f, velocity_set, opposite, here)
        back = from_wall(f, walls, velocity_set, bodies, places, i) if walls else sent
        momentum = hc.where(links[opposite] == 0, 0.0, sent + back)
        for axis in axes:
            if c[axis]:
                given[axis].append(momentum if c[axis] > 0 else -momentum)
        for component, arm in enumerate(_arms(c, about)):
            turned[component].append(arm * momentum)
    for axis in axes:
        force[axis] = add(given[axis])
    for component, terms in enumerate(turned):
        if torque.components > 1:
            torque[component] = add(terms)
        else:
            torque[here] = add(terms)


def _arms(link: Offset, about: Sequence[float]) -> list[Value]:
    """Return the lever of a momentum along a link of this cell, the same wherever the wall is."""
    lever = [hc.index(axis) + 0.5 - point for axis, point in zip(AXES, about, strict=False)]
    planes = ((0, 1),) if len(link) == len("xy") else ((1, 2), (2, 0), (0, 1))
    return [lever[a] * float(link[b]) - lever[b] * float(link[a]) for a, b in planes]


def body_force(
    flow: Flow, body: Body | NDArray[np.bool_], about: Sequence[float], name: str = "body"
) -> BodyForce:
    """Return what computes the force on a body.

    Args:
        flow: The flow around it.
        body: One of the flow's bodies, or True or 1 in cells that are solid.
        about: The point of the torque [coordinates of the grid].
        name: Of its fields.

    Raises:
        CaseError: There is no body, or it has cells that are fluid, or the point other axes.
    """
    grid, lattice = flow.grid, flow.velocity_set
    check_vector("about", about, lattice.dimensions)
    # Levers are counted in cells.
    point = (np.array(about, float) - grid.origin) / grid.spacing
    leading = _links(_cells(flow, body, name), flow)
    links = grid.field(f"{name}_links", dtype="uint8", components=len(lattice))
    links.set(leading)
    force = grid.field(f"{name}_force", components=lattice.dimensions)
    turns = 1 if lattice.dimensions == len("xy") else lattice.dimensions
    torque = grid.field(f"{name}_torque", components=turns)

    def update(where: str, cells: NDArray[np.bool_], **walls: Any) -> list[Call]:
        if not cells.any():
            return []
        mask = grid.field(f"{name}_{where}", dtype="bool", description="1 in fluid cells")
        mask.set(cells)
        return [
            momentum_exchange(
                flow.f,
                links,
                force,
                torque,
                velocity_set=lattice,
                about=tuple(map(float, point)),
                places=flow.streaming.places[0],
                on=(mask, flow.solids.inner) if walls else mask,
                **walls,
            )
        ]

    beside, curved = leading.any(axis=0), flow.solids.curved
    walls = {"walls": flow.solids.walls, "bodies": tuple(flow.setup.bodies)}
    updates = update("beside", beside & ~curved) + update("beside_curved", beside & curved, **walls)
    torques = [hc.sum(torque[k] if turns > 1 else torque) for k in range(turns)]
    return BodyForce(
        tuple(updates), tuple(hc.sum(force[a]) for a in range(lattice.dimensions)), tuple(torques)
    )


def _links(body: NDArray[np.bool_], flow: Flow) -> NDArray[np.bool_]:
    """Return for each population where it leads from a fluid cell to the body."""
    fluid = ~_solid(flow)
    found = [
        fluid & seen_along(body, c, flow.grid.periodic) if any(c) else np.zeros_like(body)
        for c in flow.velocity_set.velocities
    ]
    return np.stack(found)


def _solid(flow: Flow) -> NDArray[np.bool_]:
    solid = flow.setup.solid
    return np.zeros(flow.setup.extent, bool) if solid is None else solid


def _cells(flow: Flow, body: Body | NDArray[np.bool_], name: str) -> NDArray[np.bool_]:
    """Return the cells of a body."""
    if isinstance(body, Body):
        if body not in flow.setup.bodies:
            raise CaseError(
                f"The body '{body.name}' is none of the flow's.",
                hint="Give it to the setup, too: Setup(…, bodies=[body]).",
            )
        assert flow.setup.owner is not None
        return np.asarray(flow.setup.owner == 1 + list(flow.setup.bodies).index(body))
    cells = as_mask("body", body, flow.setup.extent)
    if not cells.any() or (cells & ~_solid(flow)).any():
        raise CaseError(
            f"The body '{name}' has no cells, or cells that are not solid; expected at least one, "
            "and solid ones only."
        )
    return cells
