"""Recursive coordinate bisection: equal loads for any number of ranks."""

from __future__ import annotations

import numpy as np
import pytest

import halocline as hc
from halocline.errors import PlanError
from halocline.plan.pipeline import plan_for

EXTENT = (96, 80)


def sea(fine=1) -> np.ndarray:
    """Return the cells of a bay and an island in it, so many for one along each axis."""
    x, y = np.meshgrid(*(np.arange(n * fine) / fine for n in EXTENT), indexing="ij")
    return ((x - 30) ** 2 + y**2 < 60**2) & ((x - 20) ** 2 + (y - 20) ** 2 > 8**2)


def split(weights, ranks, blocks=1, **options):
    bisection = hc.Bisection(weights, options.pop("narrowest", 1))
    extent = options.pop("extent", EXTENT)
    return bisection.decompose(extent, (False,) * len(extent), ranks, blocks, **options)


@pytest.mark.parametrize("ranks", [1, 2, 3, 7, 13, 31])
def test_ranks_have_equal_loads(ranks):
    cells = sea(fine=4)
    found = split(cells, ranks, extent=cells.shape)
    boxes = [block.box for rank in range(ranks) for block in found.blocks_of(rank)]
    loads = [cells[box.slices((0, 0))].sum() for box in boxes]
    assert sum(loads) == cells.sum()
    assert max(loads) < 1.04 * cells.sum() / ranks


@pytest.mark.parametrize("blocks", [1, 3])
def test_the_imbalance_is_that_of_the_weights_of_ranks(blocks):
    cells = sea()
    found = split(cells, 7, blocks)
    loads = [
        sum(cells[block.box.slices((0, 0))].sum() for block in found.blocks_of(rank))
        for rank in range(7)
    ]
    assert found.balance.imbalance == pytest.approx(max(loads) / np.mean(loads), rel=1e-14)
    columns = split(cells[:, :, None], 7, blocks, extent=(*EXTENT, 10))
    assert columns.balance.imbalance == pytest.approx(found.balance.imbalance, rel=1e-14)


def test_without_weights_all_cells_count_alike():
    found = hc.Decomposition(((0, 3, 10),), (False,), 2)
    assert found.balance.imbalance == pytest.approx(7 / 5, rel=1e-14)
    sparse = hc.Sparse(sea(), (16, 16)).decompose(EXTENT, (False, False), 3)
    loads = [sum(sea()[b.box.slices((0, 0))].sum() for b in sparse.blocks_of(r)) for r in range(3)]
    assert sparse.balance.imbalance == pytest.approx(max(loads) / np.mean(loads), rel=1e-14)


def test_equal_weights_make_equal_blocks():
    found = split(np.ones(EXTENT), 8)
    assert {found.block(n).box.extent for n in range(8)} == {(48, 20)}


def test_several_blocks_of_a_rank_lie_beside_each_other():
    found = split(sea(), 5, blocks=2)
    assert found.blocks == 10
    for rank in range(5):
        first, second = found.blocks_of(rank)
        assert first.box.joined(second.box), rank


def test_a_weight_for_each_column_leaves_columns_whole():
    weights = sea()[:, :, None]
    found = split(weights, 6, extent=(*EXTENT, 10))
    assert all(found.block(n).box.extent[2] == 10 for n in range(found.blocks))


def test_a_swept_axis_is_cut_only_where_the_others_do_not_suffice():
    assert split(np.ones((4, 40)), 4, extent=(4, 40), swept=frozenset({1})).shape == (4, 1)
    assert split(np.ones((4, 40)), 5, extent=(4, 40), swept=frozenset({1})).shape[1] > 1


def test_blocks_hold_whole_cells_of_coarser_grids_and_are_as_wide_as_asked_for():
    found = split(sea(), 7, grain=(4, 2), narrowest=5)
    assert all(cut % g == 0 for cuts, g in zip(found.cuts, (4, 2), strict=True) for cut in cuts)
    assert (found.base.narrowest(0), found.base.narrowest(1)) >= (8, 6)


def test_there_is_a_cut_for_as_many_blocks_as_there_is_room_for():
    for extent in ((3, 3), (2, 5), (3, 3, 3)):
        for ranks in range(1, int(np.prod(extent)) + 1):
            weights = np.zeros(extent)
            weights.flat[0] = 1.0
            assert split(weights, ranks, extent=extent).blocks == ranks


def refused(*args, **options) -> str:
    with pytest.raises(PlanError) as caught:
        split(*args, **options)
    return str(caught.value)


def test_weights_of_another_shape_are_refused():
    assert refused(np.ones((96, 8)), 2) == (
        "The weights of a bisection have the shape (96, 8); expected (96, 80), or 1 along axes on "
        "which nothing is to be cut."
    )


@pytest.mark.parametrize(
    ("weights", "between"),
    [([-1.0, 2.0], "-1.0 and 2.0"), ([0.0, 0.0], "0.0 and 0.0"), ([0.0, np.inf], "0.0 and inf")],
)
def test_weights_that_are_negative_or_all_zero_or_not_finite_are_refused(weights, between):
    assert refused(np.array(weights), 1, extent=(2,)) == (
        f"The weights of a bisection lie between {between}; expected finite numbers, none negative "
        "and not all zero."
    )


def test_more_blocks_than_there_is_room_for_are_refused():
    assert refused(sea(), 7, narrowest=40) == (
        "7 ranks with 1 block(s) each were asked to share 96x80 cells; there is room for 4 blocks "
        "of at least 40x40. Use fewer ranks, or let blocks be narrower."
    )


def test_blocks_of_no_cells_are_refused():
    expected = "'narrowest' was given 0; expected a whole number of at least 1."
    assert refused(sea(), 2, narrowest=0).endswith(expected)


def test_a_simulation_takes_a_bisection():
    grid = hc.Grid(EXTENT)
    plan = plan_for(grid, [], ranks=3, rank=1, decomposition=hc.Bisection(sea()), blocks=2)
    assert len(plan.blocks) == 2
