"""Closed surfaces of triangles: which cell centres lie inside, by rays and winding numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from halocline.apps.lbm.surface_links import first_meeting
from halocline.apps.lbm.surface_orientation import oriented

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.geometry import Box, Offset
    from halocline.language.grids.grid import Grid

# Rays are moved by this part of a cell, so that they hit no edge or corner of a triangle that lies
# on the lattice; irrational along each axis, so that they meet no diagonal either.
_ASIDE = (np.sqrt(2.0) * 1e-7, np.sqrt(3.0) * 1e-7)


# A wall is at least this part of a link away from a fluid cell.
_LEAST = 1e-6


@dataclass(frozen=True, eq=False)
class Surface:
    """One or more closed surfaces in space, as a 'Shape'.

    Attributes:
        triangles: Corners (n, 3, 3): triangle, corner, axis [coordinates of the grid].
    """

    triangles: NDArray[np.float64]
    dimensions: ClassVar[tuple[int, ...]] = (3,)

    def inside(self, grid: Grid, box: Box | None = None) -> NDArray[np.bool_]:
        """Return for the centre of each cell whether it lies inside.

        A ray from it in the direction +x leaves solids more often than it enters them. So what
        several surfaces bound is one solid, overlapping or not, but for cavities.

        Source: Shimrat, Communications of the ACM 5 (1962) 434 (ray crossings).
        """
        cells = box or grid.domain
        length, *across = cells.extent
        crossings = np.zeros((length + 1, *across), np.int64)
        for corners in _in_cells(self._oriented, grid):
            _count(corners, crossings, cells.lower)
        # A centre at i + 1/2 sees what is crossed at or beyond it.
        seen = np.cumsum(crossings[::-1], axis=0)[::-1]
        return np.asarray(seen[1:] != 0)

    def crossings(self, grid: Grid, cells: NDArray[np.int64], link: Offset) -> NDArray[np.float64]:
        """Return where links first meet the surface; half-way across a periodic side."""
        found = first_meeting(_in_cells(self.triangles, grid), cells.astype(float) + 0.5, link)
        return np.where(np.isfinite(found), np.clip(found, _LEAST, 1.0), 0.5)

    @cached_property
    def _oriented(self) -> NDArray[np.float64]:
        return oriented(self.triangles)


def _in_cells(triangles: NDArray[np.float64], grid: Grid) -> NDArray[np.float64]:
    """Return triangles in cells from the low corner of the domain."""
    return np.asarray((triangles - grid.origin) / grid.spacing)


def _count(corners: NDArray[np.float64], crossings: NDArray[np.int64], lower: Offset) -> None:
    """Add where the rays cross one triangle: at index i between the centres i - 1 and i.

    Counted is 1 where they leave a solid, -1 where they enter it.

    Indices count from the low corner of some cells; what lies beyond them along x is at the ends.
    """
    _, y, z = corners.T
    low = [max(l, int(np.floor(c.min() - 0.5))) for c, l in zip((y, z), lower[1:], strict=True)]
    upper = [l + n for l, n in zip(lower[1:], crossings.shape[1:], strict=True)]
    high = [min(u, int(np.ceil(c.max() + 0.5))) for c, u in zip((y, z), upper, strict=True)]
    j, k = np.meshgrid(np.arange(low[0], high[0]), np.arange(low[1], high[1]), indexing="ij")
    points = np.stack([j + 0.5 + _ASIDE[0], k + 0.5 + _ASIDE[1]], axis=-1)
    a, b, c = corners[:, 1:]
    area = _cross(b - a, c - a)
    if area == 0.0:  # seen edge on
        return
    shares = np.stack([_cross(b - points, c - points), _cross(c - points, a - points)]) / area
    shares = np.concatenate([shares, 1.0 - shares.sum(axis=0, keepdims=True)])
    is_hit = np.all(shares > 0.0, axis=0)
    x = np.tensordot(corners[:, 0], shares, axes=1)[is_hit]
    i = np.clip(np.floor(x + 0.5).astype(np.int64) - lower[0], 0, len(crossings) - 1)
    np.add.at(crossings, (i, j[is_hit] - lower[1], k[is_hit] - lower[2]), 1 if area > 0.0 else -1)


def _cross(p: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(p[..., 0] * q[..., 1] - p[..., 1] * q[..., 0])
