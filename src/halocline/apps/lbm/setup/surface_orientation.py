"""Which way triangles of closed surfaces turn, so that surfaces that overlap are one solid.

Triangles whose corners turn counter-clockwise, seen from outside, bound a solid; those of a cavity
turn the other way. Programs that write surfaces do not all keep to this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halocline.installation import need

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Indices = NDArray[np.int64]

# How many corners of a surface are asked whether another one is around them.
_ASKED = 16
# Surfaces around so much less than all, as single edges, are none.
_NOTHING = 1e-9
# Winding numbers are 0 outside, 1/8 at the corner of a box.
_OUTSIDE = 0.1
# An edge within a surface belongs to two triangles.
_PAIR = 2


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
