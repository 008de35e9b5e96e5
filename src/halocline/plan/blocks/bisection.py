"""Recursive coordinate bisection: blocks of equal weight, for any number of ranks."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from halocline.errors import PlanError
from halocline.frozen import Frozen
from halocline.geometry import box_of, by_axes
from halocline.language.numbers import Range, whole_number
from halocline.plan.blocks.balance import checked_weights
from halocline.plan.blocks.decomposition import Decomposition
from halocline.plan.blocks.shapes import PRICES
from halocline.plan.blocks.tiling import bounds_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.geometry import Box


class Bisection(Frozen, eq=False):
    """Blocks of equal cost, cut by what each cell costs.

    The domain is cut in two across the axis where that makes the cheapest side, so that the parts
    weigh as much as the blocks to come in each; then each part likewise. The blocks of a rank lie
    together where there is room.

    Attributes:
        weights: Of each cell, none negative: True or False for cells that are computed or not, or
            numbers. The shape is that of the domain, or 1 along axes on which nothing is cut: a
            weight for each column.
        narrowest: How many cells each block has at least along each axis that is cut. Halos that
            are wider than blocks come from more of them.

    Source: Berger and Bokhari, 'A partitioning strategy for nonuniform problems on
    multiprocessors', IEEE Transactions on Computers C-36, 1987.

    Example:
        >>> land = np.zeros((64, 64), bool)
        >>> blocks = hc.Bisection(~land)
    """

    weights: NDArray[np.bool_ | np.number]
    narrowest: int = 1

    def decompose(
        self,
        extent: tuple[int, ...],
        periodic: tuple[bool, ...],
        ranks: int,
        blocks: int = 1,
        *,
        grain: tuple[int, ...] = (),
        swept: frozenset[int] = frozenset(),
    ) -> Decomposition:
        """Return the decomposition of a domain for so many ranks.

        Args:
            extent: Cells along each axis.
            periodic: Whether the grid closes on itself, for each axis.
            ranks: Number of ranks.
            blocks: Blocks a rank.
            grain: Blocks have multiples of so many cells along each axis: those of coarser grids.
            swept: Axes along which kernels sweep: they are cut only if the others do not suffice.

        Raises:
            PlanError: The weights do not fit the domain, or it is too small for so many blocks.
        """
        weights = self._checked(extent)
        whole = {axis for axis, n in enumerate(weights.shape) if n < extent[axis]}
        domain, grain = box_of(extent), grain or (1,) * len(extent)
        for kept in (whole | swept, whole):
            least = tuple(
                n if axis in kept else g * -(-self.narrowest // g)
                for axis, (n, g) in enumerate(zip(extent, grain, strict=True))
            )
            room = _room(domain, least)
            if room >= ranks * blocks:
                boxes = _cut(domain, ranks * blocks, blocks, weights, grain, least)
                costs = tuple(float(_inside(box, weights).sum()) for box in boxes)
                cuts = bounds_of(boxes)
                return Decomposition(cuts, periodic, ranks, boxes=tuple(boxes), weights=costs)
        raise PlanError(
            f"{ranks} ranks with {blocks} block(s) each were asked to share "
            f"{by_axes(extent)} cells; there is room for {room} blocks of at least "
            f"{by_axes(least)}.",
            hint="Use fewer ranks, or let blocks be narrower.",
        )

    def _checked(self, extent: tuple[int, ...]) -> NDArray[np.float64]:
        whole_number("'narrowest'", self.narrowest, Range(least=1), PlanError)
        weights = checked_weights(self.weights, "a bisection").astype(np.float64)
        if len(weights.shape) != len(extent) or any(
            n not in (1, cells) for n, cells in zip(weights.shape, extent, strict=True)
        ):
            raise PlanError(
                f"The weights of a bisection have the shape {weights.shape}; expected {extent}, or "
                "1 along axes on which nothing is to be cut."
            )
        return weights


def _room(box: Box, least: tuple[int, ...]) -> int:
    """Return how many blocks a box can hold that have so many cells at least."""
    return prod(n // cells for n, cells in zip(box.extent, least, strict=True))


def _cut(
    box: Box,
    count: int,
    unit: int,
    weights: NDArray[np.float64],
    grain: tuple[int, ...],
    least: tuple[int, ...],
) -> list[Box]:
    """Return a box cut into so many blocks, for which there is room, a unit of them for each rank.

    There is always a cut, since a slab as thin as may be leaves room for all that it does not take.
    """
    if count == 1:
        return [box]
    axes = sorted(range(len(box.lower)), key=lambda axis: (PRICES[axis] / box.extent[axis], -axis))
    # As near to halves of whole units as there is room for.
    shares = sorted(range(1, count), key=lambda below: (below % unit > 0, abs(2 * below - count)))
    for below in shares:
        for axis in axes:
            others = _room(box, least) // (box.extent[axis] // least[axis])
            first = box.lower[axis] + least[axis] * -(-below // others)
            last = box.upper[axis] - least[axis] * -(-(count - below) // others)
            if first <= last:
                places = np.arange(first, last + 1, grain[axis])
                place = _balanced(box, axis, places, below / count, weights)
                parts = (
                    (box.clip(axis, box.lower[axis], place), below),
                    (box.clip(axis, place, box.upper[axis]), count - below),
                )
                return [b for half, n in parts for b in _cut(half, n, unit, weights, grain, least)]
    raise AssertionError((box, count))


def _balanced(
    box: Box, axis: int, places: NDArray[np.int64], share: float, weights: NDArray[np.float64]
) -> int:
    """Return the place of a cut below which lies most nearly a share of a box's weight.

    Among those where it weighs the same, that below which lies most nearly this share of the cells.
    """
    inside = _inside(box, weights)
    others = tuple(a for a in range(inside.ndim) if a != axis)
    along = np.concatenate(([0.0], np.cumsum(inside.sum(axis=others))))
    off = abs(along[places - box.lower[axis]] - share * along[-1])
    far = abs(places - box.lower[axis] - share * box.extent[axis])
    return int(places[np.lexsort((far, off))[0]])


def _inside(box: Box, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights in a box."""
    ends = zip(box.lower, box.upper, weights.shape, strict=True)
    return weights[tuple(slice(l, u) if n > 1 else slice(None) for l, u, n in ends)]
