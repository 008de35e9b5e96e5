"""Leaves that must stay as they are do so, whatever is wanted, and the 2:1 balance holds."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from unit.forests.test_leaves import random_wanted

import halocline as hc
from halocline.language.spaces.regrading import regraded

FINEST, BLOCK = 3, 4


def levels_at(leaves):
    """Return the level of the leaf at each place, in blocks of the finest level."""
    result = np.full([n << FINEST for n in leaves.shape], -1)
    for level, position in leaves:
        width = 1 << FINEST - level
        result[tuple(slice(n * width, n * width + width) for n in position)] = level
    return result


def only(leaves, level, position):
    """Return the places of a leaf alone, for each level."""
    return [
        np.array([position] * (n == level), np.int64).reshape(-1, len(position))
        for n in range(len(leaves.levels))
    ]


def steepest(levels, periodic):
    """Return by how many levels neighbours differ, also over edges and corners."""
    ends = [(1, 1) if closes else (0, 0) for closes in periodic]
    grown = np.pad(levels, ends, mode="wrap")
    highest = lowest = grown
    for axis in range(levels.ndim):
        pairs = [np.moveaxis(one, axis, 0) for one in (highest, lowest)]
        highest, lowest = (
            np.moveaxis(choose(one[1:], one[:-1]), 0, axis)
            for one, choose in zip(pairs, (np.maximum, np.minimum), strict=True)
        )
    return (highest - lowest).max()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 3), st.floats(0.0, 0.4))
def test_kept_leaves_stay_and_neighbours_are_a_level_apart(seed, dimensions, share):
    chance = np.random.default_rng(seed)
    extent, periodic = (16, 24, 16)[:dimensions], (True, False, True)[:dimensions]
    forest = hc.Forest(
        extent, block=BLOCK, finest=FINEST, refine=random_wanted(seed, extent), periodic=periodic
    )
    before = forest.leaves
    kept = [places[chance.random(len(places)) < share] for places in before.levels]
    wanted = [
        level + chance.choice([-1.0, 0.0, 1.0], len(places))
        for level, places in enumerate(before.levels)
    ]
    after = regraded(before, wanted, 0.5, kept)
    assert {*replace(before, levels=tuple(kept))} <= {*after}
    assert steepest(levels_at(after), periodic) <= 1
    assert abs(levels_at(after) - levels_at(before)).max() <= 1


def test_what_is_wanted_away_from_kept_leaves_is_done_as_without_them():
    forest = hc.Forest(
        (32, 8), block=4, finest=2, refine=lambda x, y: np.where(x < 3, 1, 0) + 0 * y
    )
    kept = forest.leaves.touching(only(forest.leaves, 1, (0, 0)))
    wanted = [
        np.where(places[:, 0] > 4, 1.0, level) for level, places in enumerate(forest.leaves.levels)
    ]
    assert regraded(forest.leaves, wanted, 0.5, kept) == regraded(forest.leaves, wanted, 0.5)


def test_a_leaf_touches_those_of_coarser_and_finer_levels():
    forest = hc.Forest(
        (12, 12), block=4, finest=1, refine=lambda x, y: np.where((x < 4) & (y < 4), 1, 0)
    )

    def touching(level, position):
        found = forest.leaves.touching(only(forest.leaves, level, position))
        return {*replace(forest.leaves, levels=found)}

    assert touching(1, (1, 1)) == {
        (1, (0, 0)), (1, (0, 1)), (1, (1, 0)), (1, (1, 1)), (0, (1, 0)), (0, (0, 1)), (0, (1, 1))
    }  # fmt: skip
    assert touching(0, (1, 1)) >= {(1, (1, 1)), (0, (2, 2)), (0, (1, 0))}
    assert (1, (0, 0)) in touching(0, (0, 1))
