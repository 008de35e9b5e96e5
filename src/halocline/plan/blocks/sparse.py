"""Sparse: a domain cut into blocks of equal size, of which only those with work exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halocline.errors import PlanError
from halocline.frozen import Frozen
from halocline.geometry import directions, even_cuts, seen_along
from halocline.plan.blocks.balance import checked_weights
from halocline.plan.blocks.decomposition import Decomposition
from halocline.plan.blocks.equal_blocks import EqualBlocks
from halocline.plan.blocks.joined import joined
from halocline.plan.blocks.sharing import Rule, share
from halocline.plan.cells.block import NOBODY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class Sparse(Frozen, eq=False):
    """Blocks of one size, of which those without cells of any weight are dropped.

    Blocks without cells of any weight in them or right beside them are dropped: no rank has them,
    and they are never computed. The others are shared by weight; those without any go with the
    heaviest block beside them. With 16 blocks a rank the rank with most has some 5 % more than the
    mean, with more blocks less; the report says how much. What a rank has is computed in boxes to
    which blocks are joined.

    Attributes:
        weights: Of each cell (shape of the domain), none negative: True or False for cells that
            are computed or not, or numbers, such as sub-steps or times.
        block: Cells of a block along each axis; blocks differ by a cell where that does not divide.
        rule: How blocks are shared. 'curve': in their order along a Hilbert curve, so that the rank
            with most has as little as can be. 'metis': with fewer cells on the faces between ranks,
            a tenth to a third, but some 3 % more than the mean on a rank.

    Example:
        >>> land = np.zeros((64, 64), bool)
        >>> blocks = hc.Sparse(~land, block=(16, 16))
    """

    weights: NDArray[np.bool_ | np.number]
    block: tuple[int, ...]
    rule: Rule = "curve"

    def decompose(
        self, extent: tuple[int, ...], periodic: tuple[bool, ...], ranks: int
    ) -> Decomposition:
        """Return the decomposition of a domain for so many ranks.

        Raises:
            PlanError: The weights do not fit the domain, there are fewer blocks than ranks, or
                there is no such rule.
        """
        weights = self._checked(extent)
        shape = tuple(max(1, round(n / b)) for n, b in zip(extent, self.block, strict=True))
        cuts = tuple(even_cuts(n, parts) for n, parts in zip(extent, shape, strict=True))
        costs = _summed(weights, cuts)
        is_kept = _summed(_grown(weights > 0, periodic), cuts) > 0
        heavy = np.flatnonzero(costs.ravel(order="F"))
        if len(heavy) < ranks:
            raise PlanError(
                f"{len(heavy)} of {costs.size} blocks have cells that matter; expected at least "
                f"one for each of {ranks} ranks.",
                hint="Use smaller blocks or fewer ranks.",
            )
        places = np.stack(np.unravel_index(heavy, shape, order="F"), axis=1)
        blocks = EqualBlocks(places, np.zeros_like(heavy), shape, self.block, periodic)
        every = costs.ravel(order="F")
        owners = np.full(costs.size, NOBODY)
        owners[heavy] = share(blocks, every[heavy], ranks, self.rule)
        owners = _with_heaviest(owners.reshape(shape, order="F"), costs, is_kept, periodic)
        shared = tuple(owners.ravel(order="F").tolist())
        weighed = tuple(map(float, every))
        return joined(Decomposition(cuts, periodic, ranks, shared, weights=weighed))

    def _checked(self, extent: tuple[int, ...]) -> NDArray[np.bool_ | np.number]:
        shape = np.shape(self.weights)
        if shape != extent or len(self.block) != len(extent) or min(self.block) < 1:
            raise PlanError(
                f"The weights of a sparse decomposition have the shape {shape} and its blocks "
                f"{self.block} cells; expected the shape {extent} and {len(extent)} positive "
                "numbers.",
            )
        return checked_weights(self.weights, "a sparse decomposition")


def _summed(
    cells: NDArray[np.bool_ | np.number], cuts: Sequence[Sequence[int]]
) -> NDArray[np.bool_ | np.number]:
    """Return the sums of what cells between cuts have."""
    kind = np.float64 if cells.dtype.kind == "f" else np.int64
    result = cells
    for axis, along in enumerate(cuts):
        result = np.add.reduceat(result, along[:-1], axis=axis, dtype=kind)
    return result


def _grown(cells: NDArray[np.bool_], periodic: tuple[bool, ...]) -> NDArray[np.bool_]:
    """Return the cells and all their neighbours."""
    result = cells
    for axis in range(cells.ndim):
        ways = (tuple(step if a == axis else 0 for a in range(cells.ndim)) for step in (-1, 1))
        for way in ways:
            result = result | seen_along(result, way, periodic)
    return result


def _with_heaviest(
    owners: NDArray[np.intp],
    costs: NDArray[np.bool_ | np.number],
    is_kept: NDArray[np.bool_],
    periodic: tuple[bool, ...],
) -> NDArray[np.intp]:
    """Return owners of the blocks that cost nothing, too: those of the heaviest blocks beside."""
    result, most = owners.copy(), np.zeros(costs.shape)
    for way in directions(costs.ndim):
        beside = seen_along(costs, way, periodic)
        is_more = is_kept & (costs == 0) & (beside > most)
        result[is_more] = seen_along(owners, way, periodic)[is_more]
        most[is_more] = beside[is_more]
    return result
