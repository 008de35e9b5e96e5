"""Shares: how ranks share the leaves of a forest."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from halocline.frozen import Frozen
from halocline.geometry import Box
from halocline.plan.blocks.balance import checked_weights
from halocline.plan.blocks.equal_blocks import EqualBlocks
from halocline.plan.blocks.sharing import Rule, share

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.language.spaces.leaves import Leaves

# What ghost patches cost a leaf, in cells for each on a face beside a coarser leaf. Measured with a
# D3Q19 flow on two ranks: anything from 20 to 45 is about as good
# (docs/measurements/refined_grids.md).
BORDER = 24.0


class Shares(Frozen, eq=False):
    """Leaves of a forest shared by what each costs.

    Where levels are sub-cycled each level is shared by itself, since ranks wait for each other
    after each of its steps.

    Attributes:
        weights: What a leaf costs in a step of its level: a function of the number of the level and
            the box of the leaf's cells there, as `lambda level, box: …`. None: as many cells, and
            'BORDER' more for each on a face beside a coarser leaf.
        rule: See 'Sparse'.

    Example:
        >>> shares = hc.Shares(lambda level, box: box.cells)
    """

    weights: Callable[[int, Box], float] | None = None
    rule: Rule = "curve"

    def weights_of(self, leaves: Leaves) -> NDArray[np.float64]:
        """Return what each leaf costs in a step of its level, in the order of the leaves.

        Raises:
            PlanError: These are no numbers, or one is negative.
        """
        if self.weights is None:
            return _usual_weights(leaves)
        found = [self.weights(level, leaves.box(position)) for level, position in leaves]
        return checked_weights(found, "the leaves of a forest").astype(np.float64)

    def owners_of(
        self, leaves: Leaves, weights: NDArray[np.float64], ranks: int, *, is_level_by_level: bool
    ) -> NDArray[np.intp]:
        """Return the rank of each leaf, in the order of the leaves.

        Args:
            leaves: The leaves.
            weights: As 'weights_of' returns them.
            ranks: Number of ranks.
            is_level_by_level: Whether each level is shared by itself.

        Raises:
            PlanError: There are fewer leaves than ranks, or no such rule.
        """
        blocks = _as_blocks(leaves)
        return share(blocks, weights, ranks, self.rule, is_level_by_level=is_level_by_level)


def _usual_weights(leaves: Leaves) -> NDArray[np.float64]:
    """Return the cells of each leaf, and what the ghost patches cost at its border."""
    blocks = _as_blocks(leaves)
    weights = np.full(leaves.count, float(leaves.cells // leaves.count))
    pairs, areas = blocks.faces()
    is_border = blocks.levels[pairs[:, 0]] > blocks.levels[pairs[:, 1]]
    np.add.at(weights, pairs[is_border, 0], BORDER * areas[is_border])
    return weights


def _as_blocks(leaves: Leaves) -> EqualBlocks:
    return EqualBlocks(
        np.concatenate(leaves.levels),
        np.repeat(np.arange(len(leaves.levels)), list(map(len, leaves.levels))),
        leaves.shape,
        leaves.block,
        leaves.periodic,
    )
