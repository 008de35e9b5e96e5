"""Redistribution: which cells go from whom to whom when values move to other boxes.

Values are in boxes that ranks have, and are wanted in others: what a field was set to moves to the
blocks of a simulation, fields move from blocks to those of another decomposition, and everything
moves to one rank that writes it, or back. Boxes that ranks have are the same, or have cells in
common only where a field lacks an axis: these have the same values, and are given by each.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from halocline.box_array import BoxArray
from halocline.frozen import Frozen
from halocline.plan.blocks.tiling import BlockList
from halocline.plan.cells.block import NOBODY

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from halocline.geometry import Box
    from halocline.plan.blocks.decomposition import BlockView

# The boxes of each rank.
BoxesOfRanks = list[list["Box"]]


class Piece(Frozen, order=True):
    """Cells that go from one box to another.

    Attributes:
        target: Which of the boxes that its rank wants.
        box: The cells.
        source: Which of the boxes that its rank has.
    """

    target: int
    box: Box
    source: int


class Redistribution(Frozen):
    """What a rank sends, receives and copies, both sides of a message in the same order.

    Attributes:
        sends: The pieces for each other rank that gets some.
        receives: The pieces of each other rank that has some for this one.
        copies: What this rank has itself.
    """

    sends: dict[int, tuple[Piece, ...]]
    receives: dict[int, tuple[Piece, ...]]
    copies: tuple[Piece, ...]

    def covers(self, wanted: Sequence[Box]) -> bool:
        """Return whether every cell that this rank wants comes from somewhere."""
        return sum(piece.box.cells for piece in self._got) >= sum(box.cells for box in wanted)

    def fills(self, wanted: Sequence[Box]) -> list[bool]:
        """Return for each box that this rank wants whether a single piece is all of it."""
        whole = {piece.target for piece in self._got if piece.box == wanted[piece.target]}
        return [target in whole for target in range(len(wanted))]

    @property
    def _got(self) -> list[Piece]:
        return [*self.copies, *(p for found in self.receives.values() for p in found)]


def boxes_of_ranks(
    blocks: BlockView, boxed: Callable[[NDArray[np.intp]], BoxArray]
) -> BoxesOfRanks:
    """Return a box for each block of each rank, in a forest for the leaves of a level.

    Args:
        blocks: The blocks.
        boxed: Returns the boxes of blocks, by their numbers.
    """
    ranks = blocks.decomposition.ranks_of(blocks.seen).tolist()
    result: BoxesOfRanks = [[] for _ in range(blocks.decomposition.ranks)]
    for rank, box in zip(ranks, boxed(blocks.seen).every(), strict=True):
        if rank != NOBODY:
            result[rank].append(box)
    return result


def redistribution(
    have: Sequence[Sequence[Box]], wanted: Sequence[Sequence[Box]], rank: int
) -> Redistribution:
    """Return what a rank does so that all get what they want.

    Where several have the same box, a rank takes its own, or else that of the first of them.

    Args:
        have: The boxes of each rank that has values.
        wanted: The boxes in which each rank wants them.
        rank: Whose part it is.
    """
    givers: dict[Box, dict[int, int]] = {}
    for giver, boxes in enumerate(have):
        for source, box in enumerate(boxes):
            givers.setdefault(box, {}).setdefault(giver, source)
    receives: dict[int, list[Piece]] = defaultdict(list)
    for target, found in BlockList(BoxArray.of(sources := list(givers))).pairs(wanted[rank]):
        box = wanted[rank][target].intersect(sources[found])
        giver = _giver(givers[sources[found]], rank)
        receives[giver].append(Piece(target, box, givers[sources[found]][giver]))
    sends: dict[int, list[Piece]] = defaultdict(list)
    places = [(to, target) for to, boxes in enumerate(wanted) for target in range(len(boxes))]
    own = list(dict.fromkeys(have[rank]))
    targets = [box for boxes in wanted for box in boxes]
    for source, place in BlockList(BoxArray.of(targets)).pairs(own):
        (to, target), box = places[place], own[source]
        if to != rank and _giver(givers[box], to) == rank:
            sends[to].append(Piece(target, box.intersect(targets[place]), givers[box][rank]))
    copies = receives.pop(rank, [])
    return Redistribution(_in_order(sends), _in_order(receives), tuple(sorted(copies)))


def _giver(ranks: dict[int, int], rank: int) -> int:
    """Return from whom a rank takes the values of a box that some have."""
    return rank if rank in ranks else min(ranks)


def _in_order(pieces: dict[int, list[Piece]]) -> dict[int, tuple[Piece, ...]]:
    return {other: tuple(sorted(found)) for other, found in sorted(pieces.items())}
