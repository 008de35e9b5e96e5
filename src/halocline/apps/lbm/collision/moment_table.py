"""Populations as moments, sums of them times powers of their velocities, and back.

A table has values by velocity (-1, 0 or 1 along each axis) or by powers (0, 1 or 2 along each).
What it lacks is zero: D3Q19 has no velocity along three axes at once, and so no such powers.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from halocline.apps.lbm.lattice.populations import Value, add

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from halocline.apps.lbm.lattice.velocity_set import VelocitySet

Key = tuple[int, ...]
Table = dict[Key, Value]

# On these a moment of each power can be given a value; on D3Q15 some are equal.
LATTICES = ("D2Q9", "D3Q19", "D3Q27")


def powers(velocity_set: VelocitySet) -> tuple[Key, ...]:
    """Return the powers of a lattice in 'LATTICES', as many as its velocities, low ones first."""
    all_powers = product(range(3), repeat=velocity_set.dimensions)
    lattice_powers = [
        p for p in all_powers if tuple(min(n, 1) for n in p) in velocity_set.velocities
    ]
    return tuple(sorted(lattice_powers, key=sum))


def raised(power: Key, axis: int, by: int = 1) -> Key:
    """Return a power that is higher along an axis."""
    return (*power[:axis], power[axis] + by, *power[axis + 1 :])


def raw_moments(populations: Table) -> Table:
    """Return moments by powers instead of populations by velocity."""
    table = populations
    for axis in range(len(next(iter(table)))):
        result: Table = {}
        for key, (low, middle, high) in _lines(table, axis, (-1, 0, 1)):
            ends = _sum(low, high)
            result[_at(key, axis, 0)] = _sum(ends, middle)
            result[_at(key, axis, 1)] = _difference(high, low)
            result[_at(key, axis, 2)] = ends
        table = _present(result)
    return table


def populations_of(moments: Table) -> Table:
    """Return populations by velocity instead of moments by powers."""
    table = moments
    for axis in range(len(next(iter(table)))):
        result: Table = {}
        for key, (zeroth, first, second) in _lines(table, axis, (0, 1, 2)):
            result[_at(key, axis, -1)] = _difference(second, first)
            result[_at(key, axis, 0)] = _difference(zeroth, second)
            result[_at(key, axis, 1)] = _sum(second, first)
        table = _present(result)
    # Each step along an axis has left a half to multiply by.
    return {c: value * 0.5 ** sum(map(abs, c)) if any(c) else value for c, value in table.items()}


def shifted(
    moments: Table, velocity: Sequence[Value], wanted: Sequence[Key] | None = None
) -> Table:
    """Return the moments of populations that all move faster by a velocity.

    Args:
        moments: By powers.
        velocity: One component an axis; minus that of the flow gives its central moments.
        wanted: The powers that are not zero afterwards; the same as before if not given.
    """
    table, keys = moments, tuple(moments) if wanted is None else wanted
    for axis, u in enumerate(velocity):
        parts = {key: _parts(table, key, axis, u) for key in keys}
        table = {key: add(values) for key, values in parts.items() if values}
    return table


def _parts(table: Table, power: Key, axis: int, u: Value) -> list[Value]:
    """Return the terms of (c + u) to its power along an axis, times what the table has."""
    most = power[axis]
    factors = (None, 2.0 * u if most > 1 else u, u * u)
    below = [(factors[n], raised(power, axis, -n)) for n in range(most + 1)]
    return [table[k] if n is None else n * table[k] for n, k in below if k in table]


def _lines(table: Table, axis: int, places: Key) -> Iterable[tuple[Key, tuple[Value | None, ...]]]:
    """Return the values of a table in lines along an axis, each with one of its keys."""
    for key in dict.fromkeys(_at(key, axis, 0) for key in table):
        yield key, tuple(table.get(_at(key, axis, place)) for place in places)


def _at(key: Key, axis: int, place: int) -> Key:
    return (*key[:axis], place, *key[axis + 1 :])


def _sum(a: Value | None, b: Value | None) -> Value | None:
    if a is None or b is None:
        return b if a is None else a
    return a + b


def _difference(a: Value | None, b: Value | None) -> Value | None:
    if a is None or b is None:
        return a if b is None else -b
    return a - b


def _present(table: dict[Key, Value | None]) -> Table:
    return {key: value for key, value in table.items() if value is not None}
