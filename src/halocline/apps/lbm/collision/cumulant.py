"""The cumulant collision on D3Q27: viscous errors of fourth order where the viscosity is small.

Sources: Geier, Schönherr, Pasquali & Krafczyk 2015 (equations named 2015); Geier, Pasquali &
    Schönherr 2017 (rates, limiter and the gain of fourth cumulants).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import halocline as hc
from halocline.apps.lbm.collision.moment_table import (
    Table,
    populations_of,
    powers,
    raised,
    raw_moments,
    shifted,
)
from halocline.apps.lbm.lattice.populations import Value, half_forced, moments
from halocline.errors import CaseError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.apps.lbm.lattice.velocity_set import VelocitySet

_SECOND = ((2, 0, 0), (0, 2, 0), (0, 0, 2))
_MIXED = ((0, 1, 1), (1, 0, 1), (1, 1, 0))
# Third cumulants that have a rate for their sum and one for their difference.
_PAIRS = (((1, 2, 0), (1, 0, 2)), ((2, 1, 0), (0, 1, 2)), ((2, 0, 1), (0, 2, 1)))
# The rates of fourth order are for greater omegas: one of them is below 0 from 1.75 downwards.
_FOURTH_ORDER_ABOVE = 1.8
# Third cumulants of so much of the density relax halfway between their rate and 1.
_LIMIT = 0.01


def cumulant(
    velocity_set: VelocitySet,
    populations: Sequence[Value],
    omega: Value,
    force: Sequence[Value] = (),
) -> list[Value]:
    """Relax cumulants: the stress in a frame that moves with the flow, and what is above it.

    Where omega is above 1.8, third cumulants have rates of their own and fourth ones a gain, with
    which viscous errors are of fourth order. Elsewhere all cumulants above the stress vanish.

    Raises:
        CaseError: The velocity set is not D3Q27.

    Example:
        >>> setup = lbm.Setup((8, 8, 8), "D3Q27", omega=1.6, collision=lbm.cumulant)
    """
    if velocity_set.name != "D3Q27":
        raise CaseError(
            f"Collision 'cumulant' was asked for on {velocity_set.name}; it needs D3Q27.",
            hint="Choose velocity set D3Q27, or collision 'regularised'.",
        )
    excess, momentum = moments(velocity_set, populations)
    density = 1.0 + excess
    velocity = [j / density for j in half_forced(momentum, force)]
    table: Table = {
        c: f + w
        for c, f, w in zip(velocity_set.velocities, populations, velocity_set.weights, strict=True)
    }
    central = shifted(raw_moments(table), [-u for u in velocity])
    relaxed = _relaxed(central, density, velocity, omega, force)
    outgoing = populations_of(shifted(relaxed, velocity, powers(velocity_set)))
    return [
        outgoing[c] - w for c, w in zip(velocity_set.velocities, velocity_set.weights, strict=True)
    ]


def _relaxed(
    k: Table, density: Value, velocity: Sequence[Value], omega: Value, force: Sequence[Value]
) -> Table:
    """Return the central moments after the collision."""
    is_small = omega > _FOURTH_ORDER_ABOVE
    rates, gains = _parameters(hc.maximum(omega, _FOURTH_ORDER_ABOVE))
    rates = [hc.where(is_small, rate, 1.0) for rate in rates]
    gains = [hc.where(is_small, gain, 0.0) for gain in gains]
    slopes = _slopes(k, density, omega)
    result: Table = {(0, 0, 0): density}
    if force:
        # The first central moments are minus half the force before and plus half of it after.
        for axis in range(3):
            key = raised((0, 0, 0), axis)
            result[key] = -k[key]
    for key in _MIXED:
        result[key] = (1.0 - omega) * k[key]
    result.update(_relaxed_normal(k, density, velocity, omega, slopes))
    result.update(_relaxed_third(k, density, rates))
    result.update(_fourth(k, result, density, slopes, omega, gains))
    result.update(_fifth_and_sixth(result, 1.0 / density))
    return result


def _parameters(omega: Value) -> tuple[Sequence[Value], Sequence[Value]]:
    """Return rates of third cumulants and gains of fourth ones, for a bulk rate of 1 (2017)."""
    square, cube = omega * omega, omega * omega * omega
    of_sums = 8.0 * (2.0 - omega) * (1.0 + 2.0 * omega) / (8.0 + 14.0 * omega - 7.0 * square)
    of_differences = (
        8.0 * (2.0 - omega) * (7.0 - 4.0 * omega) / (56.0 - 50.0 * omega + 9.0 * square)
    )
    of_all_axes = (
        24.0
        * (2.0 - omega)
        * (2.0 + 7.0 * omega - 3.0 * square)
        / (48.0 + 152.0 * omega - 130.0 * square + 29.0 * cube)
    )
    below = 2.0 - 7.0 * omega + 5.0 * square
    even = (4.0 + 2.0 * omega - 3.0 * square) / below
    mixed = (4.0 + 28.0 * omega - 14.0 * square) / (3.0 * below)
    return (of_sums, of_differences, of_all_axes), (even, mixed)


def _slopes(k: Table, density: Value, omega: Value) -> list[Value]:
    """Return the derivative of each component along its own axis (2015)."""
    xx, yy, zz = (k[key] for key in _SECOND)
    half = 0.5 / density
    first = -half * (omega * (2.0 * xx - yy - zz) + (xx + yy + zz - density))
    return [first, *(first + (3.0 * omega * half) * (xx - other) for other in (yy, zz))]


def _relaxed_normal(
    k: Table, density: Value, velocity: Sequence[Value], omega: Value, slopes: Sequence[Value]
) -> Table:
    """Return the normal second moments, with the bulk rate one and the Galilean correction."""
    xx, yy, zz = (k[key] for key in _SECOND)
    terms = [u * u * slope for u, slope in zip(velocity, slopes, strict=True)]
    correction = (3.0 - 1.5 * omega) * density
    a = (1.0 - omega) * (xx - yy) - correction * (terms[0] - terms[1])
    b = (1.0 - omega) * (xx - zz) - correction * (terms[0] - terms[2])
    total = density - 1.5 * density * (terms[0] + terms[1] + terms[2])
    first = (a + b + total) * (1.0 / 3.0)
    return dict(zip(_SECOND, (first, first - a, first - b), strict=True))


def _relaxed_third(k: Table, density: Value, rates: Sequence[Value]) -> Table:
    """Return the third moments; large ones relax at 1 instead of at their rate (2017)."""

    def kept(value: Value, rate: Value) -> Value:
        size = abs(value)
        return (1.0 - rate) * value * (1.0 - size / (_LIMIT * density + size))

    of_sums, of_differences, of_all_axes = rates
    result: Table = {(1, 1, 1): kept(k[1, 1, 1], of_all_axes)}
    for a, b in _PAIRS:
        total, difference = kept(k[a] + k[b], of_sums), kept(k[a] - k[b], of_differences)
        result[a], result[b] = 0.5 * (total + difference), 0.5 * (total - difference)
    return result


def _fourth(
    before: Table,
    k: Table,
    density: Value,
    slopes: Sequence[Value],
    omega: Value,
    gains: Sequence[Value],
) -> Table:
    """Return the fourth moments: those of cumulants that are gains times strains (2017)."""
    xx, yy, zz = (k[key] for key in _SECOND)
    yz, xz, xy = (k[key] for key in _MIXED)
    inverse_density, viscous = 1.0 / density, 1.0 / omega - 0.5
    strain = (-2.0 / 3.0) * viscous * gains[0] * density
    shear = (1.0 - 0.5 * omega) * gains[1]
    x, y, z = slopes
    return {
        (2, 1, 1): (xx * yz + 2.0 * xy * xz) * inverse_density + shear * before[0, 1, 1],
        (1, 2, 1): (yy * xz + 2.0 * xy * yz) * inverse_density + shear * before[1, 0, 1],
        (1, 1, 2): (zz * xy + 2.0 * xz * yz) * inverse_density + shear * before[1, 1, 0],
        (2, 2, 0): (xx * yy + 2.0 * xy * xy) * inverse_density + strain * (x + y),
        (2, 0, 2): (xx * zz + 2.0 * xz * xz) * inverse_density + strain * (x + z),
        (0, 2, 2): (yy * zz + 2.0 * yz * yz) * inverse_density + strain * (y + z),
    }


def _fifth_and_sixth(k: Table, inverse_density: Value) -> Table:
    """Return the moments of fifth and sixth order whose cumulants are zero (2015)."""
    xx, yy, zz = (k[key] for key in _SECOND)
    yz, xz, xy = (k[key] for key in _MIXED)
    xyy, xzz, xxy, yzz, xxz, yyz = (k[key] for pair in _PAIRS for key in pair)
    xyz = k[1, 1, 1]
    result: Table = {
        (1, 2, 2): (zz * xyy + yy * xzz + 4.0 * yz * xyz + 2.0 * (xz * yyz + xy * yzz)),
        (2, 1, 2): (zz * xxy + xx * yzz + 4.0 * xz * xyz + 2.0 * (yz * xxz + xy * xzz)),
        (2, 2, 1): (yy * xxz + xx * yyz + 4.0 * xy * xyz + 2.0 * (yz * xxy + xz * xyy)),
    }
    result = {key: value * inverse_density for key, value in result.items()}
    linear = 4.0 * xyz * xyz + xx * k[0, 2, 2] + yy * k[2, 0, 2] + zz * k[2, 2, 0]
    linear = linear + 4.0 * (yz * k[2, 1, 1] + xz * k[1, 2, 1] + xy * k[1, 1, 2])
    linear = linear + 2.0 * (xyy * xzz + xxy * yzz + xxz * yyz)
    cubic = 16.0 * xy * xz * yz + 2.0 * xx * yy * zz
    cubic = cubic + 4.0 * (xz * xz * yy + yz * yz * xx + xy * xy * zz)
    sixth = linear * inverse_density - cubic * (inverse_density * inverse_density)
    return {**result, (2, 2, 2): sixth}
