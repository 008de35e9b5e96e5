"""A checksum of a simulation's fields: the same for any ranks, threads and strategy."""

from __future__ import annotations

import zlib

import halocline as hc


def checksum(simulation: hc.Simulation) -> int:
    """Return the CRC-32 of the exact sums of squares of all fields' components."""
    values = [
        simulation.reduce(hc.sum(value * value))
        for field in simulation.grid.fields.values()
        for value in (
            [field[i] for i in range(field.components)] if field.components > 1 else [field]
        )
    ]
    return zlib.crc32(repr(values).encode())
