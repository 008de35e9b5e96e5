"""How many iterations the model assumes of a loop that ends when a condition holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halocline.language.steps.tree import Until, walk

if TYPE_CHECKING:
    from collections.abc import Iterable

_ASSUMED = 10


def assumed_iterations(loop: Until[Any]) -> int:
    """Return the number of iterations by which the model weighs a loop."""
    return min(loop.max_iterations, _ASSUMED)


def assumption(nodes: Iterable[Any]) -> str:
    """Return what predictions take for granted of the loops among some nodes; '' of none."""
    counts = sorted({assumed_iterations(node) for node in walk(nodes) if isinstance(node, Until)})
    if not counts:
        return ""
    return f"the model takes a loop of 'until' for {' or '.join(map(str, counts))} iterations"
