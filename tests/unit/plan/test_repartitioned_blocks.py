"""Blocks are shared anew by what they have been found to cost."""

from __future__ import annotations

import numpy as np
import pytest

import halocline as hc
from halocline.errors import PlanError
from halocline.language.steps.subcycling import Depths, on_forest
from halocline.plan.blocks.balance import balance_of
from halocline.plan.blocks.forest_blocks import decompose_forest, leaf_blocks
from halocline.plan.blocks.repartitioning import leaf_costs, repartitioned, repartitioned_leaves
from halocline.plan.blocks.shares import BORDER
from halocline.plan.cells.block import NOBODY
from halocline.plan.pipeline import plan_for


def in_a_row(owners, ranks):
    return hc.Decomposition((tuple(range(0, 33, 4)),), (False,), ranks, owners)


def test_the_rank_with_most_has_as_little_as_can_be():
    found = repartitioned(in_a_row((), 2), [4, 1, 1, 1, 1, 1, 1, 1], "curve")
    assert found.wanted.owners in {(0, 0, 1, 1, 1, 1, 1, 1), (0, 0, 0, 1, 1, 1, 1, 1)}
    assert (found.before, found.after) == (7, 6)


def test_what_each_costs_is_its_weight_from_then_on():
    costs = [4.0, 1, 1, 1, 1, 1, 1, 1]
    found = repartitioned(in_a_row((0, 0, 0, 0, 0, 0, 0, 1), 2), costs, "curve").wanted
    assert found.weights == tuple(costs)
    assert found.balance == balance_of(costs, found.owners, 2)


def test_blocks_that_are_dropped_stay_so():
    owners = (0, 0, NOBODY, 0, 1, NOBODY, 1, 1)
    found = repartitioned(in_a_row(owners, 2), [1, 1, 0, 1, 1, 0, 5, 1], "curve").wanted
    assert [n == NOBODY for n in found.owners] == [n == NOBODY for n in owners]


@pytest.mark.parametrize("ranks", [2, 3, 7])
def test_random_costs_in_space_are_shared_better_than_evenly(ranks):
    costs = np.random.default_rng(ranks).random(6 * 5 * 4) ** 6
    cuts = tuple(tuple(range(n + 1)) for n in (6, 5, 4))
    found = repartitioned(hc.Decomposition(cuts, (True, False, True), ranks), costs, "curve")
    assert found.after < found.before
    assert found.after >= max(costs.max(), costs.sum() / ranks)


def test_boxes_of_a_list_are_not_shared_anew():
    boxes = [hc.Box((0,), (5,)), hc.Box((5,), (8,))]
    listed = hc.Decomposition.of_blocks((8,), (False,), 2, boxes)
    with pytest.raises(PlanError, match="Blocks of a list were to be shared"):
        repartitioned(listed, [1, 2], "curve")


def scattered(ranks):
    """Return a forest of three levels, and a plan's decomposition of it for so many ranks."""
    forest = hc.Forest((24, 16), block=4, finest=2, refine=near_corner, periodic=True)
    a, b = forest.field("a"), forest.field("b")
    return forest, plan_for(forest.grid, on_forest([smooth(a, b)]), ranks=ranks).decomposition


def near_corner(x, y):
    return np.where(np.hypot(x - 5, y - 4) < 4, 2, 0)


@hc.kernel
def smooth(a, b):
    b[0, 0] = a[0, 0] + 0.1 * (a[1, 0] + a[-1, 0] + a[0, 1] + a[0, -1] - 4.0 * a[0, 0])


@pytest.mark.parametrize("ranks", [1, 3])
def test_leaves_cost_what_their_blocks_and_the_thin_ones_beside_them_do(ranks):
    forest, split = scattered(ranks)
    costs = np.random.default_rng(1).random(split.blocks)
    found = leaf_costs(forest.leaves, split, costs)
    assert sorted(found) == list(forest.leaves)
    assert sum(found.values()) == pytest.approx(costs.sum())
    for level in range(3):
        of_level = split.levels.having(lambda role, level=level: role.level == level)
        own = sum(cost for leaf, cost in found.items() if leaf[0] == level)
        assert own == pytest.approx(costs[of_level].sum())


