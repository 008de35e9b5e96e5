"""Passes through loops that draw random numbers: each has a number."""

from __future__ import annotations

from collections.abc import Sequence

from property.expressions import Draw, nodes
from property.programs import Kernel, Nest, Step, Sweep, Until, flat, values_of


def last_turn(steps: Sequence[Step]) -> int:
    """Return the number of the last pass through loops that draw random numbers."""
    found = [0]
    for step in steps:
        if isinstance(step, Nest | Until):
            last = last_turn(step.steps)
            is_loop = isinstance(step, Nest) and step.kind == "repeat" and draws(step.steps)
            found.append((step.count - 1) * (1 + last) + last if is_loop else last)
    return max(found)


def draws(steps: Sequence[Step]) -> bool:
    """Return whether some steps draw random numbers."""
    values = (v for s in flat(tuple(steps)) if isinstance(s, Kernel | Sweep) for v in values_of(s))
    return any(isinstance(node, Draw) for value in values for node in nodes(value))
