"""Joined: blocks of equal size that ranks share, put together to the boxes that they compute.

Small blocks share well and compute badly: each has a halo, copies to all around it, and short rows.
So what a rank has of them is put together wherever that makes boxes.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from halocline.plan.block import NOBODY
from halocline.plan.decomposition import Decomposition
from halocline.plan.tiling import bounds_of, join

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Box


def joined(pieces: Decomposition) -> Decomposition:
    """Return a decomposition whose blocks are those of each rank joined, dropped ones too.

    Args:
        pieces: Blocks between cuts, each with an owner.
    """
    of_rank: dict[int, list[Box]] = defaultdict(list)
    for number, rank in enumerate(pieces.owners):
        of_rank[rank].append(pieces.block(number).box)
    # Dropped ones come last.
    ranks = sorted(of_rank, key=lambda rank: (rank == NOBODY, rank))
    found = [(rank, box) for rank in ranks for box in join(of_rank[rank])]
    boxes = tuple(box for _, box in found)
    return Decomposition(
        bounds_of(boxes),
        pieces.periodic,
        pieces.ranks,
        tuple(rank for rank, _ in found),
        boxes=boxes,
        pieces=pieces,
    )


def costs_of_pieces(
    decomposition: Decomposition, costs: Sequence[float]
) -> tuple[Decomposition, NDArray[np.float64]]:
    """Return the blocks that ranks share, and what each costs.

    Of what a box costs to which blocks were joined each has its part by weight.

    Args:
        decomposition: Blocks as they are computed.
        costs: Of each of these.
    """
    pieces = decomposition.pieces
    if pieces is None:
        return decomposition, np.asarray(costs, dtype=np.float64)
    kept = np.flatnonzero(np.array(pieces.owners) != NOBODY)
    corners = [pieces.block(number).box.lower for number in kept.tolist()]
    box = np.array([decomposition.number_at(corner) for corner in corners])
    found = np.zeros(pieces.blocks)
    found[kept] = np.array(pieces.weights)[kept]
    of_box = np.bincount(box, weights=found[kept], minlength=decomposition.blocks)
    # Where nothing weighs anything all cost the same.
    found[kept] = np.where(of_box[box] > 0, found[kept], 1.0)
    of_box = np.bincount(box, weights=found[kept], minlength=decomposition.blocks)
    found[kept] *= np.asarray(costs)[box] / of_box[box]
    return pieces, found
