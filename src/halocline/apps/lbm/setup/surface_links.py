"""Where links between cells meet a surface of triangles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from halocline.geometry import Offset

    Floats = NDArray[np.float64]
    Indices = NDArray[np.int64]

# Larger triangles are cut, so that few links lie in the box around one [cells].
_LARGEST = 4.0
# How many pairs of a triangle and a place are looked at together.
_TOGETHER = 1_000_000
# What is so near to an edge is on it: no link slips through between two triangles.
_NEAR = 1e-9


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
    for group in np.unique(groups):
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
