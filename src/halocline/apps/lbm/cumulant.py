"""The cumulant collision on D3Q27, with all rates above those of the stress equal to one.

Source: Geier, Schönherr, Pasquali & Krafczyk 2015.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.apps.lbm.moment_table import (
    Table,
    populations_of,
    powers,
    raised,
    raw_moments,
    shifted,
)
from halocline.apps.lbm.populations import Value, half_forced, moments
from halocline.errors import CaseError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.apps.lbm.velocity_set import VelocitySet

_SECOND = ((2, 0, 0), (0, 2, 0), (0, 0, 2))
_MIXED = ((0, 1, 1), (1, 0, 1), (1, 1, 0))


def cumulant(
    velocity_set: VelocitySet,
    populations: Sequence[Value],
    omega: Value,
    force: Sequence[Value] = (),
) -> list[Value]:
    """Relax the stress in a frame that moves with the flow; all higher cumulants vanish.

    Raises:
        CaseError: The velocity set is not D3Q27.
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
    found = populations_of(shifted(relaxed, velocity, powers(velocity_set)))
    return [
        found[c] - w for c, w in zip(velocity_set.velocities, velocity_set.weights, strict=True)
    ]


def _relaxed(
    k: Table, density: Value, velocity: Sequence[Value], omega: Value, force: Sequence[Value]
) -> Table:
    """Return the central moments after the collision."""
    result: Table = {(0, 0, 0): density}
    if force:
        # The first central moments are minus half the force before and plus half of it after.
        for axis in range(3):
            key = raised((0, 0, 0), axis)
            result[key] = -k[key]
    for key in _MIXED:
        result[key] = (1.0 - omega) * k[key]
    result.update(_relaxed_normal(k, density, velocity, omega))
    result.update(_without_cumulants(result, 1.0 / density))
    return result


def _relaxed_normal(k: Table, density: Value, velocity: Sequence[Value], omega: Value) -> Table:
    """Return the normal second moments, with the bulk rate one and the Galilean correction."""
    xx, yy, zz = (k[key] for key in _SECOND)
    trace = xx + yy + zz
    half = 0.5 / density
    slopes = [-half * (omega * (2.0 * xx - yy - zz) + (trace - density))]
    slopes += [slopes[0] + (3.0 * omega * half) * (xx - other) for other in (yy, zz)]
    terms = [u * u * slope for u, slope in zip(velocity, slopes, strict=True)]
    correction = (3.0 - 1.5 * omega) * density
    a = (1.0 - omega) * (xx - yy) - correction * (terms[0] - terms[1])
    b = (1.0 - omega) * (xx - zz) - correction * (terms[0] - terms[2])
    total = density - 1.5 * density * (terms[0] + terms[1] + terms[2])
    first = (a + b + total) * (1.0 / 3.0)
    return dict(zip(_SECOND, (first, first - a, first - b), strict=True))


def _without_cumulants(k: Table, inverse_density: Value) -> Table:
    """Return the moments of fourth and sixth order whose cumulants are zero."""
    xx, yy, zz = (k[key] for key in _SECOND)
    yz, xz, xy = (k[key] for key in _MIXED)
    fourth: Table = {
        (2, 1, 1): (xx * yz + 2.0 * xy * xz) * inverse_density,
        (1, 2, 1): (yy * xz + 2.0 * xy * yz) * inverse_density,
        (1, 1, 2): (zz * xy + 2.0 * xz * yz) * inverse_density,
        (2, 2, 0): (xx * yy + 2.0 * xy * xy) * inverse_density,
        (2, 0, 2): (xx * zz + 2.0 * xz * xz) * inverse_density,
        (0, 2, 2): (yy * zz + 2.0 * yz * yz) * inverse_density,
    }
    linear = xx * fourth[0, 2, 2] + yy * fourth[2, 0, 2] + zz * fourth[2, 2, 0]
    linear = linear + 4.0 * (yz * fourth[2, 1, 1] + xz * fourth[1, 2, 1] + xy * fourth[1, 1, 2])
    cubic = 16.0 * xy * xz * yz + 2.0 * xx * yy * zz
    cubic = cubic + 4.0 * (xz * xz * yy + yz * yz * xx + xy * xy * zz)
    sixth = linear * inverse_density - cubic * (inverse_density * inverse_density)
    return {**fourth, (2, 2, 2): sixth}
