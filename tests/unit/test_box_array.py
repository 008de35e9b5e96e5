"""What NumPy computes for many boxes is what 'Box' says of each."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from halocline.box_array import BoxArray, around_each, beside, joined, union
from halocline.geometry import UNBOUNDED, Box, bounding_box
from halocline.plan.cells.access import Access, AccessArray
from halocline.plan.cells.reach import moved

_COUNT = 400


def _drawn(random: Random, axes: int = 2) -> list[Box]:
    """Return boxes near the origin: some without cells, some without bounds."""

    def end(way: int) -> int:
        return random.choice((random.randint(-4, 6), random.randint(-2, 3), way * UNBOUNDED))

    ends = [([end(-1) for _ in range(axes)], [end(1) for _ in range(axes)]) for _ in range(_COUNT)]
    return [Box(tuple(lower), tuple(upper)) for lower, upper in ends]


def _of(boxes: list[Box]) -> BoxArray:
    found = BoxArray.of(boxes)
    return found.where(found.has_cells)


def _filled(boxes):
    return [None if box is None or box.is_empty else box for box in boxes]


@pytest.fixture
def pairs():
    random = Random(5)
    return _drawn(random), _drawn(random)


def test_each_is_intersected_with_its_counterpart(pairs):
    a, b = pairs
    expected = [x.intersect(y) for x, y in zip(*pairs)]
    assert _of(a).intersect(_of(b)).boxes() == _filled(expected)


def test_boxes_around_counterparts_do_not_see_those_without_cells(pairs):
    a, b = pairs
    expected = [bounding_box(pair) for pair in zip(*pairs)]
    assert union([_of(a), _of(b)]).boxes() == expected


def test_cells_outside_of_counterparts_lie_in_the_box_around_them(pairs):
    a, b = pairs
    expected = [bounding_box(x.subtract(y)) for x, y in zip(*pairs)]
    assert _of(a).beyond(_of(b)).boxes() == expected


def test_cells_outside_of_counterparts_are_the_pieces_of_each(pairs):
    a, b = pairs
    pieces = _of(a).subtract(_of(b))
    found = [pieces.take(slice(n, n + 1)) for n in range(_COUNT)]
    boxes = [[box for box in BoxArray(*(e[..., 0] for e in one)).boxes() if box] for one in found]
    assert boxes == [list(x.subtract(y)) for x, y in zip(*pairs)]


def test_boxes_around_several_do_not_see_those_without_cells(pairs):
    several = BoxArray(*(np.stack(ends, axis=1) for ends in zip(*map(BoxArray.of, pairs))))
    assert several.around().boxes() == [bounding_box(pair) for pair in zip(*pairs)]


def test_what_has_no_bound_keeps_none_when_it_is_moved(pairs):
    offset = (2, -3)
    assert _of(pairs[0]).moved(offset).boxes() == _filled(moved(x, offset) for x in pairs[0])


@pytest.mark.parametrize("ratio", [(), (2, 1), (2, 0), (0, 3)], ids=str)
@pytest.mark.parametrize("offset", [(0, 0), (1, -2)], ids=str)
@pytest.mark.parametrize("way", ["cells", "users"])
def test_accesses_lead_from_many_boxes_where_they_lead_from_each(pairs, way, offset, ratio):
    lead = getattr(Access("f", 0, offset, ratio, None), way)
    expected = [None if x.is_empty else lead(x) for x in pairs[0]]
    assert lead(_of(pairs[0])).boxes() == _filled(expected)


@pytest.mark.parametrize("way", ["cells", "users"])
def test_many_accesses_lead_where_each_leads(pairs, way):
    ways = [((1, -2), ()), ((0, 3), (2, 1)), ((1, 1), (2, 0))]
    accesses = [Access("f", 0, *ways[n % 3], None) for n in range(_COUNT)]
    found = getattr(AccessArray.of(accesses), way)(_of(pairs[0])).boxes()
    expected = [
        None if box.is_empty else getattr(access, way)(box)
        for access, box in zip(accesses, pairs[0])
    ]
    assert _filled(found) == _filled(expected)


def test_boxes_around_those_of_each_thing(pairs):
    of = np.array([Random(n).randrange(7) for n in range(_COUNT)])
    expected = [bounding_box(box for box, n in zip(pairs[0], of) if n == m) for m in range(8)]
    assert around_each(of, _of(pairs[0]), 8).boxes() == expected


def test_several_boxes_each_lie_beside_those_of_others(pairs):
    few, many = (
        BoxArray(*(end.reshape(2, -1, count) for end in _of(boxes)))
        for boxes, count in zip(pairs, (200, 100))
    )
    found = beside([few, many])
    assert found.lower.shape == (2, 4, 300)
    assert found.around() == joined([few.around(), many.around()])
    assert not found.has_cells[2:, :200].any()
