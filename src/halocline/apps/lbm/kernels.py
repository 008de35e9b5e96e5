"""Lattice Boltzmann in the language: collision, streaming, walls and what is read off.

Populations are stored after collision and as deviations from rest, f*_i - w_i: a fluid at rest is
all zeros, and single precision keeps three more digits (Skordos 1993). Walls and streaming are the
same for deviations, because opposite populations have equal weights.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.geometry import AXES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.apps.lbm.velocity_set import VelocitySet
    from halocline.geometry import Offset
    from halocline.language.fields import Field

# In this module a value is a number of one cell: a symbol while a kernel is traced, or an array
# when an initial state is computed with NumPy.
Value = Any


def dot(velocity: Offset, vector: Sequence[Value]) -> Value:
    """Return c·v for a lattice velocity of -1, 0 and 1, without multiplying."""
    total: Value = None
    for c, v in zip(velocity, vector, strict=True):
        if c and total is None:
            total = v if c > 0 else -v
        elif c:
            total = total + v if c > 0 else total - v
    return 0.0 if total is None else total


def add(values: Sequence[Value]) -> Value:
    """Return the sum, from left to right."""
    total = values[0]
    for value in values[1:]:
        total = total + value
    return total


def equilibrium(
    velocity_set: VelocitySet, density: Value, velocity: Sequence[Value]
) -> list[Value]:
    """Return the second-order equilibrium populations, as deviations from rest.

    Args:
        velocity_set: The lattice.
        density: Mass density [lattice units], 1 at rest.
        velocity: One component an axis [lattice units], each below 0.3.

    Source: Qian, d'Humières & Lallemand 1992, eq. 3; minus the weights.
    """
    half_square = 1.5 * add([u * u for u in velocity])
    populations = []
    for weight, c in zip(velocity_set.weights, velocity_set.velocities, strict=True):
        along = 3.0 * dot(c, velocity)
        change = density * (along + 0.5 * along * along - half_square)
        populations.append(weight * ((density - 1.0) + change))
    return populations


def moments(velocity_set: VelocitySet, populations: Sequence[Value]) -> tuple[Value, list[Value]]:
    """Return the excess density rho - 1 and the momentum of populations.

    Pairs of opposite velocities are added for the one and subtracted for the other, once.
    """
    sums = [populations[i] + populations[o] for i, o in velocity_set.pairs]
    differences = [populations[i] - populations[o] for i, o in velocity_set.pairs]
    momentum = [
        dot(
            tuple(velocity_set.velocities[i][axis] for i, _ in velocity_set.pairs),
            differences,
        )
        for axis in range(velocity_set.dimensions)
    ]
    return add([populations[0], *sums]), momentum


def collide(
    velocity_set: VelocitySet,
    populations: Sequence[Value],
    omega: Value,
    omega_odd: Value = None,
    force: Sequence[Value] = (),
) -> list[Value]:
    """Return the populations after a collision with one or two relaxation rates.

    Written for pairs of opposite velocities: what is even in the velocity and what is odd are
    computed once, then added for the one population and subtracted for the other.

    Args:
        velocity_set: The lattice.
        populations: Incoming populations, deviations from rest.
        omega: Relaxation rate 1/tau; the viscosity is (tau - 1/2)/3.
        omega_odd: Rate of the odd part (TRT); None for the same (BGK), which is cheaper.
        force: Body force per volume, one component an axis; empty for none.

    Source: Qian, d'Humières & Lallemand 1992 (BGK); Ginzburg, Verhaeghe & d'Humières 2008 (TRT);
    Guo, Zheng & Shi 2002, eqs. 8 and 20 (force).
    """
    odd_rate = omega if omega_odd is None else omega_odd
    gains = _gains(velocity_set, populations, (omega, odd_rate), force)
    keep = 1.0 - omega
    result = [keep * populations[0] + gains[0][0]] * len(velocity_set)
    for i, o in velocity_set.pairs:
        even, odd = gains[i]
        if omega_odd is None:
            result[i] = keep * populations[i] + (even + odd)
            result[o] = keep * populations[o] + (even - odd)
        else:
            even = even - (0.5 * omega) * (populations[i] + populations[o])
            odd = odd - (0.5 * odd_rate) * (populations[i] - populations[o])
            result[i] = populations[i] + (even + odd)
            result[o] = populations[o] + (even - odd)
    return result


def _gains(
    velocity_set: VelocitySet,
    populations: Sequence[Value],
    rates: tuple[Value, Value],
    force: Sequence[Value],
) -> dict[int, tuple[Value, Value]]:
    """Return the even and the odd part of what populations relax to, times their rates.

    For the rest population and the first of each pair.
    """
    excess, momentum = moments(velocity_set, populations)
    if force:
        # The force acts over the whole step: half of it has been felt when the step is half over.
        momentum = [j + 0.5 * f for j, f in zip(momentum, force, strict=True)]
    three_j = [3.0 * j for j in momentum]
    inverse_density = 1.0 / (1.0 + excess)
    three_u = [j * inverse_density for j in three_j]
    base = excess - add([j * u for j, u in zip(three_j, three_u, strict=True)]) * (1.0 / 6.0)
    three_f = [3.0 * f for f in force]
    force_base = add([f * u for f, u in zip(force, three_u, strict=True)]) if force else 0.0
    omega, odd_rate = rates
    gains = {}
    for i in (0, *(i for i, _ in velocity_set.pairs)):
        c, weight = velocity_set.velocities[i], velocity_set.weights[i]
        along_u, along_j = dot(c, three_u), dot(c, three_j)
        even = (weight * omega) * (base + 0.5 * (along_u * along_j))
        odd = (weight * odd_rate) * along_j
        if force:
            along_f = dot(c, three_f)
            even = even + (weight * (1.0 - 0.5 * omega)) * (along_u * along_f - force_base)
            odd = odd + (weight * (1.0 - 0.5 * odd_rate)) * along_f
        gains[i] = even, odd
    return gains


def pulled(f: Any, velocity_set: VelocitySet) -> list[Value]:
    """Return the populations that arrive in a cell."""
    return [
        population[tuple(-c for c in velocity)]
        for population, velocity in zip(f, velocity_set.velocities, strict=True)
    ]


@hc.kernel
def collide_stream(f: Any, f_next: Any, *, velocity_set: Any, omega: Any, force: Any = ()) -> None:
    """Pull the populations that arrive, collide them with one rate (BGK), store them."""
    outgoing = collide(velocity_set, pulled(f, velocity_set), omega, force=force)
    for i, population in enumerate(outgoing):
        f_next[i] = population


@hc.kernel
def collide_stream_trt(
    f: Any, f_next: Any, *, velocity_set: Any, omega: Any, omega_odd: Any, force: Any = ()
) -> None:
    """Pull the populations that arrive, collide them with two rates (TRT), store them."""
    outgoing = collide(velocity_set, pulled(f, velocity_set), omega, omega_odd, force)
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