def test_leaves_that_cost_much_are_shared_level_by_level():
    forest, split = scattered(2)
    blocks = leaf_blocks(forest.leaves, split)
    costs = np.zeros(split.blocks)
    # On each level whatever rank 0 has.
    for number in blocks.values():
        costs[number] = 1.0 if split.owners[number] == 0 else 0.01
    found = repartitioned_leaves(forest.leaves, 2, split, costs, "curve")
    assert found.after < 0.8 * found.before
    new = decompose_forest(forest.leaves, Depths(*split.levels.depths), 2, 2, found.wanted)
    assert sum(new.weights) == pytest.approx(costs.sum())
    assert sum(found.moved.values()) == pytest.approx(
        np.mean(
            [
                new.owners[leaf_blocks(forest.leaves, new)[leaf]] != split.owners[blocks[leaf]]
                for leaf in forest.leaves
            ]
        )
    )


def test_leaves_cost_their_cells_and_more_beside_coarser_ones():
    forest, _ = scattered(1)
    # The level of each leaf, painted on blocks of the finest; beyond a side lies the other end.
    levels = np.zeros((24, 16), dtype=int)
    width = {leaf: 4 >> leaf[0] for leaf in forest.leaves}
    for (level, (x, y)), n in width.items():
        levels[x * n : (x + 1) * n, y * n : (y + 1) * n] = level
    around = np.pad(levels, 1, mode="wrap")
    weights = hc.Shares().weights_of(forest.leaves)
    for (level, (x, y)), cost in zip(forest.leaves, weights, strict=True):
        n = width[level, (x, y)]
        low, high = (x * n, y * n), ((x + 1) * n, (y + 1) * n)
        sides = [
            around[low[0], low[1] + 1],
            around[high[0] + 1, low[1] + 1],
            around[low[0] + 1, low[1]],
            around[low[0] + 1, high[1] + 1],
        ]
        assert cost == 16 + BORDER * 4 * sum(other < level for other in sides)


def test_what_leaves_cost_can_be_given():
    forest, _ = scattered(1)
    shares = hc.Shares(lambda level, box: 1.0 + 9.0 * (level == 0 and box.lower[0] == 0))
    a, b = forest.field("c"), forest.field("d")
    simulation = hc.Simulation(forest, [smooth(a, b)], decomposition=shares)
    with_much = sum(1 for level, p in forest.leaves if level == 0 and p[0] == 0)
    by_level = [len(found) * 2**n for n, found in enumerate(forest.leaves.levels)]
    assert sum(simulation.decomposition.weights) == sum(by_level) + 9 * with_much


def test_shares_stay_when_blocks_split_and_merge():
    forest, _ = scattered(1)
    a, b = forest.field("c"), forest.field("d")
    asked = []
    shares = hc.Shares(lambda level, box: asked.append((level, box)) or 1.0)
    simulation = hc.Simulation(forest, [smooth(a, b)], decomposition=shares)
    simulation.run(1, progress=False)
    asked.clear()
    assert simulation.regrid(lambda x, y: near_corner(x - 9, y))
    assert {box for _, box in asked} == {forest.leaves.box(p) for _, p in forest.leaves}


def test_leaves_that_come_after_times_were_taken_cost_as_much_as_others():
    forest, split = scattered(2)
    found = repartitioned_leaves(forest.leaves, 2, split, np.ones(split.blocks), "curve")
    known = found.wanted.weights_of(forest.leaves)
    later = hc.Forest((24, 16), block=4, finest=2, refine=lambda x, y: 0 * x + 0 * y + (x < 9))
    cost = dict(zip(later.leaves, found.wanted.weights_of(later.leaves), strict=True))
    assert cost[1, (0, 0)] == pytest.approx(np.mean(known))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (lambda level, box: -1.0, "The weights of the leaves of a forest lie between -1.0"),
        (lambda level, box: "heavy", "The weights of the leaves of a forest are of the type"),
    ],
)
def test_weights_of_leaves_are_checked(weights, message):
    forest, _ = scattered(1)
    a, b = forest.field("c"), forest.field("d")
    with pytest.raises(PlanError, match=message):
        hc.Simulation(forest, [smooth(a, b)], decomposition=hc.Shares(weights))


def test_forests_and_grids_are_divided_each_in_their_way():
    forest, _ = scattered(1)
    a, b = forest.field("c"), forest.field("d")
    with pytest.raises(PlanError, match="expected None, 'Shares' or 'Owners'"):
        hc.Simulation(forest, [smooth(a, b)], decomposition=(2, 1), blocks=2)
    grid = hc.Grid((8, 8))
    with pytest.raises(PlanError, match="'Shares' were given as the decomposition of a"):
        hc.Simulation(grid, [smooth(grid.field("a"), grid.field("b"))], decomposition=hc.Shares())
