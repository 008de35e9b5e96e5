"""Blocks and their owners."""

import time

import pytest

import halocline as hc
from halocline.box_array import BoxArray
from halocline.errors import PlanError
from halocline.geometry import UNBOUNDED, Box
from halocline.language.spaces.role import Role
from halocline.plan.blocks.levels import Levels
from halocline.plan.blocks.shapes import decompose


def shape(extent, ranks, wanted=None, blocks=1):
    return decompose(extent, (False,) * len(extent), ranks, wanted, blocks).shape


@pytest.mark.parametrize(
    ("name", "expected"), [("rows", (1, 1, 8)), ("tiles", (1, 2, 4)), ("pencils", (1, 2, 4))]
)
def test_named_decompositions_cut_the_axes_they_may(name, expected):
    assert shape((64, 64, 65), 8, name) == expected


def test_tiles_cut_x_only_where_that_is_cheaper():
    assert shape((64, 64), 4, "tiles") == (1, 4)
    assert shape((64, 64), 64, "tiles") == (4, 16)


def test_by_default_the_unit_stride_axis_is_cut_last():
    assert shape((64, 64, 64), 16) == (1, 4, 4)
    assert shape((640, 8, 8), 4) == (4, 1, 1)


def test_sizes_that_do_not_divide_differ_by_one():
    split = decompose((10,), (False,), 4)
    assert [split.block(n).box.extent for n in range(4)] == [(2,), (3,), (2,), (3,)]


def test_several_blocks_of_a_rank_follow_one_another():
    split = decompose((12,), (True,), 2, None, 3)
    assert [[b.number for b in split.blocks_of(r)] for r in (0, 1)] == [[0, 1, 2], [3, 4, 5]]
    assert [split.block(n).rank for n in range(6)] == [0, 0, 0, 1, 1, 1]


def test_blocks_that_do_not_divide_among_ranks_are_spread():
    split = hc.Decomposition(((0, 1, 2, 3, 4, 5),), (True,), 3)
    assert [len(split.blocks_of(r)) for r in range(3)] == [2, 2, 1]
    assert [split.block(n).rank for n in range(5)] == [0, 0, 1, 1, 2]


def test_numbers_count_x_fastest():
    split = decompose((4, 4), (False, False), 4, (2, 2))
    assert [split.block(n).box.lower for n in range(4)] == [(0, 0), (2, 0), (0, 2), (2, 2)]
    assert [split.base.number_at((x, y)) for y in (1, 2) for x in (1, 2)] == [0, 1, 2, 3]


def test_blocks_at_the_edge_own_the_boundary_layers():
    split = decompose((4, 4), (False, True), 2, (2, 1))
    assert split.block(0).owned == Box((-UNBOUNDED, 0), (2, 4))
    assert split.block(1).owned == Box((2, 0), (UNBOUNDED, 4))


def test_the_neighbour_across_a_periodic_side_is_a_whole_extent_away():
    split = decompose((6,), (True,), 2)
    ((left, shift),) = split.base.beside(split.block(0), (-1,))
    assert (left.number, shift) == (1, (-6,))


def test_there_is_no_neighbour_beyond_the_domain():
    split = decompose((6,), (False,), 2)
    assert list(split.base.beside(split.block(0), (-1,))) == []


def test_a_block_alone_on_a_periodic_axis_is_its_own_neighbour_on_both_sides():
    split = decompose((6,), (True,), 1)
    block = split.block(0)
    assert list(split.base.beside(block, (-1,))) == [(block, (-6,))]
    assert list(split.base.beside(block, (1,))) == [(block, (6,))]


def test_rank_77777_of_100000_is_found_in_less_than_a_second():
    started = time.process_time()
    split = decompose((5120, 5120, 5120), (True,) * 3, 100_000)
    (block,) = split.blocks_of(77_777)
    assert time.process_time() - started < 1.0
    assert block.rank == 77_777
    assert split.base.number_at(block.box.lower) == block.number


def test_each_block_between_cuts_has_one_owner_too():
    with pytest.raises(PlanError, match="1 owners were given for 2 blocks; expected one each"):
        hc.Decomposition(((0, 2, 4),), (False,), 1, (0,))
    with pytest.raises(PlanError, match="Block 1 was given to rank 2; there are ranks 0 to 1"):
        hc.Decomposition(((0, 2, 4),), (False,), 2, (0, 2))
    with pytest.raises(PlanError, match="Rank 1 was given no block"):
        hc.Decomposition(((0, 2, 4),), (False,), 2, (0, 0))


@pytest.mark.parametrize("counts", [(), (2,), (1, 1)])
def test_each_block_of_a_forest_has_a_role(counts):
    boxes = BoxArray.of([Box((0,), (4,))])
    with pytest.raises(PlanError, match="expected a role for each count, and a count of all"):
        Levels((Role("leaf", 0),), counts, boxes)
