"""The force and the torque of a flow on a body: the momentum that populations leave on its walls.

Each link from a fluid cell to the body takes the momentum of the population that has left the cell
for it, and that of the one which it sends back: the same turned round from a wall half-way.
Populations are deviations from rest: the pressure at rest, which a closed body does not feel, is
left out.
"""

from __future__ import annotations

from functools import partial
from itertools import chain, count
from typing import TYPE_CHECKING, Any

import numpy as np

import halocline as hc
from halocline.apps.lbm.boundaries.curved_wall import from_wall
from halocline.apps.lbm.boundaries.solid_cells import known_field, split_in
from halocline.apps.lbm.lattice.populations import Value, add
from halocline.apps.lbm.lattice.streaming import POST_COLLISION
from halocline.apps.lbm.setup.bodies import Body
from halocline.apps.lbm.validation.arguments import as_mask, check_vector
from halocline.errors import CaseError
from halocline.frozen import Frozen
from halocline.geometry import AXES, seen_along
from halocline.language.steps.coupling import inner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from halocline.apps.lbm.boundaries.solid_cells import SolidCells
    from halocline.apps.lbm.boundaries.solids import Solids
    from halocline.apps.lbm.flow.flow import Flow
    from halocline.apps.lbm.lattice.velocity_set import VelocitySet
    from halocline.geometry import Offset
    from halocline.language.expressions.parameters import Formula
    from halocline.language.steps.steps import Reduction


class BodyForce(Frozen):
    """The force and the torque of a flow on a body.

    Attributes:
        updates: Steps that compute the terms of the sums below.
        force: One sum an axis [lattice units: density at rest cell⁴ / step²; on levels those of the
            coarsest].
        torque: About a point: one in 2-D, about z, or one an axis in 3-D, with levers in cells
            [lattice units: those of the force times cell].

    Example:
        >>> solid = np.zeros((32, 32), bool)
        >>> solid[12:20, 12:20] = True
        >>> flow = lbm.make_flow(lbm.Setup((32, 32), "D2Q9", omega=1.6, solid=solid))
        >>> drag = lbm.body_force(flow, solid, about=(16.0, 16.0))
        >>> steps = [*flow.steps, *drag.updates]
    """

    updates: tuple[Any, ...]
    force: tuple[Reduction | Formula, ...]
    torque: tuple[Reduction | Formula, ...]


@hc.kernel
def momentum_exchange(  # noqa: PLR0913 (the fields of one kernel)
    f: Any,
    links: Any,
    force: Any,
    torque: Any,
    *,
    velocity_set: Any,
    about: Any,
    steps: Any = 1.0,
    pattern: Any = POST_COLLISION,
    walls: Any = (),
    bodies: Any = (),
) -> None:
    """Compute the momentum that the links of a fluid cell transfer to a body.

    Args:
        f: Populations, between two steps.
        links: One component a population: not zero where it leads to the body.
        force: One component an axis.
        torque: See 'BodyForce'.
        velocity_set: The lattice.
        about: The point of the torque [cells from the low corner].
        steps: Of the level in one of the coarsest.
        pattern: Where populations are kept, see 'streaming'.
        walls: See 'Solids'; empty if all walls lie half-way.
        bodies: See 'curved_wall'.

    Source: Ladd, J. Fluid Mech. 271 (1994) 285; Mei et al., Phys. Rev. E 65 (2002) 041203.
    """
    here = (0,) * velocity_set.dimensions
    momenta: dict[int, Value] = {}
    for i in velocity_set.by_halves:
        towards = velocity_set.opposites[i]
        sent = pattern.outgoing(f, velocity_set, towards, here)
        back = from_wall(f, walls, velocity_set, bodies, pattern, i) if walls else sent
        momenta[towards] = hc.where(links[towards] == 0, 0.0, sent + back)
    _add_up(velocity_set, momenta, about, steps, force, torque)


