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
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from halocline.errors import PlanError
from halocline.geometry import Box, box_of, doubled, halved, without
from halocline.language.spaces.leaves import box_at, children_of
from halocline.language.spaces.role import Role
from halocline.plan.blocks.decomposition import Decomposition, Levels
from halocline.plan.blocks.level_corners import corner_cells
from halocline.plan.blocks.owners import Owners
from halocline.plan.blocks.shares import Shares
from halocline.plan.blocks.tiling import join

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from halocline.language.spaces.leaves import Leaf, Leaves, Position
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
    roles = enumerate(kept.levels.roles)
    cells = sum(kept.levels.own_box(n).cells for n, role in roles if role.kind == "leaf")
    if {*leaf_blocks(leaves, kept)} != {*leaves} or cells != leaves.cells:
        raise PlanError(
            "The plan or decomposition was made for a forest with other leaves.",
            hint="Write the plan anew, with the forest as it is refined now.",
        )
    return kept


def forest_blocks(
    leaves: Leaves,
    depths: Depths,
    substeps: int,
    owners: Mapping[Leaf, int],
    weights: Mapping[Leaf, float],
) -> Decomposition:
    """Return the decomposition of a forest.

    Args:
        leaves: The forest.
        depths: How far kernels read.
        substeps: Of a level in a step of the next coarser one.
        owners: The rank of each leaf.
        weights: What each leaf costs in a step of its level.

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
    found: list[tuple[int, Role, Box]] = []
    for level in range(len(leaves.levels)):
        border = _Border(leaves, level, owners)
        is_thin = depths.lowest is None
        covered = border.covered(depths.covered) if is_thin else border.under_finer()
        corners: Pieces = {}
        if depths.has_corners:
            covered, corners = border.parted(covered)
        for role, pieces in (
            (Role("leaf", level), border.leaves()),
            (Role("ghost", level), border.ghosts(depths.ghost)),
            (Role("covered", level), covered),
            (Role("corner", level), corners),
        ):
            found += [(rank, role, box) for rank in sorted(pieces) for box in join(pieces[rank])]
    for level in range(depths.lowest or 0, 0):
        pieces = _below(leaves, level, owners)
        role = Role("covered", level)
        found += [(rank, role, box) for rank in sorted(pieces) for box in join(pieces[rank])]
    split = _decomposition(leaves, found, max(owners.values()) + 1, depths)
    costs = [0.0] * split.blocks
    for leaf, number in leaf_blocks(leaves, split).items():
        costs[number] += weights[leaf] * substeps ** leaf[0]
    return replace(split, weights=tuple(costs))


def leaf_blocks(leaves: Leaves, decomposition: Decomposition) -> dict[Leaf, int]:
    """Return the number of the block that has the cells of each leaf."""
    found: dict[Leaf, int] = {}
    levels = decomposition.levels
    for number, role in enumerate(levels.roles):
        if role.kind == "leaf":
            box = levels.own_box(number)
            corner = leaves.place_of(box)
            counts = [n // b for n, b in zip(box.extent, leaves.block, strict=True)]
            for place in product(*map(range, corner, map(sum, zip(corner, counts, strict=True)))):
                found[role.level, place] = number
    return found


def _decomposition(
    leaves: Leaves, found: Sequence[tuple[int, Role, Box]], ranks: int, depths: Depths
) -> Decomposition:
    is_hierarchy, first = depths.lowest is not None, depths.lowest or 0
    boxes = tuple(
        tuple(_seen_on(level, role, box, is_hierarchy=is_hierarchy) for _, role, box in found)
        for level in range(first, len(leaves.levels))
    )
    whole = [leaves.extent(level) for level in range(len(leaves.levels))]
    cut = {
        axis
        for _, role, box in found
        if role.level >= 0
        for axis, n in enumerate(whole[role.level])
        if box.extent[axis] < n
    }
    closed = {
        number
        for number, (_, role, box) in enumerate(found)
        # In a hierarchy their kernels read guests, too, of which no row is there as a whole.
        if role.kind == "leaf" and not is_hierarchy and box.extent[0] == whole[role.level][0]
    }
    return Decomposition(
        tuple((0, n) for n in whole[0]),
        leaves.periodic,
        ranks,
        tuple(rank for rank, _, _ in found),
        boxes=boxes[-first],
        levels=Levels(
            tuple(role for _, role, _ in found),
            boxes,
            first,
            is_hierarchy,
            (depths.ghost, depths.covered),
            frozenset(cut),
            frozenset(closed),
        ),
    )


def _below(leaves: Leaves, level: int, owners: Mapping[Leaf, int]) -> Pieces:
    """Return the cells of a level that is coarser than all leaves."""
    extent = tuple([n >> -level for n in leaves.extent(0)])
    can_be_cut = all(n % (2 << -level) == 0 for n in leaves.block)
    if prod(extent) < _ON_ONE_RANK or not can_be_cut:
        return {0: [box_of(extent)]}
    pieces: Pieces = {}
    block = tuple([n >> -level for n in leaves.block])
    for place in product(*map(range, leaves.shape)):
        pieces.setdefault(owners[leaves.leaf_in(0, place)], []).append(box_at(place, block))
    return pieces


def _seen_on(level: int, role: Role, box: Box, *, is_hierarchy: bool) -> Box:
    """Return the cells of a block on a level, none where it has none there."""
    if level == role.level:
        return box
    if level != role.other and not (is_hierarchy and level == role.level - 1):
        return Box((0,) * len(box.lower), (0,) * len(box.lower))
    return doubled(box) if level > role.level else halved(box)


# Cells of a level, and the rank that has them.
Pieces = dict[int, list[Box]]


class _Border:
    """Finds the cells of a level, and those beside them that lie in blocks of other levels."""

    def __init__(self, tree: Leaves, level: int, owners: Mapping[Leaf, int]) -> None:
        self.tree = tree
        self.level = level
        self.owners = owners
        self.around = [
            (direction, position, place, shift)
            for position in tree.levels[level]
            for direction, place, shift in tree.beside(level, position)
            if not tree.is_leaf(level, place)
        ]
        # A cell beside several leaves belongs with one whose side it touches, if there is one.
        self.around.sort(key=lambda found: sum(map(abs, found[0])))

    def leaves(self) -> Pieces:
        result: Pieces = {}
        for position in self.tree.levels[self.level]:
            rank = self.owners[self.level, position]
            result.setdefault(rank, []).append(self.tree.box(position))
        return result

    def ghosts(self, depth: int) -> Pieces:
        """Return the cells of coarser blocks that lie so near to leaves."""
        result: Pieces = {}
        for rank, _, box in self._near(depth, is_finer=False):
            result.setdefault(rank, []).append(box)
        return result

    def covered(self, depth: int) -> Pieces:
        """Return the cells of refined blocks that lie so near to leaves."""
        result: Pieces = {}
        for _, place, box in self._near(depth, is_finer=True):
            for child in children_of(place):
                part = box.intersect(halved(self.tree.box(child)))
                if not part.is_empty:
                    rank = self.owners[self.level + 1, child]
                    result.setdefault(rank, []).append(part)
        return result

    def under_finer(self) -> Pieces:
        """Return the cells of all refined blocks."""
        result: Pieces = {}
        for place in self.tree.refined_on(self.level):
            rank = self.owners[self.tree.leaf_in(self.level, place)]
            result.setdefault(rank, []).append(self.tree.box(place))
        return result

    def parted(self, covered: Pieces) -> tuple[Pieces, Pieces]:
        """Return covered cells beside no edge or corner of the finer level, and the others."""
        corners = corner_cells(self.tree, self.level)
        apart: Pieces = {}
        beside: Pieces = {}
        for rank, boxes in covered.items():
            for box in boxes:
                near = corners.get(self.tree.place_of(box), ())
                apart.setdefault(rank, []).extend(without([box], near))
                beside.setdefault(rank, []).extend(box.intersect(n) for n in near if n.meets(box))
        return apart, beside

    def _near(self, depth: int, *, is_finer: bool) -> Iterator[tuple[int, Position, Box]]:
        """Yield cells of places without a leaf that lie near to leaves, each once.

        Each box with the rank of the leaf and the place.
        """
        taken: dict[Position, list[Box]] = {}
        widths = (depth,) * len(self.tree.shape)
        for _, position, place, shift in self.around:
            if self.tree.is_refined(self.level, place) != is_finer or not depth:
                continue
            near = self.tree.box(position).grow(widths, widths)
            here = near.shift(tuple([-s for s in shift])).intersect(self.tree.box(place))
            known = taken.setdefault(place, [])
            for box in without([here], known):
                known.append(box)
                yield self.owners[self.level, position], place, box
