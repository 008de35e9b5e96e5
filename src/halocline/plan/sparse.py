"""Sparse: a domain of which only some cells matter, cut into blocks of which only some exist."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from halocline.errors import PlanError
from halocline.geometry import codimension, directions, seen_along
from halocline.plan.decomposition import NOBODY, Decomposition

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Sparse:
    """Which cells matter, and how large blocks are.

    Blocks without such cells in them or right beside them are dropped: no rank has them, and they
    are never computed. The others are spread over the ranks by the number of such cells, so that
    neighbours are on one rank where possible.

    Attributes:
        cells: True where cells matter, shape of the domain.
        block: Cells of a block along each axis; blocks differ by a cell where that does not divide.
    """

    cells: NDArray[np.bool_]
    block: tuple[int, ...]

    def decompose(
        self, extent: tuple[int, ...], periodic: tuple[bool, ...], ranks: int
    ) -> Decomposition:
        """Return the decomposition of a domain for so many ranks.

        Raises:
            PlanError: The cells do not fit the domain, or there are fewer blocks than ranks.
        """
        cells = np.asarray(self.cells, dtype=bool)
        if cells.shape != extent or len(self.block) != len(extent) or min(self.block) < 1:
            raise PlanError(
                f"The cells of a sparse decomposition have the shape {cells.shape} and its blocks "
                f"{self.block} cells; expected the shape {extent} and {len(extent)} positive "
                "numbers.",
            )
        shape = tuple(max(1, round(n / b)) for n, b in zip(extent, self.block, strict=True))
        cuts = tuple(
            tuple(n * part // parts for part in range(parts + 1))
            for n, parts in zip(extent, shape, strict=True)
        )
        every = Decomposition(cuts, periodic, 1)
        touched = _grown(cells, periodic)
        kept = [n for n in range(every.blocks) if touched[_slices(every, n)].any()]
        if len(kept) < ranks:
            raise PlanError(
                f"{len(kept)} of {every.blocks} blocks have cells that matter; expected at least "
                f"one for each of {ranks} ranks.",
                hint="Use smaller blocks or fewer ranks.",
            )
        counts = [int(cells[_slices(every, n)].sum()) for n in range(every.blocks)]
        owners = [NOBODY] * every.blocks
        spread = _spread(every, kept, [1 + counts[n] for n in kept], ranks)
        for number, rank in zip(kept, spread, strict=True):
            owners[number] = rank
        weights = tuple(map(float, counts))
        return replace(every, ranks=ranks, owners=tuple(owners), weights=weights)


def _slices(decomposition: Decomposition, number: int) -> tuple[slice, ...]:
    box = decomposition.block(number).box
    return tuple(slice(a, b) for a, b in zip(box.lower, box.upper, strict=True))


def _grown(cells: NDArray[np.bool_], periodic: tuple[bool, ...]) -> NDArray[np.bool_]:
    """Return the cells and all their neighbours."""
    result = cells
    for axis in range(cells.ndim):
        ways = (tuple(step if a == axis else 0 for a in range(cells.ndim)) for step in (-1, 1))
        for way in ways:
            result = result | seen_along(result, way, periodic)
    return result


def _spread(
    decomposition: Decomposition, kept: list[int], weights: list[int], ranks: int
) -> list[int]:
    """Return the rank of each block: parts of equal weight that cut few sides."""
    if ranks == 1:
        return [0] * len(kept)
    import pymetis

    position = {number: n for n, number in enumerate(kept)}
    beside = [sorted(_beside(decomposition, number, position)) for number in kept]
    _, parts = pymetis.part_graph(ranks, adjacency=beside, vweights=weights)
    return _without_empty_ranks(list(parts), weights, ranks)


def _beside(decomposition: Decomposition, number: int, position: dict[int, int]) -> set[int]:
    block = decomposition.block(number)
    sides = [d for d in directions(len(decomposition.extent)) if codimension(d) == 1]
    around = (decomposition.beside(block, side) for side in sides)
    numbers = {neighbour.number for found in around for neighbour, _ in found}
    return {position[n] for n in numbers if n in position and n != number}


def _without_empty_ranks(parts: list[int], weights: list[int], ranks: int) -> list[int]:
    """Give a rank without blocks one of the rank with most cells."""
    for rank in set(range(ranks)) - set(parts):
        crowded = [r for r in range(ranks) if parts.count(r) > 1]
        fullest = max(
            crowded, key=lambda r: sum(w for p, w in zip(parts, weights, strict=True) if p == r)
        )
        parts[parts.index(fullest)] = rank
    return parts