@hc.kernel
def momentum_of_coarser(  # noqa: PLR0913 (the fields of one kernel)
    f: Any, links: Any, force: Any, torque: Any, *, velocity_set: Any, about: Any, steps: Any
) -> None:
    """Compute the momentum that links from coarser fluid cells transfer to a solid cell.

    Walls lie half-way there.

    Args:
        f: See 'momentum_exchange', as the others.
        links: One component a population: not zero where it leads to such a fluid cell.
        force: One component an axis.
        torque: See 'BodyForce'.
        velocity_set: The lattice.
        about: The point of the torque.
        steps: Of the level.
    """
    momenta: dict[int, Value] = {}
    for i in velocity_set.by_halves:
        towards = velocity_set.opposites[i]
        sent = POST_COLLISION.outgoing(f, velocity_set, towards, velocity_set.velocities[i])
        momenta[towards] = hc.where(links[i] == 0, 0.0, sent + sent)
    _add_up(velocity_set, momenta, about, steps, force, torque)


def _add_up(
    velocity_set: VelocitySet,
    momenta: dict[int, Value],
    about: Any,
    steps: Any,
    *results: Any,
) -> None:
    """Assign force and torque of the momenta along links, by population."""
    force, torque = results
    here = (0,) * velocity_set.dimensions
    along: list[list[Value]] = [[] for _ in here]
    turned: list[list[Value]] = [[] for _ in range(torque.components)]
    for i, momentum in momenta.items():
        c = velocity_set.velocities[i]
        for axis, n in enumerate(c):
            if n:
                along[axis].append(momentum if n > 0 else -momentum)
        for component, arm in enumerate(_arms(c, about)):
            turned[component].append(arm * momentum)
    for axis, terms in enumerate(along):
        force[axis] = steps * add(terms)
    for place, terms in zip(torque, turned, strict=True):
        place[here] = add(terms)


def _arms(link: Offset, about: Sequence[float]) -> list[Value]:
    """Return the lever of a momentum along a link of this cell, the same wherever the wall is."""
    lever = [hc.index(axis) + 0.5 - point for axis, point in zip(AXES, about, strict=False)]
    planes = ((0, 1),) if len(link) == len("xy") else ((1, 2), (2, 0), (0, 1))
    return [lever[a] * float(link[b]) - lever[b] * float(link[a]) for a, b in planes]


