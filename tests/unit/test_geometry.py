"""Boxes by example."""

import pytest

from halocline.geometry import (
    Box,
    add_joined,
    bounding_box,
    codimension,
    direction_name,
    directions,
    disjoint,
    even_cuts,
)


def test_extent_of_a_box_is_never_negative():
    assert Box((0, 5), (3, 2)).extent == (3, 0)
    assert Box((0, 5), (3, 2)).is_empty


def test_boxes_that_touch_share_no_cell():
    assert Box((0,), (4,)).intersect(Box((4,), (8,))).is_empty


def test_every_box_contains_the_empty_box():
    assert Box((0,), (1,)).contains(Box((7,), (7,)))


def test_subtract_keeps_whole_rows_by_cutting_the_slowest_axis_first():
    pieces = Box((0, 0), (4, 4)).subtract(Box((1, 1), (3, 3)))
    assert pieces == (
        Box((0, 0), (4, 1)),
        Box((0, 3), (4, 4)),
        Box((0, 1), (1, 3)),
        Box((3, 1), (4, 3)),
    )


def test_boxes_side_by_side_become_one_in_any_order():
    layers = [Box((0, n), (4, n + 1)) for n in (3, 0, 2, 1)]
    joined: list[Box] = []
    for layer in layers:
        add_joined(joined, layer)
    assert joined == [Box((0, 0), (4, 4))]


def test_subtract_of_all_leaves_nothing():
    assert Box((0, 0), (1, 1)).subtract(Box((-1, -1), (2, 2))) == ()


def test_split_cuts_the_slowest_axis_that_is_long_enough():
    assert [box.extent for box in Box((0, 0), (9, 2)).split(3)] == [(3, 2)] * 3
    assert [box.extent for box in Box((0, 0), (9, 5)).split(3)] == [(9, 1), (9, 2), (9, 2)]


def test_split_of_a_small_box_into_many_parts_gives_the_box():
    assert Box((0,), (2,)).split(5) == (Box((0,), (2,)),)


def test_disjoint_keeps_the_larger_box_whole():
    assert disjoint([Box((2,), (5,)), Box((0,), (4,))]) == (Box((0,), (4,)), Box((4,), (5,)))


def test_bounding_box_of_nothing_is_none():
    assert bounding_box([Box((1,), (1,))]) is None


@pytest.mark.parametrize(("dimensions", "count"), [(1, 2), (2, 8), (3, 26)])
def test_directions_come_sides_first_then_edges_then_corners(dimensions, count):
    found = list(directions(dimensions))
    assert len(set(found)) == count
    assert [codimension(d) for d in found] == sorted(codimension(d) for d in found)


def test_direction_name_names_each_axis_it_leaves():
    assert direction_name((-1, 0, 1)) == "x-z+"


def test_even_cuts_differ_by_one_cell_at_most():
    assert even_cuts(10, 4) == (0, 2, 5, 7, 10)


def test_box_prints_as_half_open_intervals():
    assert str(Box((0, -1), (4, 8))) == "[0,4) x [-1,8)"
