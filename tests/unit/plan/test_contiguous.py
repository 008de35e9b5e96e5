"""Contiguous pieces: no other cuts have a smaller largest piece."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest

from halocline.plan.blocks.contiguous import cut_evenly


def pieces_of(weights, bounds) -> list[Fraction]:
    """Return exactly what pieces weigh."""
    exact = [Fraction(weight) for weight in weights.tolist()]
    return [sum(exact[a:b], Fraction(0)) for a, b in pairwise(bounds)]


def least_largest(weights, pieces: int) -> Fraction:
    """Return what the largest piece weighs with the best of all cuts."""
    n = len(weights)
    every = combinations(range(1, n), pieces - 1)
    return min(max(pieces_of(weights, (0, *cuts, n))) for cuts in every)


WEIGHTS = {
    "whole numbers": lambda chance, n: chance.integers(0, 9, n),
    "large whole numbers": lambda chance, n: chance.integers(0, 2**62, n),
    "truth values": lambda chance, n: chance.random(n) < 0.5,
    "floats": lambda chance, n: chance.random(n),
    "floats in single precision": lambda chance, n: chance.random(n, dtype=np.float32),
    "floats of all sizes": lambda chance, n: chance.random(n) * 10.0 ** chance.integers(-20, 9, n),
    "few floats that are not zero": lambda chance, n: chance.random(n) * (chance.random(n) < 0.3),
}


@pytest.mark.parametrize("kind", WEIGHTS)
def test_no_other_cuts_are_better(kind):
    chance = np.random.default_rng(list(WEIGHTS).index(kind))
    for _ in range(150):
        n = int(chance.integers(1, 11))
        weights, pieces = WEIGHTS[kind](chance, n), int(chance.integers(1, n + 1))
        bounds = cut_evenly(weights, pieces)
        assert (bounds[0], bounds[-1], len(bounds)) == (0, n, pieces + 1)
        assert all(a < b for a, b in pairwise(bounds)), "every piece has a weight"
        assert max(pieces_of(weights, bounds)) == least_largest(weights, pieces)


def test_sums_are_exact_where_those_of_floats_are_not():
    weights = np.array([1e16, 1.0, 1.0, 1e16, 3.0])
    assert weights[:3].sum() == 1e16, "in floats both cuts weigh the same"
    assert cut_evenly(weights, 2) == [0, 3, 5]
    assert cut_evenly(weights[::-1], 2) == [0, 2, 5]


def test_pieces_that_need_not_be_full_have_their_share():
    weights = np.ones(100, dtype=int)
    weights[0] = 50
    assert np.diff(cut_evenly(weights, 3)).tolist() == [1, 49, 50]


def test_equal_weights_make_pieces_that_differ_by_one():
    for pieces in (1, 3, 7, 64, 100):
        assert set(np.diff(cut_evenly(np.ones(100), pieces))) <= {100 // pieces, -(-100 // pieces)}


def test_many_weights_are_cut_for_many_ranks():
    weights = np.random.default_rng(1).integers(0, 4097, 10**6)
    loads = np.add.reduceat(weights, cut_evenly(weights, 4096)[:-1])
    assert loads.sum() == weights.sum()
    assert loads.max() < 1.01 * loads.mean()