def body_force(
    flow: Flow,
    body: Body | NDArray[np.bool_],
    about: Sequence[float] | None = None,
    name: str = "body",
) -> BodyForce:
    """Return the steps and sums of the force on a body.

    Execute the updates before the sums: ``simulation.execute(*drag.updates, *drag.force)``. Then
    ``drag.force[0].value`` is the force along x.

    Args:
        flow: The flow around it.
        body: One of the flow's bodies, or True or 1 in cells that are solid.
        about: The point of the torque [coordinates of the grid]; None for the grid's low corner.
        name: Of its fields, numbered where another force has it.

    Raises:
        CaseError: There is no body, or it has cells that are fluid, or the point other axes.

    Example:
        >>> solid = np.zeros((32, 32), bool)
        >>> solid[12:20, 12:20] = True
        >>> flow = lbm.make_flow(lbm.Setup((32, 32), "D2Q9", omega=1.6, solid=solid))
        >>> drag = lbm.body_force(flow, solid, about=(16.0, 16.0))
        >>> len(drag.force)
        2
    """
    grid, lattice, solids = flow.grid, flow.velocity_set, flow.solids
    if about is None:
        about = np.broadcast_to(flow.setup.origin, lattice.dimensions).tolist()
    check_vector("about", about, lattice.dimensions)
    name = _unused(solids, name)
    pairs = list(zip(solids.levels, _cells(flow, body, name), strict=True))
    leading = [_links(lattice, cells, cells.fluid, own) for cells, own in pairs]
    beyond = [
        _links(lattice, cells, cells.own & own, cells.coarser & ~cells.solid)
        for cells, own in pairs
    ]
    both = [a | b for a, b in zip(leading, beyond, strict=True)]
    links = known_field(
        solids.levels, f"{name}_links", both, dtype="uint8", components=len(lattice)
    )
    force = grid.field(f"{name}_force", components=lattice.dimensions)
    turns = 1 if lattice.dimensions == len("xy") else lattice.dimensions
    torque = grid.field(f"{name}_torque", components=turns)
    common = {
        "velocity_set": lattice,
        "about": flow.setup.on_levels(partial(_in_cells, solids, about)),
        "steps": flow.setup.on_levels(lambda level: 2.0**level),
    }

    def update(kernel: Any, where: str, cells: Sequence[NDArray[np.bool_]], **more: Any) -> Any:
        if not any(mask.any() for mask in cells):
            return ()
        mask = known_field(solids.levels, f"{name}_{where}", cells, dtype="bool")
        on = solids.within(mask) if "walls" in more else mask
        call = kernel(flow.f, links, force, torque, on=on, **common, **more)
        is_alone = solids.is_on_levels and kernel is momentum_exchange
        return (inner(call) if is_alone else call,)

    beside = [np.any(links, axis=0) for links in leading]
    curved_beside = list(zip(beside, solids.curved, strict=True))
    half_way: dict[str, Any] = {"pattern": flow.streaming.patterns[0]}
    curved = half_way | {"walls": solids.walls, "bodies": tuple(flow.setup.bodies)}
    updates = (
        *update(momentum_exchange, "beside", [n & ~c for n, c in curved_beside], **half_way),
        *update(momentum_exchange, "curved", [n & c for n, c in curved_beside], **curved),
        *update(momentum_of_coarser, "border", [np.any(links, axis=0) for links in beyond]),
    )
    forces = tuple(hc.sum(force[axis]) for axis in range(lattice.dimensions))
    torques = [hc.sum(torque[k] if turns > 1 else torque) for k in range(turns)]
    return BodyForce(updates, forces, tuple(torques))


def _unused(solids: Solids, name: str) -> str:
    """Return a name that no other force has for its fields."""
    fields = solids.levels[0].grid.fields if solids.levels else {}
    names = chain([name], (f"{name}_{number}" for number in count(2)))
    return next(candidate for candidate in names if f"{candidate}_links" not in fields)


def _in_cells(solids: Solids, point: Sequence[float], level: int) -> tuple[float, ...]:
    """Return a point in cells of a level from the low corner, as levers are counted."""
    grid = solids.levels[level].grid
    return tuple(map(float, (np.array(point, float) - grid.origin) / grid.spacing))


def _links(
    lattice: VelocitySet, cells: SolidCells, some: NDArray[np.bool_], others: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return for each population where it leads from some cells of a level to others."""
    links = [
        np.asarray(some & seen_along(others, c, cells.periodic) & any(c), bool)
        for c in lattice.velocities
    ]
    return np.stack(links)


def _cells(flow: Flow, body: Body | NDArray[np.bool_], name: str) -> list[NDArray[np.bool_]]:
    """Return the cells of a body on each level."""
    levels = flow.solids.levels
    if isinstance(body, Body):
        if body not in flow.setup.bodies:
            raise CaseError(
                f"The body '{body.name}' is none of the flow's.",
                hint="Give it to the setup, too: Setup(…, bodies=[body]).",
            )
        number = 1 + list(flow.setup.bodies).index(body)
        return [np.asarray(level_cells.owner == number) for level_cells in levels]
    cells = as_mask("body", body, flow.setup.extent)
    on_levels = [
        split_in(level_cells.window, cells, level) for level, level_cells in enumerate(levels)
    ]
    is_fluid = any(
        (its & level_cells.fluid).any() for level_cells, its in zip(levels, on_levels, strict=True)
    )
    if not levels or not cells.any() or is_fluid:
        raise CaseError(
            f"The body '{name}' has no cells, or cells that are not solid; expected at least one, "
            "and solid ones only."
        )
    return on_levels
