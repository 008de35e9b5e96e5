"""A checksum of a simulation's fields: the same for any ranks, threads and strategy."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import halocline as hc

if TYPE_CHECKING:
    from collections.abc import Iterable

    from halocline.language.fields import Field


def checksum(simulation: hc.Simulation, fields: Iterable[Field] | None = None) -> int:
    """Return the CRC-32 of the exact sums of squares of fields' components; None for all fields."""
    values = [
        simulation.reduce(hc.sum(value * value))
        for field in (simulation.grid.fields.values() if fields is None else fields)
        for value in (
            [field[i] for i in range(field.components)] if field.components > 1 else [field]
        )
    ]
    return zlib.crc32(repr(values).encode())
