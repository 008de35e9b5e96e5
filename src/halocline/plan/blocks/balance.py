"""Balance: how evenly ranks share what blocks cost, and what bounds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halocline.errors import PlanError
from halocline.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from halocline.plan.blocks.equal_blocks import EqualBlocks


class Balance(Frozen):
    """How evenly blocks are shared.

    Attributes:
        imbalance: What the rank with most has, over the mean of all ranks.
        heaviest: What the heaviest block costs, over the same mean: whoever has it has as much.
    """

    imbalance: float
    heaviest: float


def balance_of(weights: Sequence[float], owners: Sequence[int], ranks: int) -> Balance:
    """Return how evenly blocks are shared.

    Args:
        weights: What each block costs, not all zero.
        owners: The rank of each; negative for none.
        ranks: Number of ranks.
    """
    ranks_of, costs = np.asarray(owners), np.asarray(weights, dtype=np.float64)
    costs, ranks_of = costs[ranks_of >= 0], ranks_of[ranks_of >= 0]
    mean = costs.sum() / ranks
    loads = np.bincount(ranks_of, weights=costs, minlength=ranks)
    return Balance(float(loads.max() / mean), float(costs.max() / mean))


def cut_faces(blocks: EqualBlocks, owners: NDArray[np.intp]) -> tuple[int, int]:
    """Return how many faces lie between blocks of different ranks, and how many cells on them.

    Args:
        blocks: The blocks.
        owners: The rank of each (blocks).
    """
    pairs, areas = blocks.faces()
    is_cut = owners[pairs[:, 0]] != owners[pairs[:, 1]]
    return int(is_cut.sum()), int(areas[is_cut].sum())


def checked_weights(weights: ArrayLike, of: str) -> NDArray[np.bool_ | np.number]:
    """Return weights as an array.

    Args:
        weights: What was given.
        of: What they are the weights of.

    Raises:
        PlanError: They are no numbers, one is negative or not finite, or all are zero.
    """
    found = np.asarray(weights)
    if found.dtype.kind not in "buif":
        raise PlanError(f"The weights of {of} are of the type {found.dtype}; expected numbers.")
    least, most = (float(found.min()), float(found.max())) if found.size else (0.0, 0.0)
    if not 0 <= least <= most < np.inf or most == 0:
        raise PlanError(
            f"The weights of {of} lie between {least} and {most}; expected finite numbers, none "
            "negative and not all zero."
        )
    return found
