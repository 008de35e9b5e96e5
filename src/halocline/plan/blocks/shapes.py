"""Shapes: grids cut into nearly equal blocks, so many along each axis, by name or the cheapest."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from halocline.errors import PlanError, nearest
from halocline.geometry import AXES, by_axes, even_cuts
from halocline.plan.blocks.decomposition import Decomposition

if TYPE_CHECKING:
    from collections.abc import Sequence

# What a cell of a side costs across each axis, where nothing better is known: across the
# unit-stride axis it is packed cell by cell, not in whole rows.
PRICES = (4.0, 1.25, 1.0)
_NAMES = ("rows", "tiles", "pencils")


def decompose(  # noqa: PLR0913 (what a split depends on)
    extent: tuple[int, ...],
    periodic: tuple[bool, ...],
    ranks: int,
    shape: str | Sequence[int] | None = None,
    blocks: int = 1,
    prices: Sequence[float] = PRICES,
    *,
    grain: tuple[int, ...] = (),
    swept: frozenset[int] = frozenset(),
) -> Decomposition:
    """Split a grid into nearly equal blocks.

    Args:
        extent: Cells along each axis.
        periodic: Whether the grid closes on itself, for each axis.
        ranks: Number of ranks.
        shape: Blocks along each axis; or 'rows' (cut the slowest axis), 'tiles' (the two
            slowest), 'pencils' (all but x); None for the shape with the cheapest sides.
        blocks: Blocks a rank.
        prices: What a cell of a block's sides across each axis costs, in any unit.
        grain: Blocks have multiples of so many cells along each axis: those of coarser grids.
        swept: Axes along which kernels sweep: they are cut only if the others do not suffice.

    Raises:
        PlanError: There are more blocks than cells, or the shape does not fit.
    """
    wanted = ranks * blocks
    grain = grain or (1,) * len(extent)
    grains = tuple(n // g for n, g in zip(extent, grain, strict=True))
    what = "cells" if set(grain) == {1} else "cells of the coarsest grid"
    if wanted > prod(grains):
        raise PlanError(
            f"{ranks} ranks with {blocks} block(s) each were asked to share {prod(grains)} {what}; "
            "expected at least one cell a block.",
            hint=f"Use at most {prod(grains) // blocks} ranks.",
        )
    if isinstance(shape, str):
        shape = parse_shape(shape)
    if shape is None or isinstance(shape, str):
        axes = axes_of(shape, len(extent))
        others = tuple(axis for axis in axes if axis not in swept)
        if shape is None and shapes(grains, wanted, others):
            axes = others
        shape = cheapest(grains, wanted, axes, prices)
    if len(shape) != len(extent) or prod(shape) % ranks or any(s < 1 for s in shape):
        raise PlanError(
            f"The decomposition {by_axes(shape)} was asked for on {ranks} ranks and a "
            f"grid of {len(extent)} axes; expected {len(extent)} positive numbers whose product "
            f"is a multiple of {ranks}.",
        )
    for axis, (n, parts) in enumerate(zip(grains, shape, strict=True)):
        if parts > n:
            raise PlanError(
                f"The decomposition cuts {AXES[axis]} into {parts} blocks, but there are only {n} "
                f"{what}.",
                hint="Use fewer ranks or another decomposition.",
            )
    along = zip(grains, shape, grain, strict=True)
    cuts = tuple(tuple(cut * g for cut in even_cuts(n, parts)) for n, parts, g in along)
    return Decomposition(cuts, periodic, ranks)


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
