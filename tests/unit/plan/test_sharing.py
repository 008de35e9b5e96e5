"""Sharing of blocks of equal size: faces, ranks, levels, and how even it is on many ranks."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import product

import numpy as np
import pytest
from sample_blocks import grains, scattered, shell

import halocline as hc
from halocline.apps.ocean.cases.north_sea_data import north_sea
from halocline.errors import PlanError
from halocline.plan.blocks.balance import balance_of, cut_faces
from halocline.plan.blocks.equal_blocks import EqualBlocks
from halocline.plan.blocks.sharing import share

RULES = ("curve", "metis")


def painted(blocks: EqualBlocks) -> np.ndarray:
    """Return the number of the block at every place of the finest."""
    extent = np.array(blocks.roots) << blocks.finest
    found = np.full(extent, -1)
    widths = 1 << (blocks.finest - blocks.levels)
    for number, (corner, width) in enumerate(zip(blocks.corners, widths, strict=True)):
        found[tuple(slice(c, c + width) for c in corner)] = number
    return found


def faces_seen(blocks: EqualBlocks) -> Counter:
    """Return what is found by looking at every place and at the next one along each axis.

    A face is counted once on each side of the two blocks: those that meet around a periodic axis
    of two blocks have two.
    """
    numbers, seen = painted(blocks), set()
    for axis, n in enumerate(numbers.shape):
        for place in product(*map(range, numbers.shape)):
            beside = (*place[:axis], (place[axis] + 1) % n, *place[axis + 1 :])
            pair = numbers[place], numbers[beside]
            if place[axis] + 1 == n and not blocks.periodic[axis]:
                continue
            if min(pair) >= 0 and pair[0] != pair[1]:
                seen.add((axis, *map(int, pair)))
    return Counter((axis, min(a, b), max(a, b)) for axis, a, b in seen)


@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("roots", [(4,), (3, 2), (2, 1, 3)])
def test_faces_are_those_between_places_beside_each_other(roots, periodic):
    blocks = scattered(roots, 2, periodic=(periodic,) * len(roots))
    kept = np.flatnonzero(np.random.default_rng(1).random(len(blocks)) < 0.9)
    blocks = EqualBlocks(
        blocks.places[kept], blocks.levels[kept], roots, (3, 5, 7)[: len(roots)], blocks.periodic
    )
    pairs, areas = blocks.faces()
    cells = np.prod(blocks.cells)
    axes = [blocks.cells.index(cells // area) for area in areas]
    ends = zip(axes, np.sort(pairs, axis=1).tolist(), strict=True)
    assert Counter((axis, *pair) for axis, pair in ends) == faces_seen(blocks)


@cache
def coast() -> np.ndarray:
    """Return the wet cells of the North Sea, with ten times the resolution of ETOPO5."""
    return np.kron(north_sea(5, 0.0, 10.0).is_wet, np.ones((10, 10), dtype=bool))


@cache
def sample() -> np.ndarray:
    """Return the pores of a porous sample."""
    return grains(208)


SAMPLES = {
    "coast": (coast, (4, 4), (False, False)),
    "porous sample": (sample, (4, 4, 4), (True, True, True)),
}


@pytest.mark.parametrize("ranks", [2, 16, 100, 1000, 4096])
@pytest.mark.parametrize("name", SAMPLES)
def test_cells_that_matter_are_shared_evenly_on_many_ranks(name, ranks):
    make, block, periodic = SAMPLES[name]
    cells = make()
    found = hc.Sparse(cells, block).decompose(cells.shape, periodic, ranks).pieces
    owners = np.array(found.owners)
    assert (owners >= 0).sum() >= 16 * ranks
    assert set(owners[owners >= 0].tolist()) == set(range(ranks))
    assert sum(found.weights) == cells.sum()
    assert found.balance.imbalance <= 1.05


@cache
def levels() -> EqualBlocks:
    return shell(24)


@pytest.mark.parametrize("ranks", [2, 16, 100, 1000, 4096])
def test_blocks_of_three_levels_are_shared_evenly_on_many_ranks(ranks):
    blocks = levels()
    assert len(blocks) >= 16 * ranks
    sub_steps = 1 << blocks.levels
    for weights in (np.ones(len(blocks)), sub_steps):
        owners = share(blocks, weights, ranks)
        assert balance_of(weights, owners, ranks).imbalance <= 1.05


@pytest.mark.parametrize("ranks", [123, 137, 140, 146])
def test_blocks_that_weigh_the_same_are_shared_as_evenly_as_whole_blocks_can_be(ranks):
    blocks = shell(7)
    assert 16 <= len(blocks) / ranks < 20, "where that may be more than 1.05"
    even = len(blocks) / ranks
    weights = np.full(len(blocks), 0.1)
    found = balance_of(weights, share(blocks, weights, ranks), ranks)
    assert found.imbalance == pytest.approx(np.ceil(even) / even, rel=1e-12)


def time_of_step(blocks: EqualBlocks, owners: np.ndarray, ranks: int) -> float:
    """Return the time of a step whose levels are sub-cycled, over what it would be if even.

    A level has twice the steps of the one before, and ranks wait for each other after each.
    """
    spent = ideal = 0.0
    for level in range(blocks.finest + 1):
        counts = np.bincount(owners[blocks.levels == level], minlength=ranks)
        spent += 2**level * counts.max()
        ideal += 2**level * counts.mean()
    return spent / ideal


@pytest.mark.parametrize("ranks", [2, 16, 100, 1000, 4096])
def test_levels_that_wait_for_each_other_are_shared_each_by_itself(ranks):
    blocks = levels()
    each = share(blocks, np.ones(len(blocks)), ranks, is_level_by_level=True)
    assert time_of_step(blocks, each, ranks) <= 1.05
    together = time_of_step(blocks, share(blocks, 1 << blocks.levels, ranks), ranks)
    assert together > 2.5 or ranks < 1000, "one cut for all levels leaves most ranks waiting"


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("is_level_by_level", [False, True])
def test_every_rank_has_blocks_whatever_they_weigh(rule, is_level_by_level):
    blocks = scattered((4, 3), seed=5)
    for ranks in (1, 2, 5, int(np.bincount(blocks.levels).max())):
        for seed in range(5):
            chance = np.random.default_rng(seed)
            weights = chance.random(len(blocks)) * (chance.random(len(blocks)) < 0.3)
            owners = share(blocks, weights, ranks, rule, is_level_by_level=is_level_by_level)
            assert set(owners.tolist()) == set(range(ranks))


@pytest.mark.parametrize("rule", RULES)
def test_a_level_of_few_blocks_is_spread_over_all_ranks(rule):
    blocks = scattered((4, 2), seed=0, levels=4)
    counts = np.bincount(blocks.levels)
    ranks = int(counts.max())
    assert 1 < counts[0] < ranks
    owners = share(blocks, np.ones(len(blocks)), ranks, rule, is_level_by_level=True)
    coarse = np.sort(owners[blocks.levels == 0])
    assert coarse.tolist() == [n * ranks // counts[0] for n in range(counts[0])]


def test_metis_cuts_fewer_faces_and_the_curve_is_more_even():
    blocks = shell(12)
    weights = 1 << blocks.levels
    for ranks in (16, 64):
        curve, metis = (share(blocks, weights, ranks, rule) for rule in RULES)
        assert cut_faces(blocks, metis) < cut_faces(blocks, curve)
        even, less_even = (balance_of(weights, found, ranks) for found in (curve, metis))
        assert even.imbalance <= less_even.imbalance < 1.05


@pytest.mark.parametrize("rule", RULES)
def test_ranks_that_follow_each_other_are_near_each_other(rule):
    blocks = scattered((10, 10, 10), seed=7, levels=2)
    middles = blocks.corners + 0.5 * (1 << (blocks.finest - blocks.levels))[:, np.newaxis]
    owners = share(blocks, np.ones(len(blocks)), 64, rule)
    places = np.stack([middles[owners == rank].mean(axis=0) for rank in range(64)])
    apart = np.linalg.norm(np.diff(places, axis=0), axis=1).mean()
    anywhere = np.linalg.norm(places[:, np.newaxis] - places, axis=2).mean()
    assert apart < 0.5 * anywhere


def test_cut_faces_are_counted_with_their_cells():
    places = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    blocks = EqualBlocks(places, np.zeros(4, int), (2, 2), (16, 8), (False, False))
    assert cut_faces(blocks, np.array([0, 1, 0, 1])) == (2, 16)
    assert cut_faces(blocks, np.array([0, 0, 1, 1])) == (2, 32)
    assert cut_faces(blocks, np.zeros(4, int)) == (0, 0)


def test_the_heaviest_block_bounds_the_imbalance():
    found = balance_of([6.0, 1.0, 1.0, 9.0], [0, 1, 1, -1], 2)
    assert (found.imbalance, found.heaviest) == (1.5, 1.5)
    assert balance_of([1, 1, 1, 1], [0, 0, 0, 1], 2).heaviest == 0.5


def refused(weights, ranks=1, *options, **more) -> str:
    with pytest.raises(PlanError) as caught:
        share(scattered((2, 2), seed=0), weights, ranks, *options, **more)
    return str(caught.value)


def test_wrong_weights_are_refused():
    count = len(scattered((2, 2), seed=0))
    assert refused(np.ones(3)) == (
        f"The weights of blocks have the shape (3,); expected ({count},), one for each block."
    )
    assert refused(np.full(count, np.nan)) == (
        "The weights of blocks lie between nan and nan; expected finite numbers, none negative and "
        "not all zero."
    )
    assert refused(["heavy"] * count) == (
        "The weights of blocks are of the type <U5; expected numbers."
    )


def test_an_unknown_rule_is_refused():
    assert refused(np.ones(1), 1, "curves") == (
        "There is no rule 'curves' to share blocks by. Did you mean 'curve'?"
    )


def test_more_ranks_than_blocks_are_refused():
    blocks = scattered((2, 2), seed=0)
    ones, most = np.ones(len(blocks)), int(np.bincount(blocks.levels).max())
    assert refused(ones, 99) == (
        f"99 ranks were to share {len(blocks)} blocks; expected at least one block a rank. Use "
        "fewer ranks or smaller blocks."
    )
    assert refused(ones, most + 1, is_level_by_level=True) == (
        f"{most + 1} ranks were to share {most} blocks of a level; expected at least one block a "
        "rank. Use fewer ranks or smaller blocks."
    )


@pytest.mark.parametrize("roots", [3, 5, 7])
def test_two_ranks_have_halves_of_each_level_where_roots_have_none(roots):
    places = np.indices((2 * roots,) * 3).reshape(3, -1).T
    blocks = EqualBlocks(
        places, np.ones(len(places), np.int64), (roots,) * 3, (8,) * 3, (False,) * 3
    )
    owners = share(blocks, np.ones(len(blocks)), 2, is_level_by_level=True)
    assert (owners == owners[0]).reshape((2 * roots,) * 3)[..., :roots].all()
    assert cut_faces(blocks, owners)[0] == (2 * roots) ** 2
