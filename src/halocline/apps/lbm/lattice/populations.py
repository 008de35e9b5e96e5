"""Populations of one cell: their equilibrium, their moments, and where they come from.

Populations are stored after collision and as deviations from rest, f*_i - w_i: a fluid at rest is
all zeros, and single precision keeps three more digits (Skordos 1993). Walls and streaming are the
same for deviations, because opposite populations have equal weights.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.apps.lbm.lattice.velocity_set import VelocitySet
    from halocline.geometry import Offset

# A value is a number of one cell: a symbol while a kernel is traced, or an array
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

    Example:
        >>> len(lbm.equilibrium(lbm.velocity_set("D2Q9"), 1.0, (0.05, 0.0)))
        9
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

    Example:
        >>> excess, momentum = lbm.moments(lbm.velocity_set("D2Q9"), [0.0] * 9)
        >>> momentum
        [0.0, 0.0]
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


def half_forced(momentum: Sequence[Value], force: Sequence[Value]) -> list[Value]:
    """Return the momentum half-way through a step, of a force that acts over the whole of it."""
    if not force:
        return list(momentum)
    return [j + 0.5 * f for j, f in zip(momentum, force, strict=True)]


def stresses(
    velocity_set: VelocitySet, omega: float, slopes: Sequence[Sequence[Value]]
) -> list[Value]:
    """Return what a velocity gradient adds to each population after collision, density 1.

    Args:
        velocity_set: The lattice.
        omega: Relaxation rate of the viscous stress [1 / step].
        slopes: For each component of the velocity its derivative along each axis [1 / step].

    Source: Krüger et al. (2017), section 5.5.
    """
    axes, tau = range(velocity_set.dimensions), 1.0 / omega
    third = sum(slopes[a][a] for a in axes) / 3.0
    return [
        3.0
        * weight
        * (1.0 - tau)
        * (sum(c[a] * c[b] * slopes[a][b] for a in axes for b in axes) - third)
        for weight, c in zip(velocity_set.weights, velocity_set.velocities, strict=True)
    ]
