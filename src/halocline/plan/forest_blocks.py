"""The blocks of a forest: leaves joined where they can be, and thin blocks along levels' borders.

Leaves of one rank and level that make a box become one block. Around them lie cells that kernels of
the level read and no leaf of the level has: each belongs to one thin block, a ghost or a covered
one (see 'role.py'), of the rank for which it is nearest at hand.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

from halocline.errors import PlanError
from halocline.geometry import Box, doubled, halved, without
from halocline.language.spaces.leaves import children_of
from halocline.language.spaces.role import Role
from halocline.plan.decomposition import Decomposition
from halocline.plan.owners import Owners
from halocline.plan.shares import Shares

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from halocline.geometry import Offset
    from halocline.language.spaces.leaves import Leaf, Leaves, Position
    from halocline.language.steps.subcycling import Depths
    from halocline.plan.owners import Owners


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
    shares = wanted if isinstance(wanted, Shares) else Shares()
    weights = shares.weights_of(leaves)
    if isinstance(wanted, Owners):
        owners = wanted.of(leaves)
    else:
        owners = shares.owners_of(leaves, weights, ranks, is_level_by_level=substeps > 1)
    return forest_blocks(leaves, depths, substeps, owners, weights)


def _checked(kept: Decomposition, leaves: Leaves) -> Decomposition:
    cells = sum(
        kept.levels[role.level][n].cells for n, role in enumerate(kept.roles) if role.kind == "leaf"
    )
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
        for role, pieces in (
            (Role("leaf", level), border.leaves()),
            (Role("ghost", level), border.ghosts(depths.ghost)),
            (Role("covered", level), border.covered(depths.covered)),
        ):
            found += [(rank, role, box) for rank in sorted(pieces) for box in join(pieces[rank])]
    split = _decomposition(leaves, found, max(owners.values()) + 1)
    costs = [0.0] * split.blocks
    for leaf, number in leaf_blocks(leaves, split).items():
        costs[number] += weights[leaf] * substeps ** leaf[0]
    return replace(split, weights=tuple(costs), depths=tuple(depths))


def leaf_blocks(leaves: Leaves, decomposition: Decomposition) -> dict[Leaf, int]:
    """Return the number of the block that has the cells of each leaf."""
    found: dict[Leaf, int] = {}
    for number, role in enumerate(decomposition.roles):
        if role.kind == "leaf":
            box = decomposition.levels[role.level][number]
            corner = [n // b for n, b in zip(box.lower, leaves.block, strict=True)]
            counts = [n // b for n, b in zip(box.extent, leaves.block, strict=True)]
            for place in product(*map(range, corner, map(sum, zip(corner, counts, strict=True)))):
                found[role.level, place] = number
    return found


def _decomposition(
    leaves: Leaves, found: Sequence[tuple[int, Role, Box]], ranks: int
) -> Decomposition:
    roles = tuple(role for _, role, _ in found)
    levels = tuple(
        tuple(_seen_on(level, role, box) for _, role, box in found)
        for level in range(len(leaves.levels))
    )
    whole = [leaves.extent(level) for level in range(len(leaves.levels))]
    cut = {
        axis
        for _, role, box in found
        for axis, n in enumerate(whole[role.level])
        if box.extent[axis] < n
    }
    return Decomposition(
        tuple((0, n) for n in whole[0]),
        leaves.periodic,
        ranks,
        tuple(rank for rank, _, _ in found),
        boxes=levels[0],
        roles=roles,
        levels=levels,
        cut_axes=frozenset(cut),
    )


def _seen_on(level: int, role: Role, box: Box) -> Box:
    """Return the cells of a block on a level, none where it has none there."""
    if level == role.level:
        return box
    if level != role.other:
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


def join(boxes: Iterable[Box]) -> list[Box]:
    """Return disjoint boxes that hold the same cells as some disjoint ones, as few as is easy.

    Along one axis after the other those are joined that differ along no other.
    """
    found = list(boxes)
    for axis in range(len(found[0].lower) if found else 0):
        lines: dict[tuple[Offset, Offset], list[Box]] = {}
        for box in found:
            lower, upper = (end[:axis] + end[axis + 1 :] for end in (box.lower, box.upper))
            lines.setdefault((lower, upper), []).append(box)
        found = [box for line in lines.values() for box in _in_line(line, axis)]
    return sorted(found)


def _in_line(line: list[Box], axis: int) -> list[Box]:
    result: list[Box] = []
    for box in sorted(line, key=lambda box: box.lower[axis]):
        is_next = bool(result) and result[-1].upper[axis] == box.lower[axis]
        lower = result.pop().lower[axis] if is_next else box.lower[axis]
        result.append(box.clip(axis, lower, box.upper[axis]))
    return result
