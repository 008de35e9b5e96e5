"""Repartitioning: the owners of blocks from now on, by their measured costs."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from halocline.errors import PlanError
from halocline.frozen import Frozen
from halocline.plan.blocks.equal_blocks import EqualBlocks
from halocline.plan.blocks.forest_blocks import leaf_blocks
from halocline.plan.blocks.joined import costs_of_pieces, joined
from halocline.plan.blocks.shares import Shares
from halocline.plan.blocks.sharing import Rule, share

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Box
    from halocline.language.spaces.leaves import Leaf, Leaves
    from halocline.plan.blocks.decomposition import Decomposition


class Repartitioning(Frozen):
    """Other owners for the same blocks.

    Attributes:
        wanted: What 'Simulation.rebuild' takes for them.
        before: What the rank with most costs, or the sum of what the ranks with most of each level
            cost where these wait for each other.
        after: What that will be.
        moved: What part of all cells goes from one rank to another.
    """

    wanted: Decomposition | Shares
    before: float
    after: float
    moved: Mapping[tuple[int, int], float]


def repartitioned(
    decomposition: Decomposition, costs: Sequence[float], rule: Rule
) -> Repartitioning:
    """Return the blocks of a regular cut, shared by what each costs, and joined as they were.

    Args:
        decomposition: Who has them so far.
        costs: Of each block, in any unit.
        rule: See 'Sparse'.

    Raises:
        PlanError: The blocks are a list of boxes.
    """
    check_regular(decomposition)
    pieces, every = costs_of_pieces(decomposition, costs)
    blocks = [pieces.block(number) for number in range(pieces.blocks)]
    owners = np.array([one.rank for one in blocks])
    kept = np.flatnonzero(owners >= 0)
    found = owners.copy()
    found[kept] = share(_equal(pieces, kept), every[kept], pieces.ranks, rule)
    new = replace(pieces, owners=tuple(found.tolist()), weights=tuple(every.tolist()))
    before, after = (_most(zip(whose[kept], every[kept], strict=True)) for whose in (owners, found))
    cells = [one.box.cells for one in blocks]
    wanted = new if decomposition.pieces is None else joined(new)
    return Repartitioning(wanted, before, after, _moved(owners.tolist(), found.tolist(), cells))


def check_regular(decomposition: Decomposition) -> None:
    """Refuse blocks that are no leaves of a forest and not all those between cuts.

    Raises:
        PlanError: They are a list of boxes.
    """
    if decomposition.boxes and decomposition.pieces is None:
        raise PlanError(
            "Blocks of a list were to be shared by what they cost; expected those of a regular "
            "cut.",
            hint="Use 'Sparse', several 'blocks' a rank, or a forest.",
        )


def _equal(decomposition: Decomposition, kept: NDArray[np.intp]) -> EqualBlocks:
    shape = decomposition.shape
    places = np.stack(np.unravel_index(kept, shape, order="F"), axis=1)
    cells = tuple(n // parts for n, parts in zip(decomposition.extent, shape, strict=True))
    return EqualBlocks(places, np.zeros_like(kept), shape, cells, decomposition.periodic)


def repartitioned_leaves(
    leaves: Leaves,
    substeps: int,
    decomposition: Decomposition,
    costs: Sequence[float],
    rule: Rule,
) -> Repartitioning:
    """Return the leaves of a forest, shared by what each costs.

    Args:
        leaves: The forest.
        substeps: Of a level in a step of the next coarser one.
        decomposition: Who has them so far.
        costs: Of each block in a step of the coarsest level, in any unit.
        rule: See 'Sparse'.
    """
    costs_of = leaf_costs(leaves, decomposition, costs)
    in_own_step = {leaf: cost / substeps ** leaf[0] for leaf, cost in costs_of.items()}
    of_boxes = {(level, leaves.box(p)): cost for (level, p), cost in in_own_step.items()}
    mean = sum(in_own_step.values()) / len(in_own_step)
    # Leaves that come later cost as much as others do.
    shares = Shares(lambda level, box: of_boxes.get((level, box), mean), rule)
    blocks, every = leaf_blocks(leaves, decomposition), list(leaves)
    old = {leaf: decomposition.owners[blocks[leaf]] for leaf in every}
    weights = np.array([in_own_step[leaf] for leaf in every])
    found = shares.owners_of(leaves, weights, decomposition.ranks, is_level_by_level=substeps > 1)
    new = dict(zip(every, found.tolist(), strict=True))
    groups = [every]
    if substeps > 1:
        groups = [[leaf for leaf in every if leaf[0] == n] for n in range(len(leaves.levels))]
    before, after = (
        sum(_most((owners[leaf], costs_of[leaf]) for leaf in group) for group in groups)
        for owners in (old, new)
    )
    moved = _moved([old[leaf] for leaf in every], [new[leaf] for leaf in every], [1] * len(every))
    return Repartitioning(shares, before, after, moved)


def leaf_costs(
    leaves: Leaves, decomposition: Decomposition, costs: Sequence[float]
) -> dict[Leaf, float]:
    """Return what each leaf costs: its part of its block, and of the ghost patches along it.

    A ghost patch is shared by the leaves of its rank and level that it lies beside.

    Args:
        leaves: The forest.
        decomposition: Its blocks.
        costs: Of each block.
    """
    blocks = leaf_blocks(leaves, decomposition)
    counts = Counter(blocks.values())
    found = {leaf: costs[number] / counts[number] for leaf, number in blocks.items()}
    of_rank: dict[tuple[int, int], list[Leaf]] = defaultdict(list)
    for leaf, number in blocks.items():
        of_rank[decomposition.owners[number], leaf[0]].append(leaf)
    levels = decomposition.levels
    for number in levels.having(lambda role: role.kind != "leaf").tolist():
        role = levels.role_of(number)
        if costs[number]:
            near = of_rank[decomposition.owners[number], role.level]
            beside = _beside(leaves, near, levels.own_box(number)) or near
            for leaf in beside:
                found[leaf] += costs[number] / len(beside)
    return found


def _beside(leaves: Leaves, near: Sequence[Leaf], box: Box) -> list[Leaf]:
    ones = (1,) * len(box.lower)
    grown = box.grow(ones, ones)
    return [leaf for leaf in near if not leaves.box(leaf[1]).intersect(grown).is_empty]


def _most(costs: Iterable[tuple[int, float]]) -> float:
    """Return the greatest sum of a rank."""
    sums: dict[int, float] = defaultdict(float)
    for rank, cost in costs:
        sums[int(rank)] += float(cost)
    return max(sums.values(), default=0.0)


def _moved(
    before: Sequence[int], after: Sequence[int], cells: Sequence[int]
) -> dict[tuple[int, int], float]:
    found: dict[tuple[int, int], float] = defaultdict(float)
    for old, new, count in zip(before, after, cells, strict=True):
        if old != new:
            found[old, new] += count / sum(cells)
    return dict(found)
