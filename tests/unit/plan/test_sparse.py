"""Sparse domains: which blocks exist, who has them, and what is said to the others."""

from __future__ import annotations

import numpy as np
import pytest
from small_flows import fingerprint, run

import halocline as hc
from halocline.errors import PlanError
from halocline.lbm import Setup
from halocline.plan.cells.block import NOBODY
from halocline.plan.pipeline import plan_for

EXTENT = (48, 40)


def channel() -> np.ndarray:
    """Return the fluid cells of a winding channel, periodic along x."""
    x, y = np.meshgrid(*(np.arange(n) + 0.5 for n in EXTENT), indexing="ij")
    return abs(y - 20 - 8 * np.sin(2 * np.pi * x / 48)) < 5


def split(ranks: int, cells=None, block=(8, 8)) -> hc.Decomposition:
    fluid = channel() if cells is None else cells
    return hc.Sparse(fluid, block).decompose(EXTENT, (True, False), ranks)


def test_blocks_without_such_cells_in_or_beside_them_are_dropped():
    cells = np.zeros(EXTENT, bool)
    cells[8, 10] = True
    found = split(1, cells).pieces
    kept = [found.block(n).box.lower for n, rank in enumerate(found.owners) if rank != NOBODY]
    assert kept == [(0, 8), (8, 8)], "the cell lies in one and right beside the other"


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_every_rank_has_blocks_and_about_as_many_cells(ranks):
    fluid, found = channel(), split(ranks)
    shares = []
    for rank in range(ranks):
        boxes = [block.box for block in found.blocks_of(rank)]
        shares.append(
            sum(fluid[b.lower[0] : b.upper[0], b.lower[1] : b.upper[1]].sum() for b in boxes)
        )
    assert sum(shares) == fluid.sum()
    assert min(shares) > 0.5 * max(shares)


def test_numbers_weigh_and_drop_no_block_where_all_are_positive():
    weights = np.linspace(1.0, 9.0, 48 * 40).reshape(EXTENT)
    found = split(3, weights).pieces
    assert NOBODY not in found.owners
    assert sum(found.weights) == pytest.approx(weights.sum(), rel=1e-12)
    assert found.weights[1] == pytest.approx(weights[8:16, :8].sum(), rel=1e-12), "x is first"
    loads = np.bincount(found.owners, weights=found.weights)
    assert found.balance.imbalance == pytest.approx(loads.max() / loads.mean(), rel=1e-12)
    assert found.balance.imbalance < 1.2


@pytest.mark.parametrize("kind", [bool, "uint8", int, "float16", float])
def test_weights_of_any_type_share_blocks_alike(kind):
    expected = split(3, channel().astype(float))
    for rule in ("curve", "metis"):
        found = hc.Sparse(channel().astype(kind), (8, 8), rule).decompose(EXTENT, (True, False), 3)
        assert found.pieces.weights == expected.pieces.weights
        assert rule == "metis" or found.owners == expected.owners


def test_blocks_of_a_rank_are_computed_as_few_boxes():
    for found in (split(3), split(1, np.ones(EXTENT, bool))):
        cells = {}
        for pieces in (found, found.pieces):
            for number, rank in enumerate(pieces.owners):
                box = pieces.block(number).box
                cells.setdefault(pieces is found, np.full(EXTENT, 99))[box.slices((0, 0))] = rank
        assert np.array_equal(cells[True], cells[False]), "the same cells, each in one box"
        assert found.blocks < found.pieces.blocks / 2
    assert found.blocks == 1


def test_blocks_without_such_cells_go_with_the_heaviest_beside_them():
    cells = np.zeros(EXTENT, bool)
    cells[:8] = cells[8:16, :24] = True
    found = split(2, cells)
    light = found.block(found.base.number_at((44, 4))), found.block(found.base.number_at((20, 36)))
    heavy = found.block(found.base.number_at((4, 4))), found.block(found.base.number_at((4, 36)))
    assert heavy[0].rank != heavy[1].rank
    # Both lie beside heavy blocks of one rank alone.
    assert light[0].rank == heavy[0].rank
    assert light[1].rank == NOBODY


def test_nothing_is_sent_to_or_by_dropped_blocks():
    grid = hc.Grid(EXTENT, periodic=(True, False))
    u, v = grid.field("u"), grid.field("v")
    u.boundary("y-", hc.Neumann())
    u.boundary("y+", hc.Neumann())

    @hc.kernel
    def smooth(u, v):
        v[0, 0] = u[1, 0] + u[-1, 0] + u[0, 1] + u[0, -1]

    found = split(2)
    dropped = {n for n, rank in enumerate(found.owners) if rank == NOBODY}
    assert dropped
    for rank in (0, 1):
        plan = plan_for(grid, [smooth(u, v)], ranks=2, rank=rank, decomposition=found)
        parts = [p for e in plan.exchanges for m in (*e.sends, *e.receives) for p in m.parts]
        assert parts
        assert not dropped & {n for p in parts for n in (p.source, p.target)}


@pytest.mark.parametrize("streaming", ["two-grids", "in-place"])
def test_a_flow_in_a_sparse_domain_has_the_bits_of_the_whole(streaming):
    fluid = channel()
    setup = Setup(EXTENT, "D2Q9", 1.4, solid=~fluid, force=(1e-4, 0.0), streaming=streaming)
    flow, simulation = run(
        setup, 20, decomposition=hc.Sparse(fluid, (8, 8)), strategy=hc.Strategy(poison=True)
    )
    assert NOBODY in simulation.decomposition.owners
    assert fingerprint(flow) == fingerprint(run(setup, 20)[0])


def refused(build) -> str:
    with pytest.raises(PlanError) as caught:
        build()
    return str(caught.value)


def test_cells_of_another_shape_are_refused():
    assert refused(lambda: split(1, np.ones((4, 4), bool))) == (
        "The weights of a sparse decomposition have the shape (4, 4) and its blocks (8, 8) cells; "
        "expected the shape (48, 40) and 2 positive numbers."
    )


def test_fewer_blocks_than_ranks_are_refused():
    cells = np.zeros(EXTENT, bool)
    cells[4, 4] = True
    assert refused(lambda: split(2, cells)) == (
        "1 of 30 blocks have cells that matter; expected at least one for each of 2 ranks. Use "
        "smaller blocks or fewer ranks."
    )


def test_staged_exchanges_are_refused():
    grid = hc.Grid(EXTENT, periodic=(True, False))
    staged = hc.Strategy(neighbours="staged")
    assert refused(lambda: plan_for(grid, [], decomposition=split(1), strategy=staged)).startswith(
        "The strategy has neighbours='staged', but corners cannot ride along"
    )


def test_weights_below_zero_are_refused():
    weights = np.ones(EXTENT)
    weights[3, 4] = -2.0
    assert refused(lambda: split(1, weights)) == (
        "The weights of a sparse decomposition lie between -2.0 and 1.0; expected finite numbers, "
        "none negative and not all zero."
    )


def test_an_unknown_rule_is_refused():
    sparse = hc.Sparse(channel(), (8, 8), "hilbert")
    assert refused(lambda: sparse.decompose(EXTENT, (True, False), 2)) == (
        "There is no rule 'hilbert' to share blocks by. Known are: curve, metis."
    )
