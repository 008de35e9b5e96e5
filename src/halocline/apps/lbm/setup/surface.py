"""Closed surfaces of triangles: which cell centres lie inside, by rays and winding numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from halocline.apps.lbm.setup.surface_links import first_meeting
from halocline.apps.lbm.setup.surface_orientation import oriented

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.geometry import Box, Offset
    from halocline.language.grids.grid import Grid

# Rays are moved by this part of a cell, so that they hit no edge or corner of a triangle that lies
# on the lattice; irrational along each axis, so that they meet no diagonal either.
_ASIDE = (np.sqrt(2.0) * 1e-7, np.sqrt(3.0) * 1e-7)


# So many rays are tried at once, for as many triangles as they belong to.
_RAYS = 1 << 16
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
        _count(_in_cells(self._oriented, grid), crossings, cells.lower)
        # A centre at i + 1/2 sees what is crossed at or beyond it.
        seen = np.cumsum(crossings[::-1], axis=0)[::-1]
        return np.asarray(seen[1:] != 0)

    def crossings(self, grid: Grid, cells: NDArray[np.int64], link: Offset) -> NDArray[np.float64]:
        """Return where links first meet the surface; half-way across a periodic side."""
        fractions = first_meeting(_in_cells(self.triangles, grid), cells.astype(float) + 0.5, link)
        return np.where(np.isfinite(fractions), np.clip(fractions, _LEAST, 1.0), 0.5)

    @cached_property
    def _oriented(self) -> NDArray[np.float64]:
        return oriented(self.triangles)


def _in_cells(triangles: NDArray[np.float64], grid: Grid) -> NDArray[np.float64]:
    """Return triangles in cells from the low corner of the domain."""
    return np.asarray((triangles - grid.origin) / grid.spacing)


def _count(triangles: NDArray[np.float64], crossings: NDArray[np.int64], lower: Offset) -> None:
    """Add where the rays cross triangles: at index i between the centres i - 1 and i.

    Counted is 1 where they leave a solid, -1 where they enter it.

    Indices count from the low corner of some cells; what lies beyond them along x is at the ends.
    """
    a, b, c = np.moveaxis(triangles[:, :, 1:], 1, 0)
    area = _cross(b - a, c - a)
    least, most = np.array(lower[1:]), np.add(lower[1:], crossings.shape[1:])
    low = np.maximum(np.floor(triangles[:, :, 1:].min(axis=1) - 0.5).astype(np.int64), least)
    high = np.minimum(np.ceil(triangles[:, :, 1:].max(axis=1) + 0.5).astype(np.int64), most)
    # No ray is tried for a triangle that is seen edge on.
    rays = np.where(area == 0.0, 0, (high - low).clip(0).prod(axis=1))
    ends = np.cumsum(rays)
    first = 0
    while first < len(triangles):
        done = ends[first] - rays[first]
        last = max(first + 1, int(np.searchsorted(ends, done + _RAYS, side="right")))
        some = slice(first, last)
        number = np.repeat(np.arange(first, last), rays[some])
        place = np.arange(len(number)) - (ends - rays - done)[number]
        width = (high - low)[number, 1]
        cells = low[number] + np.stack([place // width, place % width], axis=-1)
        _count_rays(triangles[number], area[number], cells, crossings, lower)
        first = last


def _count_rays(
    corners: NDArray[np.float64],
    area: NDArray[np.float64],
    cells: NDArray[np.int64],
    crossings: NDArray[np.int64],
    lower: Offset,
) -> None:
    """Count the rays through some cells (n, 2), across x, each of which may cross its triangle."""
    points = cells + 0.5 + _ASIDE
    a, b, c = np.moveaxis(corners[:, :, 1:], 1, 0)
    p, q = (
        _cross(u - points, v - points) / area  # the shares of the first two corners
        for u, v in ((b, c), (c, a))
    )
    r = 1.0 - (p + q)
    hit = (p > 0.0) & (q > 0.0) & (r > 0.0)
    x = (corners[:, 0, 0] * p + corners[:, 1, 0] * q + corners[:, 2, 0] * r)[hit]
    i = np.clip(np.floor(x + 0.5).astype(np.int64) - lower[0], 0, len(crossings) - 1)
    j, k = (cells[hit] - lower[1:]).T
    np.add.at(crossings, (i, j, k), np.where(area[hit] > 0.0, 1, -1))


def _cross(p: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(p[..., 0] * q[..., 1] - p[..., 1] * q[..., 0])
