"""Shapes: into how many blocks each axis is cut, by name or for the cheapest sides."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from halocline.errors import PlanError, nearest
from halocline.geometry import AXES, by_axes

if TYPE_CHECKING:
    from collections.abc import Sequence

# What a cell of a side costs across each axis, where nothing better is known: across the
# unit-stride axis it is packed cell by cell, not in whole rows.
PRICES = (4.0, 1.25, 1.0)
_NAMES = ("rows", "tiles", "pencils")


def parse_shape(text: str) -> str | tuple[int, ...]:
    """Return the name of a decomposition, or the blocks along each axis that '4x2x1' means.

    Raises:
        PlanError: It is neither.
    """
    parts = text.split("x")
    if all(map(str.isdecimal, parts)):
        return tuple(map(int, parts))
    if text not in _NAMES:
        raise PlanError(f"There is no decomposition '{text}'.", hint=nearest(text, _NAMES))
    return text


def axes_of(name: str | None, dimensions: int) -> tuple[int, ...]:
    """Return the axes that a named decomposition may cut."""
    axes = tuple(range(dimensions))
    named = {
        None: axes,
        "rows": axes[-1:],
        "tiles": axes[-2:],
        "pencils": axes[1:] or axes,
    }
    return named[name]


def cheapest(
    extent: tuple[int, ...], parts: int, axes: tuple[int, ...], prices: Sequence[float]
) -> tuple[int, ...]:
    """Return the shape with the least price of sides a block; ties cut the slowest axis."""
    found = shapes(extent, parts, axes)
    if not found:
        raise PlanError(
            f"{parts} blocks cannot be cut from a grid of {by_axes(extent)} cells along "
            f"{', '.join(AXES[a] for a in axes)}.",
            hint="Use another number of ranks or another decomposition.",
        )
    return min(found, key=lambda shape: (_price(extent, shape, prices), shape))


def shapes(extent: tuple[int, ...], parts: int, axes: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the shapes of so many blocks that cut some axes only."""
    return [
        shape
        for shape in _factorings(parts, len(extent))
        if all(s == 1 or a in axes for a, s in enumerate(shape))
        and all(s <= n for s, n in zip(shape, extent, strict=True))
    ]


def _factorings(number: int, count: int) -> list[tuple[int, ...]]:
    if count == 1:
        return [(number,)]
    return [
        (first, *rest)
        for first in range(1, number + 1)
        if number % first == 0
        for rest in _factorings(number // first, count - 1)
    ]


def _price(extent: tuple[int, ...], shape: tuple[int, ...], prices: Sequence[float]) -> float:
    block = [n / s for n, s in zip(extent, shape, strict=True)]
    return sum(prices[axis] * prod(block) / block[axis] for axis, s in enumerate(shape) if s > 1)
