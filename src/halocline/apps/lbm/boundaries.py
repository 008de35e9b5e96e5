"""Boundaries: what arrives in the cells at a side of the domain, or next to solid cells.

Each is written for the cell beyond: what it lets arrive along each link that leads from it to the
fluid. They say only where populations come from and go to ('streaming'), so one text serves on two
grids and in place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.apps.lbm.arguments import returned
from halocline.apps.lbm.populations import Value, add, dot, moments
from halocline.apps.lbm.streaming import POST_COLLISION, Places
from halocline.geometry import AXES

if TYPE_CHECKING:
    from halocline.apps.lbm.velocity_set import VelocitySet
    from halocline.geometry import Offset


@dataclass(frozen=True, slots=True)
class Wall:
    """A wall half a cell outside the last cells, at rest or moving within its own plane.

    Attributes:
        velocity: One component an axis [cells / step]; empty at rest.

    Source: halfway bounce-back; Ladd, J. Fluid Mech. 271 (1994) 285, with wall density 1.
    """

    velocity: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class FreeSlip:
    """A frictionless wall half a cell outside the last cells: what arrives is a mirror image."""


@dataclass(frozen=True, slots=True)
class Velocity:
    """Prescribed velocity in the last cells.

    Attributes:
        velocity: One component an axis [cells / step], or a function of the coordinates of the
            cells [cells] that returns them; arithmetic and 'hc' functions only.

    Source: Zou & He, Phys. Fluids 9 (1997) 1591.
    """

    velocity: tuple[float, ...] | Callable[..., Sequence[Value]]


@dataclass(frozen=True, slots=True)
class Pressure:
    """Prescribed density in the last cells, and no velocity along the side.

    Attributes:
        density: 1 at rest; the pressure is a third of it [lattice units].

    Source: as 'Velocity'.
    """

    density: float = 1.0


@dataclass(frozen=True, slots=True)
class Outflow:
    """A side through which whatever comes to it is carried out at a speed.

    Attributes:
        speed: Of the flow there [cells / step].

    Source: the convective condition for density and velocity, first-order upwind; populations that
        are not known take over the non-equilibrium of their opposites.
    """

    speed: float


@dataclass(frozen=True, slots=True)
class PressureDrop:
    """A periodic side through which populations come with another density.

    Attributes:
        difference: By how much the density of what arrives is raised [lattice units]. The other
            side takes the opposite.

    Source: after Kim & Pitsch, Phys. Fluids 19 (2007) 108101: the equilibrium is changed, the rest
        is not; at constant momentum, so that the mass in the domain stays.
    """

    difference: float


Boundary = Wall | FreeSlip | Velocity | Pressure | Outflow | PressureDrop


@hc.kernel
def wall(
    f: Any, *, velocity_set: Any, links: Any, places: Any = POST_COLLISION, velocity: Any = ()
) -> None:
    """Send back along some links what has come to a solid cell.

    Args:
        f: Populations.
        velocity_set: The lattice.
        links: Populations that leave the wall.
        places: Where populations are kept, see 'streaming'.
        velocity: Of the wall, one component an axis; empty at rest.
    """
    for i in links:
        c = velocity_set.velocities[i]
        returned = places.outgoing(f, velocity_set, velocity_set.opposites[i], c)
        if moving := [(c[a], velocity[a]) for a in range(len(velocity)) if c[a]]:
            along = dot(tuple(n for n, _ in moving), [v for _, v in moving])
            returned = returned + (6.0 * velocity_set.weights[i]) * along
        places.deliver(f, velocity_set, i, c, returned)


@hc.kernel
def free_slip(f: Any, *, velocity_set: Any, at: Any, places: Any = POST_COLLISION) -> None:
    """Send back from the layer beyond a side the mirror images of what has come to it."""
    for i in leaving(velocity_set, at):
        image = _mirrored(f, velocity_set, at, places, i)
        places.deliver(f, velocity_set, i, velocity_set.velocities[i], image)


@hc.kernel
def free_slip_beside_solids(
    f: Any, fluid: Any, *, velocity_set: Any, at: Any, places: Any = POST_COLLISION
) -> None:
    """Do the same, but send back as a wall what would be the mirror image of a solid cell's.

    Args:
        f: Populations.
        fluid: Not zero in fluid cells, nor in the layers beyond other sides (see 'no_solid').
        velocity_set: The lattice.
        at: The side.
        places: Where populations are kept, see 'streaming'.
    """
    for i in leaving(velocity_set, at):
        c, opposite = velocity_set.velocities[i], velocity_set.opposites[i]
        image = _mirrored(f, velocity_set, at, places, i)
        returned = places.outgoing(f, velocity_set, opposite, c)
        is_solid = fluid[_normal(velocity_set, at)] == 0
        places.deliver(f, velocity_set, i, c, hc.where(is_solid, returned, image))


@hc.kernel
def no_solid(fluid: Any) -> None:
    """Say of the layer beyond a side that its cells are no solid ones."""
    fluid[(0,) * fluid.dimensions] = True


def _mirrored(f: Any, velocity_set: VelocitySet, at: str, places: Places, i: int) -> Value:
    """Return the mirror image of population i that has left the cell in front of a layer's."""
    axis = AXES.index(at[0])
    c = velocity_set.velocities[i]
    mirrored = tuple(-n if a == axis else n for a, n in enumerate(c))
    image = velocity_set.velocities.index(mirrored)
    return places.outgoing(f, velocity_set, image, _normal(velocity_set, at))


