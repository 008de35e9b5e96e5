"""Resharing: who has which block from now on, by what blocks have been found to cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from halocline.errors import PlanError
from halocline.plan.equal_blocks import EqualBlocks
from halocline.plan.sharing import share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from halocline.plan.decomposition import Decomposition


@dataclass(frozen=True, slots=True)
class Resharing:
    """Other owners for the same blocks.

    Attributes:
        decomposition: The blocks with their new owners.
        before: What the rank with most has cost between moments at which ranks wait, summed.
        after: What it will cost.
    """

    decomposition: Decomposition
    before: float
    after: float


def reshared(decomposition: Decomposition, costs: Sequence[float]) -> Resharing:
    """Return the blocks of a regular cut, shared by what each costs.

    Args:
        decomposition: Who has them so far.
        costs: Of each block, in any unit.

    Raises:
        PlanError: The blocks are a list of boxes, or nothing was measured.
    """
    if decomposition.boxes:
        raise PlanError(
            "Blocks of a list were to be shared by what they cost; expected those of a regular "
            "cut.",
            hint="Use 'Sparse', several 'blocks' a rank, or a forest.",
        )
    owners, every = np.array(_owners(decomposition)), np.asarray(costs, dtype=np.float64)
    kept = np.flatnonzero(owners >= 0)
    found = owners.copy()
    found[kept] = share(_equal(decomposition, kept), every[kept], decomposition.ranks)
    new = replace(decomposition, owners=tuple(found.tolist()), weights=tuple(every.tolist()))
    loads = [_most(every[kept], whose[kept], decomposition.ranks) for whose in (owners, found)]
    return Resharing(new, *loads)


def _owners(decomposition: Decomposition) -> list[int]:
    blocks, ranks = decomposition.blocks, decomposition.ranks
    return [*decomposition.owners] or [n * ranks // blocks for n in range(blocks)]


def _equal(decomposition: Decomposition, kept: NDArray[np.intp]) -> EqualBlocks:
    shape = decomposition.shape
    places = np.stack(np.unravel_index(kept, shape, order="F"), axis=1)
    cells = tuple(n // parts for n, parts in zip(decomposition.extent, shape, strict=True))
    return EqualBlocks(places, np.zeros_like(kept), shape, cells, decomposition.periodic)


def _most(costs: NDArray[np.float64], owners: NDArray[np.intp], ranks: int) -> float:
    return float(np.bincount(owners, weights=costs, minlength=ranks).max())
