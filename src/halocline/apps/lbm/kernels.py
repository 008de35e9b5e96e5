"""Lattice Boltzmann in the language: collision and streaming, walls and what is read off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.apps.lbm.collision import bgk
from halocline.apps.lbm.populations import moments, pulled
from halocline.geometry import AXES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.apps.lbm.velocity_set import VelocitySet
    from halocline.language.fields import Field


@hc.kernel
def collide_stream(
    f: Any,
    f_next: Any,
    *,
    velocity_set: Any,
    omega: Any,
    collision: Any = bgk,
    force: Any = (),
) -> None:
    """Pull the populations that arrive, collide them, store them.

    Args:
        f: Populations after the last collision.
        f_next: After this one.
        velocity_set: The lattice.
        omega: Relaxation rate of the viscous stress [1 / step].
        collision: See 'collision'.
        force: Body force per volume, one component an axis; empty for none.
    """
    outgoing = collision(velocity_set, pulled(f, velocity_set), omega, force)
    for i, population in enumerate(outgoing):
        f_next[i] = population


@hc.kernel
def wall(f: Any, *, velocity_set: Any, at: str) -> None:
    """Put on the layer beyond a side what a wall half a cell outside sends back.

    A cell pulls its population i from the layer, one link against c_i; there it must find what it
    sent towards the wall itself: halfway bounce-back.
    """
    for i in _leaving(velocity_set, at):
        f[i] = f[velocity_set.opposites[i]][velocity_set.velocities[i]]


@hc.kernel
def moving_wall(f: Any, *, velocity_set: Any, at: str, along: str, speed: Any) -> None:
    """Put on the layer beyond a side what a wall sends back that moves within its own plane.

    Args:
        f: Populations after collision.
        velocity_set: The lattice.
        at: The side where the wall is: 'y+', …
        along: Axis of the motion.
        speed: Of the wall [cells / step].

    Source: Ladd, J. Fluid Mech. 271 (1994) 285, with wall density 1; here c_i points off the wall.
    """
    axis = AXES.index(along)
    for i in _leaving(velocity_set, at):
        c = velocity_set.velocities[i]
        returned = f[velocity_set.opposites[i]][c]
        f[i] = returned + 6.0 * velocity_set.weights[i] * c[axis] * speed if c[axis] else returned


@hc.kernel
def free_slip(f: Any, *, velocity_set: Any, at: str) -> None:
    """Put on the layer beyond a side what a frictionless wall half a cell outside sends back.

    A population arrives from the layer as its mirror image left the cell in front of it.
    """
    axis = AXES.index(at[0])
    for i in _leaving(velocity_set, at):
        c = velocity_set.velocities[i]
        mirrored = tuple(-n if a == axis else n for a, n in enumerate(c))
        inwards = tuple(n if a == axis else 0 for a, n in enumerate(c))
        f[i] = f[velocity_set.velocities.index(mirrored)][inwards]


def enclose(f: Field, velocity_set: VelocitySet, sides: Sequence[str]) -> None:
    """Put walls at rest on sides of the domain; those given last win where layers meet."""
    for side in sides:
        f.boundary(side, wall, velocity_set=velocity_set, at=side)


@hc.kernel
def macroscopic(f: Any, density: Any, velocity: Any, *, velocity_set: Any, force: Any = ()) -> None:
    """Compute density and velocity from the stored populations [lattice units].

    Collision conserves density and momentum, so the moments of the stored populations are those
    of the cell; a force has been added in full, of which half belongs to the next half step.
    """
    cell = (0,) * velocity_set.dimensions
    excess, momentum = moments(velocity_set, [population[cell] for population in f])
    if force:
        momentum = [j - 0.5 * g for j, g in zip(momentum, force, strict=True)]
    density[cell] = 1.0 + excess
    inverse_density = 1.0 / (1.0 + excess)
    for axis, j in enumerate(momentum):
        velocity[axis] = j * inverse_density


@hc.kernel
def copy_velocity(velocity: Any, velocity_before: Any) -> None:
    """Keep the velocity for comparison."""
    for axis in range(velocity.components):
        velocity_before[axis] = velocity[axis]


def _leaving(velocity_set: VelocitySet, side: str) -> tuple[int, ...]:
    """Return the populations that leave a wall into the domain."""
    return velocity_set.towards(AXES.index(side[0]), 1 if side[1] == "-" else -1)
