"""Sharing: which rank has which of the blocks of equal size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from halocline.box_array import distinct
from halocline.errors import PlanError, nearest
from halocline.plan.blocks.balance import checked_weights, cut_faces
from halocline.plan.blocks.contiguous import cut_evenly
from halocline.plan.blocks.curve import along_curve
from halocline.plan.blocks.graph import by_metis

if TYPE_CHECKING:
    from collections.abc import Sequence

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
            there are ranks go to as many ranks, evenly spaced. Of a curve through roots and one
            through the blocks of each level it takes the one that cuts fewer faces.

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
    curves = [[blocks.some(numbers) for numbers in groups]]
    if is_level_by_level and rule == "curve" and any(n & (n - 1) for n in blocks.roots):
        # The middle of the domain may lie within roots, but between blocks of a level.
        curves.append([group.as_roots() for group in curves[0]])
    every = [_owners(groups, curve, weights, ranks, rule) for curve in curves]
    return min(every, key=lambda owners: cut_faces(blocks, owners)) if len(every) > 1 else every[0]


def _owners(
    groups: Sequence[NDArray[np.intp]],
    blocks: Sequence[EqualBlocks],
    weights: NDArray[np.bool_ | np.number],
    ranks: int,
    rule: Rule,
) -> NDArray[np.intp]:
    """Return the rank of each block, where ranks share each group by itself.

    Args:
        groups: The numbers of the blocks of each.
        blocks: These blocks.
        weights: What each costs.
        ranks: Number of ranks.
        rule: See 'share'.
    """
    owners = np.zeros(len(weights), dtype=np.intp)
    for numbers, group in zip(groups, blocks, strict=True):
        parts = min(ranks, len(numbers))
        found = _parts(group, weights[numbers], parts, rule)
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
