"""Graph: parts of equal weight of blocks that touch, with few faces between parts, by METIS."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halocline.installation import need

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.plan.blocks.equal_blocks import EqualBlocks

# What weights add up to about; METIS counts in 32 bits.
_TOTAL = 1 << 30


def by_metis(
    blocks: EqualBlocks, weights: NDArray[np.bool_ | np.number], parts: int
) -> NDArray[np.intp]:
    """Return the part of each block (blocks); each part has blocks.

    Args:
        blocks: At least as many as there are parts.
        weights: Of each (blocks).
        parts: How many.
    """
    if parts == 1:
        return np.zeros(len(blocks), dtype=np.intp)
    need("partition", "pymetis")
    import pymetis

    starts, others, areas = _neighbours(blocks)
    costs = weights.astype(np.float64) if weights.any() else np.ones(len(blocks))
    whole = np.rint(costs * (_TOTAL / costs.sum())).astype(np.int64)
    _, found = pymetis.part_graph(
        parts,
        pymetis.CSRAdjacency(starts.tolist(), others.tolist()),
        vweights=whole.tolist(),
        eweights=areas.tolist(),
    )
    return _without_empty_parts(np.array(found, dtype=np.intp), whole, parts)


def _neighbours(blocks: EqualBlocks) -> tuple[NDArray[np.int64], ...]:
    """Return where the neighbours of each block begin, all of them, and the areas between them.

    Blocks that touch on both sides of a periodic domain are neighbours once.
    """
    pairs, areas = blocks.faces()
    keys, which = np.unique(
        np.concatenate([pairs @ (len(blocks), 1), pairs @ (1, len(blocks))]), return_inverse=True
    )
    summed = np.bincount(which, weights=np.tile(areas, 2)).astype(np.int64)
    starts = np.searchsorted(keys, np.arange(len(blocks) + 1) * len(blocks))
    return starts, keys % len(blocks), summed


def _without_empty_parts(
    found: NDArray[np.intp], weights: NDArray[np.int64], parts: int
) -> NDArray[np.intp]:
    """Give a part without blocks one of the heaviest part that has several."""
    for part in set(range(parts)).difference(found.tolist()):
        counts = np.bincount(found, minlength=parts)
        loads = np.bincount(found, weights=weights, minlength=parts)
        heaviest = np.argmax(np.where(counts > 1, loads, -1.0))
        found[np.argmax(found == heaviest)] = part
    return found
