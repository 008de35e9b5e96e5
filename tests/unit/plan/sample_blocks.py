"""Blocks of several levels, and domains of which only a part matters."""

from __future__ import annotations

import numpy as np

from halocline.plan.blocks.equal_blocks import EqualBlocks


def forest(roots, refined, *, levels=3, periodic=None) -> EqualBlocks:
    """Return blocks refined where a function of level and middle (in roots) says so."""
    dimensions = len(roots)
    children = np.argwhere(np.ones((2,) * dimensions, dtype=bool))
    places, found = np.argwhere(np.ones(roots, dtype=bool)), []
    for level in range(levels):
        is_refined = refined(level, (places + 0.5) / 2**level) & (level < levels - 1)
        found.append(places[~is_refined])
        places = (2 * places[is_refined][:, np.newaxis] + children).reshape(-1, dimensions)
    numbers = np.repeat(np.arange(levels), [len(some) for some in found])
    is_periodic = periodic or (False,) * dimensions
    return EqualBlocks(np.concatenate(found), numbers, roots, (16,) * dimensions, is_periodic)


def shell(roots: int) -> EqualBlocks:
    """Return a cube with three levels towards a sphere; neighbours are at most one level apart."""

    def near(level: int, middles: np.ndarray) -> np.ndarray:
        radius = np.linalg.norm(middles / roots - 0.5, axis=1)
        return abs(radius - 0.3) < (0.08, 0.03)[min(level, 1)]

    return forest((roots,) * 3, near)


def scattered(roots, seed: int, **options) -> EqualBlocks:
    """Return blocks refined by chance, neighbours of any levels."""
    chance = np.random.default_rng(seed)
    return forest(roots, lambda _, middles: chance.random(len(middles)) < 0.4, **options)


def grains(extent: int, seed: int = 3, solid: float = 0.6) -> np.ndarray:
    """Return the pores between overlapping spheres in a periodic cube."""
    chance, found = np.random.default_rng(seed), np.zeros((extent,) * 3, dtype=bool)
    while found.mean() < solid:
        radius = chance.uniform(extent / 20, extent / 8)
        offsets = np.arange(-int(radius), int(radius) + 1)
        ball = sum(np.meshgrid(*[offsets**2] * 3, indexing="ij")) < radius**2
        around = np.ix_(*((middle + offsets) % extent for middle in chance.integers(0, extent, 3)))
        found[around] |= ball
    return ~found
