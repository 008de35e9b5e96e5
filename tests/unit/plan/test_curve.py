"""Hilbert curve: neighbours follow each other, and what a block is refined into stays together."""

from __future__ import annotations

import numpy as np
import pytest
from sample_blocks import scattered

from halocline.errors import PlanError
from halocline.plan.blocks.curve import along_curve, on_curve
from halocline.plan.blocks.equal_blocks import EqualBlocks


def every(*extent: int) -> np.ndarray:
    return np.argwhere(np.ones(extent, dtype=bool))


def whole(*roots: int) -> EqualBlocks:
    places = every(*roots)
    level = np.zeros(len(places), dtype=int)
    return EqualBlocks(places, level, roots, (16,) * len(roots), (False,) * len(roots))


CUBES = [(1, 4), (2, 1), (2, 4), (3, 1), (3, 3)]


@pytest.mark.parametrize(("axes", "bits"), CUBES)
def test_every_place_is_passed_once_and_each_is_beside_the_one_before(axes, bits):
    cells = every(*(2**bits,) * axes)
    places = on_curve(cells, bits)
    assert sorted(places) == list(range(len(cells)))
    steps = np.diff(cells[np.argsort(places)], axis=0)
    assert (abs(steps).sum(axis=1) == 1).all()


@pytest.mark.parametrize(("axes", "bits"), CUBES)
def test_the_curve_through_cells_twice_as_wide_is_the_same(axes, bits):
    cells = every(*(2**bits,) * axes)
    assert (on_curve(cells, bits) >> axes == on_curve(cells >> 1, bits - 1)).all()


@pytest.mark.parametrize("roots", [(3, 5), (1, 7), (4, 4), (3, 2, 5)])
def test_what_a_block_is_refined_into_takes_its_place_in_the_order(roots):
    coarse, fine = whole(*roots), scattered(roots, seed=4)
    parents = fine.places >> fine.levels[:, np.newaxis]
    in_order = [tuple(parents[number]) for number in along_curve(fine)]
    assert list(dict.fromkeys(in_order)) == [tuple(coarse.places[n]) for n in along_curve(coarse)]
    changes = sum(a != b for a, b in zip(in_order, in_order[1:], strict=False))
    assert changes == len(coarse) - 1, "each is one piece"


def test_the_order_is_not_that_in_which_blocks_are_given():
    blocks = scattered((3, 4), seed=1)
    mixed = np.random.default_rng(2).permutation(len(blocks))
    assert (mixed[along_curve(blocks.some(mixed))] == along_curve(blocks)).all()


@pytest.mark.parametrize("roots", [(40, 40, 40), (64, 20), (20, 64), (200, 5, 5), (5, 6, 200)])
def test_half_of_the_curve_is_half_of_the_domain(roots):
    blocks = whole(*roots)
    half = blocks.places[along_curve(blocks)[: len(blocks) // 2]]
    covered = np.ptp(half, axis=0) + 1
    assert covered.prod() == len(half), "a box"


def test_blocks_of_a_level_are_in_the_order_of_all():
    blocks = scattered((3, 5, 2), seed=6)
    order = along_curve(blocks)
    for level in range(3):
        numbers = np.flatnonzero(blocks.levels == level)
        found = numbers[along_curve(blocks.some(numbers))]
        assert (found == order[blocks.levels[order] == level]).all()


def test_more_blocks_along_an_axis_than_the_curve_tells_apart_are_refused():
    blocks = EqualBlocks(
        np.zeros((2, 3), int), np.array([0, 21]), (2, 1, 1), (16,) * 3, (False,) * 3
    )
    with pytest.raises(PlanError) as caught:
        along_curve(blocks)
    assert str(caught.value) == (
        "Blocks were to be ordered along a curve through 2^22 of the finest along each axis; "
        "expected at most 2^21. Use fewer levels or larger blocks."
    )
