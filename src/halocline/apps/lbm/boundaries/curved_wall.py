"""Walls inside cells: kernels for the fluid cells beside a body.

Each of these cells says what its own links bring back: 'body_walls.py' has the scheme. It reads
nothing but what the collision of the cell reads, and what the cell itself has sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.apps.lbm.boundaries.prescribed import cast_to_compute
from halocline.apps.lbm.lattice.populations import Value, add, dot
from halocline.apps.lbm.lattice.streaming import POST_COLLISION, StreamingPattern
from halocline.geometry import AXES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.apps.lbm.lattice.velocity_set import VelocitySet
    from halocline.apps.lbm.setup.bodies import Body
    from halocline.geometry import Offset


@hc.kernel
def curved_wall(
    f: Any, *, walls: Any, velocity_set: Any, bodies: Any, pattern: Any = POST_COLLISION
) -> None:
    """Send back along the links that lead to bodies what their walls make of it.

    Args:
        f: Populations.
        walls: Two fields, the number of the body to which a cell belongs (0 in others), and the
            'link_coefficient' of 'Walls'.
        velocity_set: The lattice.
        bodies: In the order of their numbers.
        pattern: Where populations are kept, see 'streaming'.
    """
    here = (0,) * velocity_set.dimensions
    for i in velocity_set.by_halves:
        is_cut = walls[0][velocity_set.velocities[velocity_set.opposites[i]]] != 0
        value = from_wall(f, walls, velocity_set, bodies, pattern, i)
        pattern.deliver(f, velocity_set, i, here, value, only=is_cut)


@hc.kernel
def accumulate_mass_defect(
    f: Any,
    mass_defect: Any,
    *,
    walls: Any,
    velocity_set: Any,
    bodies: Any,
    pattern: Any = POST_COLLISION,
) -> None:
    """Accumulate the mass defect: the mass sent to walls minus the mass that arrives from them.

    Args:
        f: Populations.
        mass_defect: Mass [lattice units].
        walls: See 'curved_wall', as the others.
        velocity_set: The lattice.
        bodies: In the order of their numbers.
        pattern: Where populations are kept.
    """
    here = (0,) * velocity_set.dimensions
    kept = []
    for i in velocity_set.by_halves:
        towards = velocity_set.opposites[i]
        sent = pattern.outgoing(f, velocity_set, towards, here)
        arriving = from_wall(f, walls, velocity_set, bodies, pattern, i)
        is_cut = walls[0][velocity_set.velocities[towards]] != 0
        kept.append(hc.where(is_cut, sent - arriving, 0.0))
    mass_defect[here] = mass_defect + add(kept)


@hc.kernel
def redistribute_mass_defect(
    f: Any, *, velocity_set: Any, total: Any, cells: Any, pattern: Any = POST_COLLISION
) -> None:
    """Distribute a mass evenly among cells, as populations of fluid at rest."""
    here = (0,) * velocity_set.dimensions
    share = total * (1.0 / cells)
    for i, weight in enumerate(velocity_set.weights):
        population = pattern.outgoing(f, velocity_set, i, here)
        pattern.put(f, velocity_set, i, here, population + weight * share)


@hc.kernel
def reset_mass_defect(mass_defect: Any) -> None:
    """Reset the mass defect."""
    mass_defect[(0,) * mass_defect.dimensions] = 0.0


def from_wall(
    f: Any,
    walls: tuple[Any, Any],
    velocity_set: VelocitySet,
    bodies: Sequence[Body],
    pattern: StreamingPattern,
    i: int,
) -> Value:
    """Return the population i that arrives from the wall on its link.

    Args:
        f: Populations.
        walls: See 'curved_wall', as the others.
        velocity_set: The lattice.
        bodies: In the order of their numbers.
        pattern: Where populations are kept.
        i: Which one.

    Source: Ginzburg, Verhaeghe & d'Humières, Commun. Comput. Phys. 3 (2008) 427 (CLI), for walls
    at rest; Bouzidi, Firdaouss & Lallemand, Phys. Fluids 13 (2001) 3452, for walls that move, with
    wall density 1.
    """
    owner, link_coefficient = walls
    here, towards = (0,) * velocity_set.dimensions, velocity_set.opposites[i]
    c = velocity_set.velocities[towards]
    sent = pattern.outgoing(f, velocity_set, towards, here)
    # Cells beside bodies are fluid: the choice tells that nobody reads what another one assigns.
    away = hc.where(owner[here] == 0, pattern.outgoing(f, velocity_set, i, here), 0.0)
    behind = pattern.arriving(f, velocity_set, towards, here)
    k = _link_coefficient(link_coefficient, velocity_set, towards)
    value = sent + k * (behind - away)
    for number, body in enumerate(bodies, 1):
        if body.is_moving:
            u = [
                cast_to_compute(component, f.dtype)
                for component in body.velocity_at(_on_wall(k, c))
            ]
            gained = (6.0 * velocity_set.weights[i]) * dot(c, u)
            share = 2.0 * abs(k) / (1.0 + abs(k))
            near = sent + share * (behind - sent) - gained
            far = sent + share * (away - sent) - (1.0 - share) * gained
            value = hc.where(owner[c] == number, hc.where(k > 0.0, near, far), value)
    return value


def _link_coefficient(link_coefficient: Any, velocity_set: VelocitySet, i: int) -> Value:
    """Return the factor of the link i, which is kept in the cell where its pair begins."""
    here, c = (0,) * velocity_set.dimensions, velocity_set.velocities[i]
    first = min(i, velocity_set.opposites[i])
    pair = [start for start, _ in velocity_set.pairs].index(first)
    return link_coefficient[pair][here if i == first else c]


def _on_wall(k: Value, link: Offset) -> list[Value]:
    """Return the point where a wall cuts a link of this cell [coordinates of the grid]."""
    q = 0.5 * (1.0 - k) / (1.0 + k)
    return [
        hc.coordinate(axis) + (hc.spacing(axis) * (q * float(step)) if step else 0.0)
        for axis, step in zip(AXES, link, strict=False)
    ]
