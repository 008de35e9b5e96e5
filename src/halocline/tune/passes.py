"""How many passes a loop is taken to do that ends when a condition holds: nobody knows before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halocline.language.steps.tree import Until, walk

if TYPE_CHECKING:
    from collections.abc import Iterable

_ASSUMED = 10


def assumed_passes(loop: Until[Any]) -> int:
    """Return the number of passes by which the model weighs a loop."""
    return min(loop.most, _ASSUMED)


def assumption(nodes: Iterable[Any]) -> str:
    """Return what predictions take for granted of the loops among some nodes; '' of none."""
    passes = sorted({assumed_passes(node) for node in walk(nodes) if isinstance(node, Until)})
    if not passes:
        return ""
    return f"the model takes a loop of 'until' for {' or '.join(map(str, passes))} passes"