@hc.kernel
def outflow(
    f: Any, *, velocity_set: Any, at: Any, speed: Any, places: Any = POST_COLLISION
) -> None:
    """Let density and velocity be carried out of the domain through a side.

    In the last cells both become those of one step before and 'speed' cells further in; what
    arrives from the layer beyond differs from equilibrium as what leaves to it.
    """
    normal = _normal(velocity_set, at)
    for i in leaving(velocity_set, at):
        c, opposite = velocity_set.velocities[i], velocity_set.opposites[i]
        inside = tuple(a + b for a, b in zip(c, normal, strict=True))
        excess, momentum = _before(f, velocity_set, places, c)
        excess_inside, momentum_inside = _before(f, velocity_set, places, inside)
        density = 1.0 + (excess + speed * (excess_inside - excess))
        velocity = [
            j / (1.0 + excess) + speed * (k / (1.0 + excess_inside) - j / (1.0 + excess))
            for j, k in zip(momentum, momentum_inside, strict=True)
        ]
        change = (6.0 * velocity_set.weights[i]) * density * dot(c, velocity)
        returned = places.arriving(f, velocity_set, opposite, c) + change
        places.deliver(f, velocity_set, i, c, returned)


def _before(
    f: Any, velocity_set: VelocitySet, places: Places, cell: Offset
) -> tuple[Value, list[Value]]:
    """Return excess density and momentum of a cell, which the last collision has conserved."""
    left = [places.outgoing(f, velocity_set, k, cell) for k in range(len(velocity_set))]
    return moments(velocity_set, left)


@hc.kernel
def open_side(
    f: Any,
    *,
    velocity_set: Any,
    at: Any,
    places: Any = POST_COLLISION,
    velocity: Any = (),
    density: Any = None,
) -> None:
    """Let arrive from the layer beyond a side what gives the last cells a velocity or a density.

    Args:
        f: Populations.
        velocity_set: The lattice.
        at: The side.
        places: Where populations are kept, see 'streaming'.
        velocity: One component an axis, or a function of the coordinates; empty for a density.
        density: The density, if no velocity is given.

    Source: the closed form of Zou & He for planes along the axes (Hecht & Harting 2010).
    """
    for i in leaving(velocity_set, at):
        c = velocity_set.velocities[i]
        found = {
            k: places.arriving(f, velocity_set, k, c)
            for k in range(len(velocity_set))
            if k not in leaving(velocity_set, at)
        }
        given = _given(velocity, velocity_set, c)
        places.deliver(f, velocity_set, i, c, _missing(velocity_set, at, i, found, given, density))


