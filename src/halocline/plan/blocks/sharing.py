"""Sharing: which rank has which of the blocks of equal size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from halocline.box_array import distinct
from halocline.errors import PlanError, nearest
from halocline.plan.blocks.balance import checked_weights
from halocline.plan.blocks.contiguous import cut_evenly
from halocline.plan.blocks.curve import along_curve
from halocline.plan.blocks.graph import by_metis

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.plan.blocks.equal_blocks import EqualBlocks

Rule = Literal["curve", "metis"]


def share(
    blocks: EqualBlocks,
    weights: NDArray[np.bool_ | np.number],
    ranks: int,
    rule: Rule = "curve",
    *,
    is_level_by_level: bool = False,
) -> NDArray[np.intp]:
    """Return the rank of each block (blocks); every rank has some.

    Ranks that follow each other, as those of a node, have blocks near each other.

    Args:
        blocks: What to share.
        weights: What each costs between two moments at which ranks wait for each other (blocks).
        ranks: Number of ranks.
        rule: 'curve' cuts the blocks in their order along the curve, so that the rank with most has
            as little as can be. 'metis' makes fewer faces between ranks, and lets a rank have some
            3 % more than the mean. Sharing level by level, it does not bring levels together.
        is_level_by_level: Whether each level is shared by itself, as it should be where ranks wait
            for each other after every step of a level. The blocks of a level that has fewer than
            there are ranks go to as many ranks, evenly spaced.

    Raises:
        PlanError: There are fewer blocks than ranks, wrong weights, or no such rule.
    """
    weights = _checked(weights, len(blocks), rule)
    groups = [np.arange(len(blocks))]
    if is_level_by_level:
        groups = [np.flatnonzero(blocks.levels == level) for level in distinct(blocks.levels)]
    if max(map(len, groups)) < ranks:
        raise PlanError(
            f"{ranks} ranks were to share {max(map(len, groups))} blocks"
            f"{' of a level' if is_level_by_level else ''}; expected at least one block a rank.",
            hint="Use fewer ranks or smaller blocks.",
        )
    owners = np.zeros(len(blocks), dtype=np.intp)
    for numbers in groups:
        parts = min(ranks, len(numbers))
        found = _parts(blocks.some(numbers), weights[numbers], parts, rule)
        owners[numbers] = found * ranks // parts
    return owners


def _checked(
    weights: NDArray[np.bool_ | np.number], blocks: int, rule: str
) -> NDArray[np.bool_ | np.number]:
    if rule not in get_args(Rule):
        raise PlanError(
            f"There is no rule '{rule}' to share blocks by.", hint=nearest(rule, get_args(Rule))
        )
    if np.shape(weights) != (blocks,):
        raise PlanError(
            f"The weights of blocks have the shape {np.shape(weights)}; expected ({blocks},), one "
            "for each block."
        )
    return checked_weights(weights, "blocks")


def _parts(
    blocks: EqualBlocks, weights: NDArray[np.bool_ | np.number], parts: int, rule: Rule
) -> NDArray[np.intp]:
    if rule == "metis":
        return by_metis(blocks, weights, parts)
    order, found = along_curve(blocks), np.empty(len(blocks), dtype=np.intp)
    found[order] = np.repeat(np.arange(parts), np.diff(cut_evenly(weights[order], parts)))
    return found
