"""Closed surfaces of triangles: which cell centres lie inside, and where links meet them.

Triangles whose corners turn counter-clockwise, seen from outside, bound a solid; those of a cavity
turn the other way. Programs that write surfaces do not all keep to this.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from halocline.box_array import distinct
from halocline.frozen import Frozen
from halocline.installation import need

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from halocline.geometry import Box, Offset
    from halocline.language.grids.grid import Grid

    Floats = NDArray[np.float64]
    Indices = NDArray[np.int64]

# Rays are moved by this part of a cell, so that they hit no edge or corner of a triangle that lies
# on the lattice; irrational along each axis, so that they meet no diagonal either.
_ASIDE = (np.sqrt(2.0) * 1e-7, np.sqrt(3.0) * 1e-7)
# So many rays are tried at once, for as many triangles as they belong to.
_RAYS = 1 << 16
# A wall is at least this part of a link away from a fluid cell.
_LEAST = 1e-6
# Larger triangles are cut, so that few links lie in the box around one [cells].
_LARGEST = 4.0
# How many pairs of a triangle and a place are looked at together.
_TOGETHER = 1_000_000
# What is so near to an edge is on it: no link slips through between two triangles.
_NEAR = 1e-9
# How many corners of a surface are asked whether another one is around them.
_ASKED = 16
# Surfaces around so much less than all, as single edges, are none.
_NOTHING = 1e-9
# Winding numbers are 0 outside, 1/8 at the corner of a box.
_OUTSIDE = 0.1
# An edge within a surface belongs to two triangles.
_PAIR = 2


class Surface(Frozen, eq=False, dict=True):
    """One or more closed surfaces in space, as a 'Shape'.

    Attributes:
        triangles: Corners (n, 3, 3): triangle, corner, axis [coordinates of the grid].
    """

    triangles: Floats
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

    def crossings(self, grid: Grid, cells: Indices, link: Offset) -> Floats:
        """Return where links first meet the surface; half-way across a periodic side."""
        fractions = first_meeting(_in_cells(self.triangles, grid), cells.astype(float) + 0.5, link)
        return np.where(np.isfinite(fractions), np.clip(fractions, _LEAST, 1.0), 0.5)

    @cached_property
    def _oriented(self) -> Floats:
        return oriented(self.triangles)


def _in_cells(triangles: Floats, grid: Grid) -> Floats:
    """Return triangles in cells from the low corner of the domain."""
    return np.asarray((triangles - grid.origin) / grid.spacing)


def _count(triangles: Floats, crossings: Indices, lower: Offset) -> None:
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
    corners: Floats,
    area: Floats,
    cells: Indices,
    crossings: Indices,
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


def _cross(p: Floats, q: Floats) -> Floats:
    return np.asarray(p[..., 0] * q[..., 1] - p[..., 1] * q[..., 0])


def first_meeting(triangles: Floats, points: Floats, link: Offset) -> Floats:
    """Return where links first meet a surface, over their length; infinite for those that do not.

    Args:
        triangles: Corners (n, 3, 3): triangle, corner, axis [cells].
        points: Centres of the cells where links begin (m, 3) [cells].
        link: From there to their end [cells].

    Source: Möller & Trumbore, Journal of Graphics Tools 2 (1997) 21.
    """
    nearest = np.full(len(points), np.inf)
    if not len(points):
        return nearest
    # Between the centres of eight cells lies the place of a link of each direction.
    places = np.floor(points + np.minimum(link, 0)).astype(np.int64)
    low, high = places.min(axis=0), places.max(axis=0)
    numbers = np.full(high - low + 1, -1)
    numbers[tuple((places - low).T)] = np.arange(len(points))
    for corners, around in _pairs(_cut(triangles), low, high):
        number = numbers[tuple((around - low).T)]
        is_link = number >= 0
        links = number[is_link]
        part, is_met = _met(corners[is_link], points[links], np.array(link, float))
        np.minimum.at(nearest, links[is_met], part[is_met])
    return nearest


def _cut(triangles: Floats) -> Floats:
    """Return triangles that make up the same surface, none large."""
    small = []
    while len(triangles):
        is_large = np.ptp(triangles, axis=1).max(axis=1) > _LARGEST
        small.append(triangles[~is_large])
        a, b, c = np.moveaxis(triangles[is_large], 1, 0)
        ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
        parts = ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))
        triangles = np.concatenate([np.stack(part, axis=1) for part in parts])
    return np.concatenate(small) if small else triangles


def _pairs(triangles: Floats, low: Indices, high: Indices) -> Iterator[tuple[Floats, Indices]]:
    """Yield triangles with each place that they may meet, some at a time."""
    first = np.maximum(np.floor(triangles.min(axis=1) - 0.5 - _NEAR).astype(np.int64), low)
    last = np.minimum(np.floor(triangles.max(axis=1) - 0.5 + _NEAR).astype(np.int64), high)
    is_near = np.all(first <= last, axis=1)
    triangles, first, sizes = triangles[is_near], first[is_near], (last - first + 1)[is_near]
    counts = sizes.prod(axis=1)
    groups = np.cumsum(counts) // _TOGETHER
    for group in distinct(groups):
        some = groups == group
        of = np.repeat(np.flatnonzero(some), counts[some])
        begins = np.cumsum(counts[some]) - counts[some]
        rest = np.arange(len(of)) - np.repeat(begins, counts[some])
        around = np.empty((len(of), 3), np.int64)
        for axis in range(3):
            around[:, axis] = first[of, axis] + rest % sizes[of, axis]
            rest //= sizes[of, axis]
        yield triangles[of], around


def _met(corners: Floats, points: Floats, link: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Return at which part of its link each one meets the plane of its triangle, and whether in it.

    A link that lies within the plane meets the triangles beside this one.
    """
    a, b, c = np.moveaxis(corners, 1, 0)
    normal = np.cross(link, c - a)
    size = np.einsum("ij,ij->i", b - a, normal)
    with np.errstate(divide="ignore", invalid="ignore"):
        u = np.einsum("ij,ij->i", points - a, normal) / size
        across = np.cross(points - a, b - a)
        v = across @ link / size
        part = np.einsum("ij,ij->i", c - a, across) / size
        is_met = (u >= -_NEAR) & (v >= -_NEAR) & (u + v <= 1.0 + _NEAR)
        is_met &= (part >= -_NEAR) & (part <= 1.0 + _NEAR)
    return part, is_met


