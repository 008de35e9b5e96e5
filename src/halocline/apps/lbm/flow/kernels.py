"""Kernels of a step: collision and streaming, density and velocity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.apps.lbm.boundaries.curved_wall import from_wall
from halocline.apps.lbm.boundaries.prescribed import vector
from halocline.apps.lbm.collision.relaxation import Collision, bgk
from halocline.apps.lbm.lattice.links import leaving
from halocline.apps.lbm.lattice.populations import add, moments
from halocline.apps.lbm.lattice.streaming import POST_COLLISION
from halocline.apps.lbm.validation.arguments import returned
from halocline.geometry import opposite

if TYPE_CHECKING:
    from halocline.apps.lbm.lattice.populations import Value
    from halocline.apps.lbm.lattice.streaming import StreamingPattern
    from halocline.apps.lbm.lattice.velocity_set import VelocitySet


@hc.kernel
def collide_stream(  # noqa: PLR0913 (what a collision is)
    f: Any,
    f_next: Any,
    *,
    velocity_set: Any,
    omega: Any,
    collision: Any = bgk,
    force: Any = (),
    time: Any = 0.0,
) -> None:
    """Pull the populations that arrive, collide them, store them.

    Args:
        f: Populations after the last collision, as deviations from rest.
        f_next: After this one.
        velocity_set: The lattice.
        omega: Relaxation rate of the viscous stress [1 / step].
        collision: See 'collision'.
        force: Body force per volume, one component an axis, or a function of place and time that
            returns it; empty for none.
        time: The time, for such a function.

    Example:
        >>> lattice, grid = lbm.velocity_set("D2Q9"), hc.Grid((8, 8), periodic=True)
        >>> f, f_next = (grid.field(name, components=9) for name in ("f", "f_next"))
        >>> step = lbm.collide_stream(f, f_next, velocity_set=lattice, omega=1.6)
    """
    arriving = _arriving(f, velocity_set, POST_COLLISION)
    _collide(f_next, arriving, velocity_set, omega, collision, force, time)


@hc.kernel
def collide_in_place(  # noqa: PLR0913 (what a collision is)
    f: Any,
    *,
    velocity_set: Any,
    omega: Any,
    before: Any,
    after: Any,
    collision: Any = bgk,
    force: Any = (),
    time: Any = 0.0,
) -> None:
    """Collide the populations that arrive and put them where the next collision finds them.

    Args:
        f: Populations, as deviations from rest.
        before: Where they are kept before, see 'streaming'.
        after: And where afterwards.
        velocity_set: See 'collide_stream', as the others.
        omega: Relaxation rate.
        collision: Collision.
        force: Body force.
        time: Time.
    """
    arriving = _arriving(f, velocity_set, before)
    _collide(f, arriving, velocity_set, omega, collision, force, time, after)


@hc.kernel
def collide_beside(  # noqa: PLR0913 (what a collision is, and the walls)
    f: Any,
    f_next: Any,
    *,
    walls: Any,
    bodies: Any,
    velocity_set: Any,
    omega: Any,
    collision: Any,
    force: Any = (),
    time: Any = 0.0,
) -> None:
    """Collide in the cells beside bodies what arrives there, from walls, too.

    On levels this stands for 'curved_wall' with the collision that follows: nothing is assigned
    next door, where cells may belong to a border between levels.

    Args:
        f: Populations after the last collision.
        f_next: After this one.
        walls: See 'curved_wall', as 'bodies'.
        bodies: In the order of their numbers.
        velocity_set: See 'collide_stream', as the others.
        omega: Relaxation rate.
        collision: Collision.
        force: Body force.
        time: Time.
    """
    arriving = _arriving(f, velocity_set, POST_COLLISION)
    for i in velocity_set.by_halves:
        is_cut = walls[0][velocity_set.velocities[velocity_set.opposites[i]]] != 0
        back = from_wall(f, walls, velocity_set, bodies, POST_COLLISION, i)
        arriving[i] = hc.where(is_cut, back, arriving[i])
    _collide(f_next, arriving, velocity_set, omega, collision, force, time)


@hc.kernel
def collide_after_drop(  # noqa: PLR0913 (what a collision is, and the drop)
    f: Any,
    f_next: Any,
    through: Any,
    *,
    at: Any,
    difference: Any,
    velocity_set: Any,
    omega: Any,
    collision: Any,
    force: Any = (),
    time: Any = 0.0,
) -> None:
    """Collide in the cells at a periodic side, whose density is raised on the way through it.

    Args:
        f: Populations after the last collision.
        f_next: After this one.
        through: See 'reaching_through': from walls nothing has come through the side.
        at: The side.
        difference: Added to the density.
        velocity_set: See 'collide_stream', as the others.
        omega: Relaxation rate.
        collision: Collision.
        force: Body force.
        time: Time.
    """
    arriving = _arriving(f, velocity_set, POST_COLLISION)
    for i in leaving(velocity_set, at):
        has_passed = through[opposite(velocity_set.velocities[i])] != 0
        change = velocity_set.weights[i] * difference
        arriving[i] = arriving[i] + hc.where(has_passed, change, 0.0)
    _collide(f_next, arriving, velocity_set, omega, collision, force, time)


@hc.kernel
def macroscopic(  # noqa: PLR0913 (what is read off)
    f: Any,
    density: Any,
    velocity: Any,
    *,
    velocity_set: Any,
    force: Any = (),
    time: Any = 0.0,
    pattern: Any = POST_COLLISION,
) -> None:
    """Compute density and velocity from the stored populations [lattice units].

    Collision conserves density and momentum, so the moments of the outgoing populations are those
    of the cell; a force has been added in full, of which half belongs to the next half step.

    Args:
        f: Populations, as deviations from rest.
        density: Mass density, 1 at rest.
        velocity: One component an axis [cells / step].
        velocity_set: The lattice.
        force: See 'collide_stream'; of the last collision.
        time: The time, for a force that is a function of it.
        pattern: Where populations are kept, see 'streaming'.

    Example:
        >>> lattice, grid = lbm.velocity_set("D2Q9"), hc.Grid((8, 8), periodic=True)
        >>> f, velocity = grid.field("f", components=9), grid.field("velocity", components=2)
        >>> step = lbm.macroscopic(f, grid.field("density"), velocity, velocity_set=lattice)
    """
    cell = (0,) * velocity_set.dimensions
    outgoing = [pattern.outgoing(f, velocity_set, i, cell) for i in range(len(velocity_set))]
    excess, momentum = moments(velocity_set, outgoing)
    if acting := vector(force, (0,) * velocity_set.dimensions, time, f.dtype):
        momentum = [j - 0.5 * g for j, g in zip(momentum, acting, strict=True)]
    density[cell] = 1.0 + excess
    inverse_density = 1.0 / (1.0 + excess)
    for axis, j in enumerate(momentum):
        velocity[axis] = j * inverse_density


@hc.kernel
def compare_velocity(velocity: Any, velocity_before: Any, change: Any) -> None:
    """Compute by how much the velocity has changed, and keep it for the next comparison.

    Example:
        >>> grid = hc.Grid((8, 8))
        >>> now, before = (grid.field(name, components=2) for name in ("now", "before"))
        >>> step = lbm.compare_velocity(now, before, grid.field("change"))
    """
    axes = range(velocity.components)
    differences = [velocity[axis] - velocity_before[axis] for axis in axes]
    change[(0,) * velocity.dimensions] = hc.sqrt(add([d * d for d in differences]))
    for axis in axes:
        velocity_before[axis] = velocity[axis]


@hc.kernel
def energy(density: Any, velocity: Any, energy: Any) -> None:
    """Compute twice the kinetic energy per volume."""
    squares = add([velocity[axis] * velocity[axis] for axis in range(velocity.components)])
    energy[(0,) * velocity.dimensions] = density * squares


def _arriving(f: Any, velocity_set: VelocitySet, pattern: StreamingPattern) -> list[Value]:
    cell = (0,) * velocity_set.dimensions
    return [pattern.arriving(f, velocity_set, i, cell) for i in range(len(velocity_set))]


def _collide(  # noqa: PLR0913, PLR0917 (what a collision is)
    f: Any,
    arriving: list[Value],
    velocity_set: VelocitySet,
    omega: Value,
    collision: Collision,
    force: Any,
    time: Value,
    pattern: StreamingPattern = POST_COLLISION,
) -> None:
    """Collide the populations that arrive, and store what leaves as a pattern says."""
    here = (0,) * velocity_set.dimensions
    outgoing = collision(velocity_set, arriving, omega, vector(force, here, time, f.dtype))
    for i, population in enumerate(returned(collision, outgoing, len(velocity_set), "population")):
        pattern.put(f, velocity_set, i, here, population)
