"""Joined: blocks of equal size that ranks share, put together to the boxes that they compute.

Small blocks share well and compute badly: each has a halo, copies to all around it, and short rows.
So what a rank has of them is put together wherever that makes boxes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halocline.box_array import BoxArray, join_all
from halocline.plan.blocks.decomposition import Decomposition
from halocline.plan.blocks.tiling import bounds_of
from halocline.plan.cells.block import NOBODY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Box


def joined(pieces: Decomposition) -> Decomposition:
    """Return a decomposition whose blocks are those of each rank joined, dropped ones too.

    Args:
        pieces: Blocks between cuts, each with an owner.
    """
    numbers = np.unravel_index(np.arange(pieces.blocks), pieces.shape, order="F")
    cuts = [np.array(along) for along in pieces.cuts]
    pairs = list(zip(cuts, numbers, strict=True))
    lower = np.stack([along[number] for along, number in pairs])
    upper = np.stack([along[number + 1] for along, number in pairs])
    owners, found = join_all(np.array(pieces.owners), BoxArray(lower, upper))
    # Dropped ones come last.
    order = np.argsort(owners == NOBODY, kind="stable")
    boxes = tuple(found.take(order).every())
    return Decomposition(
        bounds_of(boxes),
        pieces.periodic,
        pieces.ranks,
        tuple(owners[order].tolist()),
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
    box = _boxes_of(pieces, decomposition.boxes)
    kept = np.array(pieces.owners) != NOBODY
    weights, boxes = np.array(pieces.weights), decomposition.blocks
    # Where nothing weighs anything all cost the same.
    is_light = np.bincount(box, weights=weights, minlength=boxes) == 0
    found = np.where(is_light[box], 1.0, weights)
    of_box = np.bincount(box, weights=found, minlength=boxes)
    return pieces, np.where(kept, found * np.asarray(costs)[box] / of_box[box], 0.0)


def _boxes_of(pieces: Decomposition, boxes: Sequence[Box]) -> NDArray[np.intp]:
    """Return the number of the box in which each piece lies."""
    found = np.empty(pieces.shape, np.intp)
    for number, box in enumerate(boxes):
        ends = zip(pieces.cuts, box.lower, box.upper, strict=True)
        found[tuple(slice(cuts.index(low), cuts.index(high)) for cuts, low, high in ends)] = number
    return found.ravel(order="F")
