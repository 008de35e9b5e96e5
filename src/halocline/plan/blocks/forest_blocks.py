"""The blocks of a forest: leaves joined where they can be, and ghost patches along levels' borders.

Leaves of one rank and level that make a box become one block. Around them lie cells that kernels of
the level read and no leaf of the level has: each belongs to one ghost patch, a ghost or a covered
one (see 'role.py'), of the rank for which it is nearest at hand.

In a hierarchy covered blocks are all that lies under finer levels, and each block has as guests the
cells of the next coarser level, too. Levels below the coarsest leaves are cut as these are, as long
as they can be and have many cells; then one rank has all of them (agglomeration: Trottenberg,
Oosterlee and Schueller, Multigrid (2001), section 6.3.2).
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace

from halocline.box_array import BoxArray, enumerated, join_all, joined
from halocline.errors import PlanError
from halocline.geometry import box_of
from halocline.language.spaces.role import Role
from halocline.plan.blocks.decomposition import Decomposition
from halocline.plan.blocks.level_borders import LevelBorder, Pieces, ranks_in
from halocline.plan.blocks.levels import Levels
from halocline.plan.blocks.owners import Owners
from halocline.plan.blocks.shares import Shares

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from halocline.language.spaces.leaves import Leaf, Leaves
    from halocline.language.spaces.role import Kind
    from halocline.language.steps.subcycling import Depths

# Levels below the coarsest leaves that have fewer cells belong to one rank.
_ON_ONE_RANK = 4096


def decompose_forest(
    leaves: Leaves, depths: Depths, substeps: int, ranks: int, wanted: Any = None
) -> Decomposition:
    """Return the decomposition of a forest.

    Args:
        leaves: The forest.
        depths: How far kernels read.
        substeps: Of a level in a step of the next coarser one.
        ranks: Number of ranks.
        wanted: 'Shares', 'Owners', the decomposition of a plan that was kept, or None for even
            shares.

    Raises:
        PlanError: It is something else, or of other leaves.
    """
    if isinstance(wanted, Decomposition):
        return _checked(wanted, leaves)
    if not isinstance(wanted, Shares | Owners | None):
        raise PlanError(
            f"The decomposition {wanted!r} was asked for on a forest; expected None, 'Shares' or "
            "'Owners': ranks have whole leaves."
        )
    return _decomposed(leaves, depths, substeps, ranks, wanted)


@lru_cache(maxsize=1)  # asked for again by all who plan the same steps
def _decomposed(
    leaves: Leaves, depths: Depths, substeps: int, ranks: int, wanted: Shares | Owners | None
) -> Decomposition:
    shares = wanted if isinstance(wanted, Shares) else Shares()
    weights = shares.weights_of(leaves)
    if isinstance(wanted, Owners):
        owners = wanted.of(leaves, ranks)
    else:
        owners = shares.owners_of(leaves, weights, ranks, is_level_by_level=substeps > 1)
    return forest_blocks(leaves, depths, substeps, owners, weights)


def _checked(kept: Decomposition, leaves: Leaves) -> Decomposition:
    numbers = kept.levels.having(lambda role: role.kind == "leaf")
    cells = kept.levels.boxes.take(numbers).cells.sum()
    if cells != leaves.cells or (blocks_of_leaves(leaves, kept) < 0).any():
        raise PlanError(
            "The plan or decomposition was made for a forest with other leaves.",
            hint="Write the plan anew, with the forest as it is refined now.",
        )
    return kept


def forest_blocks(
    leaves: Leaves,
    depths: Depths,
    substeps: int,
    owners: NDArray[np.intp],
    weights: NDArray[np.float64],
) -> Decomposition:
    """Return the decomposition of a forest.

    Args:
        leaves: The forest.
        depths: How far kernels read.
        substeps: Of a level in a step of the next coarser one.
        owners: The rank of each leaf, in their order.
        weights: What each costs in a step of its level.

    Raises:
        PlanError: Kernels read further than a block is wide.
    """
    widest = max(depths.ghost // 2 + 1, depths.ghost, 2 * depths.covered)
    if widest > min(leaves.block):
        raise PlanError(
            f"The steps read {depths.ghost} cells beyond a level's border and {depths.covered} of "
            f"the finer one's place, but blocks are only {min(leaves.block)} cells wide.",
            hint="Use larger blocks, or kernels that read less far.",
        )
    counts = np.array([len(found) for found in leaves.levels])
    ranks = np.split(owners, np.cumsum(counts)[:-1])
    found: list[tuple[Role, Pieces]] = []
    for level in range(len(leaves.levels)):
        border = LevelBorder(leaves, level, ranks)
        pieces: dict[Kind, Pieces] = {"leaf": border.leaves(), "ghost": border.ghosts(depths.ghost)}
        is_thin = depths.lowest is None
        pieces["covered"] = border.covered(depths.covered) if is_thin else border.under_finer()
        if depths.has_corners:
            pieces["covered"], pieces["corner"] = border.parted(pieces["covered"])
        for kind, these in pieces.items():
            found.append((Role(kind, level), Pieces(*join_all(*these))))
    for level in range(depths.lowest or 0, 0):
        below = _below(leaves, level, ranks)
        found.append((Role("covered", level), Pieces(*join_all(*below))))
    split = _decomposition(leaves, found, int(owners.max()) + 1, depths)
    costs = weights * np.repeat(float(substeps) ** np.arange(len(counts)), counts)
    of_blocks = np.bincount(blocks_of_leaves(leaves, split), costs, split.blocks)
    return replace(split, weights=tuple(of_blocks.tolist()))


def blocks_of_leaves(leaves: Leaves, decomposition: Decomposition) -> NDArray[np.intp]:
    """Return the number of the block that has the cells of each leaf, or -1 where none has."""
    cells, split = np.array(leaves.block)[:, np.newaxis], decomposition.levels
    found = []
    for level in range(len(leaves.levels)):
        numbers = split.having(Role("leaf", level).__eq__)
        lower, upper = split.boxes.take(numbers)
        lower, counts = (end // cells for end in (lower, upper - lower))
        of_box, nth = enumerated(counts.prod(axis=0))
        places = lower[:, of_box].T
        for axis in range(len(leaves.shape)):
            nth, along = np.divmod(nth, counts[axis, of_box])
            places[:, axis] += along
        known = leaves.numbers(level, places)
        blocks = np.full(len(leaves.levels[level]), -1, np.intp)
        blocks[known[known >= 0]] = numbers[of_box[known >= 0]]
        found.append(blocks)
    return np.concatenate(found)


def leaf_blocks(leaves: Leaves, decomposition: Decomposition) -> dict[Leaf, int]:
    """Return the number of the block that has the cells of each leaf."""
    return dict(zip(leaves, blocks_of_leaves(leaves, decomposition).tolist(), strict=True))


def _decomposition(
    leaves: Leaves, found: Sequence[tuple[Role, Pieces]], ranks: int, depths: Depths
) -> Decomposition:
    is_hierarchy = depths.lowest is not None
    whole = [leaves.extent(level) for level in range(len(leaves.levels))]
    cut: set[int] = set()
    closed: list[NDArray[np.intp]] = []
    count = 0
    for role, (owners, these) in found:
        extent = these.upper - these.lower
        if role.level >= 0:
            is_cut = extent < np.array(whole[role.level])[:, np.newaxis]
            cut.update(np.flatnonzero(is_cut.any(axis=1)).tolist())
            # In a hierarchy their kernels read guests, too, of which no row is there as a whole.
            if role.kind == "leaf" and not is_hierarchy:
                closed.append(count + np.flatnonzero(~is_cut[0]))
        count += len(owners)
    return Decomposition(
        tuple((0, n) for n in whole[0]),
        leaves.periodic,
        ranks,
        tuple(np.concatenate([pieces.ranks for _, pieces in found]).tolist()),
        levels=Levels(
            tuple(role for role, _ in found),
            tuple(len(pieces.ranks) for _, pieces in found),
            joined([pieces.boxes for _, pieces in found]),
            depths.lowest or 0,
            len(leaves.levels) - 1,
            is_hierarchy,
            (depths.ghost, depths.covered),
            frozenset(cut),
            tuple(number for some in closed for number in some.tolist()),
        ),
    )


def _below(leaves: Leaves, level: int, ranks: Sequence[NDArray[np.intp]]) -> Pieces:
    """Return the cells of a level that is coarser than all leaves."""
    extent = tuple([n >> -level for n in leaves.extent(0)])
    can_be_cut = all(n % (2 << -level) == 0 for n in leaves.block)
    if prod(extent) < _ON_ONE_RANK or not can_be_cut:
        return Pieces(np.zeros(1, np.intp), BoxArray.of([box_of(extent)]))
    places = leaves.blocks(0).T
    block = np.array([n >> -level for n in leaves.block])[:, np.newaxis]
    boxes = BoxArray(places * block, (places + 1) * block)
    return Pieces(ranks_in(leaves, 0, places.T, ranks), boxes)
