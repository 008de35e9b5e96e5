"""Laws of boxes, checked cell by cell; sides of one cell and empty boxes included."""

from __future__ import annotations

import pickle
from collections import Counter
from itertools import pairwise, product

from hypothesis import given
from hypothesis import strategies as st

from halocline.geometry import Box, add_joined, bounding_box, disjoint, even_cuts


@st.composite
def boxes(draw, dimensions=2, largest=4):
    lower = tuple(draw(st.integers(-3, 3)) for _ in range(dimensions))
    extent = tuple(draw(st.integers(0, largest)) for _ in range(dimensions))
    return Box(lower, tuple(l + e for l, e in zip(lower, extent, strict=True)))


def cells(*some: Box) -> Counter:
    """Count how often each cell lies in one of the boxes."""
    return Counter(
        cell
        for box in some
        if not box.is_empty
        for cell in product(*map(range, box.lower, box.upper))
    )


@given(boxes(3), boxes(3))
def test_subtract_and_intersect_tile_the_box(a, b):
    assert cells(*a.subtract(b), a.intersect(b)) == cells(a)


@given(boxes(), boxes())
def test_intersect_holds_the_cells_of_both(a, b):
    assert set(cells(a.intersect(b))) == set(cells(a)) & set(cells(b))


@given(boxes(), boxes())
def test_contains_is_a_relation_of_sets(a, b):
    assert a.contains(b) == (set(cells(b)) <= set(cells(a)))


@given(boxes(), boxes())
def test_boxes_meet_where_they_share_a_cell(a, b):
    assert a.meets(b) == bool(set(cells(a)) & set(cells(b)))


@given(boxes(), boxes())
def test_boxes_are_joined_to_the_cells_of_both_or_not_at_all(a, b):
    whole = a.joined(b)
    if whole is not None:
        assert set(cells(whole)) == set(cells(a)) | set(cells(b))


@given(st.lists(boxes(), max_size=6))
def test_joining_boxes_keeps_their_cells(some):
    joined: list[Box] = []
    for box in some:
        add_joined(joined, box)
    assert set(cells(*joined)) == set(cells(*some))


@given(boxes(3), st.integers(1, 6))
def test_split_tiles_the_box_into_nearly_equal_parts(box, parts):
    pieces = box.split(parts)
    assert len(pieces) <= parts
    assert cells(*pieces) == cells(box)
    assert len({piece.extent for piece in pieces}) <= 2


@given(st.lists(boxes(), max_size=5))
def test_disjoint_holds_each_cell_once(some):
    assert cells(*disjoint(some)) == Counter(set(cells(*some)))


@given(st.lists(boxes(), max_size=5))
def test_the_bounding_box_is_the_least_that_contains_all(some):
    found, filled = bounding_box(some), set(cells(*some))
    if not filled:
        assert found is None
        return
    axes = [sorted(axis) for axis in zip(*filled, strict=True)]
    assert found == Box(tuple(a[0] for a in axes), tuple(a[-1] + 1 for a in axes))


@given(boxes(), st.tuples(st.integers(-3, 3), st.integers(-3, 3)))
def test_shift_moves_every_cell(box, offset):
    moved = {tuple(c + o for c, o in zip(cell, offset, strict=True)) for cell in cells(box)}
    assert set(cells(box.shift(offset))) == moved


@given(boxes(), st.integers(0, 2), st.integers(0, 2))
def test_grow_can_be_undone(box, low, high):
    grown = box.grow((low, low), (high, high))
    assert grown.grow((-low, -low), (-high, -high)) == box


@given(st.integers(1, 100), st.integers(1, 20))
def test_even_cuts_differ_by_one_cell_at_most(extent, parts):
    cuts = even_cuts(extent, parts)
    sizes = [b - a for a, b in pairwise(cuts)]
    assert (cuts[0], cuts[-1], len(sizes)) == (0, extent, parts)
    assert max(sizes) - min(sizes) <= 1


@given(boxes(3))
def test_boxes_survive_pickling(box):
    assert pickle.loads(pickle.dumps(box)) == box
