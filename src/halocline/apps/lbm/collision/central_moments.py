"""Two relaxation rates in the frame that moves with the flow.

With n as in 'collision', all of n relaxes at the rate of the stress but its odd central moments:
sums of n times odd powers of the velocity relative to that of the flow. In a slow flow that is TRT.
In a fast one the odd moments of TRT have products of velocity and stress among them, which their
small rate makes large (docs/decisions/0056).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import prod
from typing import TYPE_CHECKING

from halocline.apps.arguments import check_number
from halocline.apps.lbm.collision.moment_table import (
    LATTICES,
    Key,
    Table,
    populations_of,
    powers,
    raised,
    raw_moments,
    shifted,
)
from halocline.apps.lbm.collision.relaxation import MAGIC, Collision, named, odd_rate
from halocline.apps.lbm.lattice.populations import Value, add, half_forced
from halocline.errors import CaseError
from halocline.language.numbers import Range

if TYPE_CHECKING:
    from halocline.apps.lbm.lattice.velocity_set import VelocitySet

# By pairs of axes a <= b.
Tensor = Mapping[tuple[int, int], Value]


def central(magic: float = MAGIC) -> Collision:
    """Return a collision with a second rate, for odd central moments. Not for D3Q15.

    Args:
        magic: (tau - 1/2)(tau_odd - 1/2), as for TRT: 3/16 for walls exactly halfway.

    Raises:
        CaseError: The number is not above 0.

    Source: Geier, Greiner & Korvink 2006 for central moments; Ginzburg, Verhaeghe & d'Humières 2008
        for the two rates.

    Example:
        >>> collision = lbm.central()
    """
    check_number("magic", magic, Range(above=0.0))

    @named("central" if magic == MAGIC else "")
    def collide(
        velocity_set: VelocitySet,
        populations: Sequence[Value],
        omega: Value,
        force: Sequence[Value] = (),
    ) -> list[Value]:
        if velocity_set.name not in LATTICES:
            raise CaseError(
                f"Collision 'central' was asked for on {velocity_set.name}; it is known on "
                f"{', '.join(LATTICES)}.",
                hint="Choose 'trt', or another lattice.",
            )
        table = raw_moments(dict(zip(velocity_set.velocities, populations, strict=True)))
        n, velocity, gains = _out_of_equilibrium(velocity_set, table, force)
        lifted = _lifted(n, velocity, omega - odd_rate(omega, magic))
        for power, value in n.items():
            change = lifted[power] - omega * value if power in lifted else -omega * value
            table[power] = table[power] + change
        for power, gain in gains.items():
            table[power] = table[power] + gain
        relaxed = populations_of(table)
        return [relaxed[c] for c in velocity_set.velocities]

    return collide


def _lifted(n: Table, velocity: Sequence[Value], factor: Value) -> Table:
    """Return the moments at rest of what n has of odd central moments, times a factor."""
    central_moments = shifted(n, [-u for u in velocity])
    odd = {p: factor * value for p, value in central_moments.items() if sum(p) % 2}
    return shifted(odd, velocity, tuple(n))


def _out_of_equilibrium(
    velocity_set: VelocitySet, table: Table, force: Sequence[Value]
) -> tuple[Table, list[Value], Table]:
    """Return n by powers above 1, the velocity, and what the force adds to each moment."""
    axes = range(velocity_set.dimensions)
    rest = (0,) * velocity_set.dimensions
    excess = table[rest]
    momentum = half_forced([table[raised(rest, axis)] for axis in axes], force)
    inverse_density = 1.0 / (1.0 + excess)
    velocity = [j * inverse_density for j in momentum]
    pairs = tuple(combinations_with_replacement(axes, 2))
    flux = {(a, b): momentum[a] * velocity[b] for a, b in pairs}
    n = {
        p: table[p] - _moment(velocity_set, p, excess, momentum, flux)
        for p in powers(velocity_set)
        if sum(p) > 1
    }
    if not force:
        return n, velocity, {}
    work = {(a, b): velocity[a] * force[b] + velocity[b] * force[a] for a, b in pairs}
    gains = {p: _moment(velocity_set, p, None, force, work) for p in powers(velocity_set) if any(p)}
    return {p: value + 0.5 * gains[p] for p, value in n.items()}, velocity, gains


def _moment(
    velocity_set: VelocitySet, power: Key, scalar: Value, vector: Sequence[Value], tensor: Tensor
) -> Value:
    """Return a moment of w (s + 3 c·v + 9/2 c·T·c - 3/2 tr T): of equilibrium, or of a force."""
    weight = _weight(velocity_set, power)
    terms = [float(weight) * scalar] if weight and scalar is not None else []
    for axis, value in enumerate(vector):
        if along := 3 * _weight(velocity_set, raised(power, axis)):
            terms.append(value if along == 1 else float(along) * value)
    for (a, b), value in tensor.items():
        share = _weight(velocity_set, raised(raised(power, a), b))
        if factor := Fraction(9, 2) * share - Fraction(3, 2) * weight if a == b else 9 * share:
            terms.append(value if factor == 1 else float(factor) * value)
    return add(terms) if terms else 0.0


@cache
def _weight(velocity_set: VelocitySet, power: Key) -> Fraction:
    """Return the sum of the weights times powers of the velocities."""
    total = Fraction(0)
    for weight, c in zip(velocity_set.weights, velocity_set.velocities, strict=True):
        share = prod(x**n for x, n in zip(c, power, strict=True))
        # Weights are fractions with denominators up to 216.
        total += share * Fraction(weight).limit_denominator(1000)
    return total
