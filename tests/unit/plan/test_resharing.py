"""Blocks are shared anew by what they have been found to cost."""

from __future__ import annotations

import numpy as np
import pytest

import halocline as hc
from halocline.errors import PlanError
from halocline.plan.balance import balance_of
from halocline.plan.decomposition import NOBODY
from halocline.plan.resharing import reshared


def in_a_row(owners, ranks):
    return hc.Decomposition((tuple(range(0, 33, 4)),), (False,), ranks, owners)


def test_the_rank_with_most_has_as_little_as_can_be():
    found = reshared(in_a_row((), 2), [4, 1, 1, 1, 1, 1, 1, 1])
    assert found.decomposition.owners in {(0, 0, 1, 1, 1, 1, 1, 1), (0, 0, 0, 1, 1, 1, 1, 1)}
    assert (found.before, found.after) == (7, 6)


def test_what_each_costs_is_its_weight_from_then_on():
    costs = [4.0, 1, 1, 1, 1, 1, 1, 1]
    found = reshared(in_a_row((0, 0, 0, 0, 0, 0, 0, 1), 2), costs).decomposition
    assert found.weights == tuple(costs)
    assert found.balance == balance_of(costs, found.owners, 2)


def test_blocks_that_are_dropped_stay_so():
    owners = (0, 0, NOBODY, 0, 1, NOBODY, 1, 1)
    found = reshared(in_a_row(owners, 2), [1, 1, 0, 1, 1, 0, 5, 1]).decomposition
    assert [n == NOBODY for n in found.owners] == [n == NOBODY for n in owners]


@pytest.mark.parametrize("ranks", [2, 3, 7])
def test_random_costs_in_space_are_shared_better_than_evenly(ranks):
    costs = np.random.default_rng(ranks).random(6 * 5 * 4) ** 6
    cuts = tuple(tuple(range(n + 1)) for n in (6, 5, 4))
    found = reshared(hc.Decomposition(cuts, (True, False, True), ranks), costs)
    assert found.after < found.before
    assert found.after >= max(costs.max(), costs.sum() / ranks)


def test_boxes_of_a_list_are_not_shared_anew():
    boxes = [hc.Box((0,), (5,)), hc.Box((5,), (8,))]
    listed = hc.Decomposition.of_blocks((8,), (False,), 2, boxes)
    with pytest.raises(PlanError, match="Blocks of a list were to be shared"):
        reshared(listed, [1, 2])
