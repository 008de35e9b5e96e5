"""Loops that draw random numbers, whose passes are counted."""

from __future__ import annotations

from collections.abc import Sequence

from property.expressions import Draw, nodes
from property.programs import Kernel, Step, Sweep, flat, values_of


def draws(steps: Sequence[Step]) -> bool:
    """Return whether some steps draw random numbers."""
    values = (v for s in flat(tuple(steps)) if isinstance(s, Kernel | Sweep) for v in values_of(s))
    return any(isinstance(node, Draw) for value in values for node in nodes(value))