def oriented(triangles: Floats) -> Floats:
    """Return triangles that turn so that the winding number is not 0 in solids alone.

    Within a connected surface all triangles turn the same way. A surface bounds a cavity if it
    turns the other way than most of the volume, and lies nowhere outside of solids; all others
    bound solids.

    Args:
        triangles: Corners (n, 3, 3): triangle, corner, axis.
    """
    if not len(triangles):
        return triangles
    signs, parts = _turned_alike(triangles)
    volumes = np.bincount(parts, signs * _volumes(triangles))
    solid = _flipped(triangles, signs * volumes[parts] < 0.0)
    # Where all was exported the wrong way round, cavities were, too.
    volumes *= np.sign(volumes.sum())
    is_cavity = np.zeros(len(volumes), bool)
    around = solid[(volumes > 0.0)[parts]]
    for part in np.flatnonzero(volumes < -_NOTHING * volumes.sum()):
        corners = triangles[parts == part].reshape(-1, 3)
        asked = corners[np.linspace(0, len(corners) - 1, _ASKED).astype(int)]
        is_cavity[part] = np.all(_winding_numbers(around, asked) > _OUTSIDE)
    return _flipped(solid, is_cavity[parts])


def _turned_alike(triangles: Floats) -> tuple[Floats, Indices]:
    """Return for each triangle 1 or -1, so that neighbours turn alike, and its surface's number.

    A graph has each triangle twice, as it is and turned. Where neighbours run along their common
    edge in opposite directions, equals are joined, else each with the other's opposite.
    """
    need("geometry", "scipy")
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    count = len(triangles)
    first, second, is_alike = _neighbours(triangles)
    ends = np.concatenate([first, first + count])
    others = np.where(is_alike, second, second + count)
    opposites = np.where(is_alike, second + count, second)
    links = (ends, np.concatenate([others, opposites]))
    graph = coo_array((np.ones(len(ends)), links), shape=(2 * count, 2 * count))
    _, labels = connected_components(graph, directed=False)
    as_it_is, turned = labels[:count], labels[count:]
    # The two copies of a surface are one part; the lesser number is that of most of its triangles.
    _, parts = np.unique(np.minimum(as_it_is, turned), return_inverse=True)
    signs = np.where(as_it_is <= turned, 1.0, -1.0)
    mostly = np.sign(np.bincount(parts, signs))
    return signs * np.where(mostly == 0.0, 1.0, mostly)[parts], parts


def _neighbours(triangles: Floats) -> tuple[Indices, Indices, NDArray[np.bool_]]:
    """Return pairs of triangles with a common edge, and whether they turn alike."""
    _, corners = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
    corners = corners.reshape(-1, 3)
    edges = np.stack([corners, np.roll(corners, -1, axis=1)], axis=-1).reshape(-1, 2)
    _, numbers, uses = np.unique(
        np.sort(edges, axis=1), axis=0, return_inverse=True, return_counts=True
    )
    numbers = numbers.reshape(-1)
    order = np.argsort(numbers, kind="stable")
    pairs = order[uses[numbers[order]] == _PAIR].reshape(-1, 2)
    first, second = pairs.T
    return first // 3, second // 3, edges[first, 0] != edges[second, 0]


def _volumes(triangles: Floats) -> Floats:
    """Return six times the signed volumes between triangles and their middle."""
    a, b, c = np.moveaxis(triangles - triangles.mean(axis=(0, 1)), 1, 0)
    return np.asarray(np.einsum("ij,ij->i", a, np.cross(b, c)))


def _flipped(triangles: Floats, which: NDArray[np.bool_]) -> Floats:
    return np.where(which[:, None, None], triangles[:, ::-1], triangles)


def _winding_numbers(triangles: Floats, points: Floats) -> Floats:
    """Return how often surfaces go around points: their solid angles over 4 pi.

    Source: van Oosterom & Strackee, IEEE Trans. Biomed. Eng. 30 (1983) 125.
    """
    angles = np.zeros(len(points))
    for number, point in enumerate(points):
        a, b, c = np.moveaxis(triangles - point, 1, 0)
        x, y, z = (np.linalg.norm(corner, axis=1) for corner in (a, b, c))
        ab, bc, ca = (np.einsum("ij,ij->i", p, q) for p, q in ((a, b), (b, c), (c, a)))
        above = np.einsum("ij,ij->i", a, np.cross(b, c))
        angles[number] = np.arctan2(above, x * y * z + ab * z + bc * x + ca * y).sum()
    return angles / (2.0 * np.pi)