@hc.kernel
def pressure_drop(
    f: Any, *, velocity_set: Any, at: Any, difference: Any, places: Any = POST_COLLISION
) -> None:
    """Raise the density of what arrives through a periodic side; its momentum stays.

    As much mass comes in at one side as goes out at the other. So the equilibrium changes by the
    weights, but for terms of second order in the velocity.
    """
    cell = (0,) * velocity_set.dimensions
    for i in leaving(velocity_set, at):
        found = places.arriving(f, velocity_set, i, cell)
        change = velocity_set.weights[i] * difference
        places.deliver(f, velocity_set, i, cell, found + change)


def leaving(velocity_set: VelocitySet, side: str) -> tuple[int, ...]:
    """Return the populations that leave a side into the domain."""
    return velocity_set.towards(AXES.index(side[0]), _inwards(side))


def _inwards(side: str) -> int:
    return 1 if side[1] == "-" else -1


def _normal(velocity_set: VelocitySet, side: str) -> Offset:
    """Return the unit normal into the domain."""
    axis = AXES.index(side[0])
    return tuple(_inwards(side) if a == axis else 0 for a in range(velocity_set.dimensions))


def _given(velocity: Any, velocity_set: VelocitySet, cell: Offset) -> Sequence[Value]:
    """Return the velocity prescribed in the cell at an offset."""
    if not callable(velocity):
        return tuple(velocity)
    axes = AXES[: velocity_set.dimensions]
    found = velocity(*(hc.index(a) + (o + 0.5) for a, o in zip(axes, cell, strict=True)))
    return returned(velocity, found, len(axes), "axis")


def _missing(
    velocity_set: VelocitySet,
    side: str,
    i: int,
    found: Mapping[int, Value],
    velocity: Sequence[Value],
    density: Value,
) -> Value:
    """Return a population that arrives through an open side, given those that do not."""
    axis, inwards = AXES.index(side[0]), _inwards(side)
    along = [k for k in found if velocity_set.velocities[k][axis] == 0]
    towards = [k for k in found if velocity_set.velocities[k][axis] == -inwards]
    # Deviations from rest: without them the sum would be 1 larger.
    known = 1.0 + (add([found[k] for k in along]) + 2.0 * add([found[k] for k in towards]))
    if velocity:
        rho = known / (1.0 - inwards * velocity[axis])
        u = list(velocity)
    else:
        rho = density
        u = [0.0] * velocity_set.dimensions
        u[axis] = inwards * (1.0 - known / rho)
    c, weight = velocity_set.velocities[i], velocity_set.weights[i]
    value = found[velocity_set.opposites[i]] + (6.0 * weight) * rho * dot(c, u)
    beside = [(k, found[k]) for k in along]
    for t in (t for t in range(velocity_set.dimensions) if t != axis and c[t]):
        still = weight * _tangential(velocity_set, side, t, rho * u[t], beside)
        value = value + still if c[t] > 0 else value - still
    return value


def _tangential(
    velocity_set: VelocitySet, side: str, t: int, momentum: Value, along: list[tuple[int, Value]]
) -> Value:
    """Return the tangential momentum that is missing, over the weights that can provide it."""
    moving = [(velocity_set.velocities[k][t], f) for k, f in along if velocity_set.velocities[k][t]]
    carried = dot(tuple(c for c, _ in moving), [f for _, f in moving])
    weights = sum(
        velocity_set.weights[i] * velocity_set.velocities[i][t] ** 2
        for i in leaving(velocity_set, side)
    )
    return (momentum * (1.0 - 6.0 * weights) - carried) * (1.0 / weights)
