"""Walls of bodies: on which links they lie, and where.

Schemes are linear: what arrives from a wall, f, follows from what has left the fluid cell for the
wall, t, what has left it the other way, a, and what arrives there on its way to the wall, b. At
rest f = t + k (b - a), with k = (1 - 2 q) / (1 + 2 q) for a wall at the part q of the link. Where a
wall moves, f = t + s (b - t) for k > 0 and f = t + s (a - t) else, with s = 2 |k| / (1 + |k|): a
mean of two, which no flow along the wall makes grow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halocline.box_array import distinct
from halocline.errors import CaseError
from halocline.frozen import Frozen
from halocline.geometry import opposite, seen_along

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from halocline.apps.lbm.boundaries.solid_cells import SolidCells
    from halocline.apps.lbm.lattice.velocity_set import VelocitySet
    from halocline.apps.lbm.setup.bodies import Body
    from halocline.geometry import Offset


class Walls(Frozen):
    """The walls of all bodies of a flow.

    Attributes:
        beside: Fluid cells from which a link leads to a body, but for those at a side of the domain
            that is not periodic, or at a border between levels.
        link_coefficient: The factor k of each pair of opposite links, in the cell where the first
            one begins; 0 where nothing cuts it, or half-way.
        half_way: Solid cells with walls that lie half-way for another reason: of no body, or
            towards fluid cells at a side or border.
    """

    beside: NDArray[np.bool_]
    link_coefficient: NDArray[np.float64]
    half_way: NDArray[np.bool_]


def walls_of(cells: SolidCells, bodies: Sequence[Body], lattice: VelocitySet) -> Walls:
    """Return where the walls of bodies are.

    They lie half-way towards fluid cells behind which lies no other one, and towards those at a
    side that is not periodic or at a border between levels.

    Args:
        cells: Those of a level that are solid.
        bodies: Of the flow.
        lattice: Its velocity set.

    Raises:
        CaseError: A body is thinner than a cell, or moves at a side or border.
    """
    return _Finder(cells, bodies, lattice).found()


class _Finder:
    """Goes through the links."""

    def __init__(self, cells: SolidCells, bodies: Sequence[Body], lattice: VelocitySet) -> None:
        assert cells.owner is not None
        self.cells, self.solid, self.owner = cells, cells.solid, cells.owner
        self.bodies, self.shapes = bodies, [body.shape for body in bodies]
        self.lattice, self.grid = lattice, cells.grid
        solid = self.solid
        self.beside, self.half_way = np.zeros_like(solid), np.zeros_like(solid)
        self.link_coefficient = np.zeros((len(lattice.pairs), *solid.shape))
        # How thick the body is in a cell, along that axis on which it is least so [cells].
        self.thickness = np.full(solid.shape, np.inf)

    def found(self) -> Walls:
        """Return the walls."""
        for pair, (first, second) in enumerate(self.lattice.pairs):
            c = self.lattice.velocities[first]
            depth = self._find(pair, first) + self._find(pair, second)
            if sum(map(abs, c)) == 1:
                fluid = self.cells.fluid
                between = self._leads(fluid, c) & self._leads(fluid, opposite(c))
                self.thickness[between] = np.minimum(self.thickness, depth)[between]
        self._check()
        return Walls(self.beside, self.link_coefficient, self.half_way)

    def _leads(self, cells: NDArray[np.bool_], link: Offset) -> NDArray[np.bool_]:
        return seen_along(cells, link, self.cells.periodic)

    def _find(self, pair: int, i: int) -> NDArray[np.float64]:
        """Find the walls on one link; return how deep it reaches into bodies, where it ends."""
        c = self.lattice.velocities[i]
        ahead = ~self.solid & self._leads(self.solid, c)
        to_body = ahead & self._leads(self.owner > 0, c)
        curved = to_body & self.cells.inner
        self.beside |= curved
        self.half_way |= self.solid & self._leads(ahead & ~curved, opposite(c))
        cells = np.argwhere(to_body & self.cells.own)
        ends = (cells + c) % self.solid.shape
        q = self._fractions(cells, ends, c)
        depth = np.zeros(self.solid.shape)
        depth[tuple(ends.T)] = 1.0 - q
        kept = cells if i == self.lattice.pairs[pair][0] else ends
        is_curved = (curved & self._leads(~self.solid, opposite(c)))[tuple(cells.T)]
        k = (1.0 - 2.0 * q) / (1.0 + 2.0 * q)
        self.link_coefficient[(pair, *kept.T)] += np.where(is_curved, k, 0.0)
        return depth

    def _fractions(
        self, cells: NDArray[np.int64], ends: NDArray[np.int64], link: Offset
    ) -> NDArray[np.float64]:
        """Return how far walls are away on links, over the links' length."""
        owner, places = self.owner[tuple(ends.T)], cells + self.cells.window.lower
        fractions = np.full(len(cells), 0.5)
        for number in distinct(owner):
            own = owner == number
            fractions[own] = self.shapes[number - 1].crossings(self.grid, places[own], link)
        return fractions

    def _check(self) -> None:
        for number, body in enumerate(self.bodies, 1):
            own = self.cells.own & (self.owner == number)
            if own.any() and (thickest := self.thickness[own].max()) < 1.0:
                raise CaseError(
                    f"The body '{body.name}' is nowhere thicker than {thickest:.2g} cells; "
                    "expected at least 1.",
                    hint="Use smaller cells, or a thicker body: fluid would flow through it.",
                )
            if body.is_moving and (own & self.half_way).any():
                raise CaseError(
                    f"The wall of the body '{body.name}' moves, but reaches fluid cells at a side "
                    "of the domain or at a border between levels.",
                    hint="Leave a layer of cells between them, make the side periodic, or refine "
                    "all around the body.",
                )
