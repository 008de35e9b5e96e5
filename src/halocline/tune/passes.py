"""How many passes a loop is taken to do that ends when a condition holds: nobody knows before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from halocline.language.tree import Until

_ASSUMED = 10


def assumed_passes(loop: Until[Any]) -> int:
    """Return the number of passes by which the model weighs a loop."""
    return min(loop.most, _ASSUMED)
