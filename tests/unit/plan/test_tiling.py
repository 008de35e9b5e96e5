"""Boxes that tile a domain, and which of them meet others."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest

from halocline.box_array import BoxArray
from halocline.geometry import Box
from halocline.plan.blocks.tiling import BlockList, Cuts, Replicas


def boxes(random: Random, count: int, widest: int, axes: int = 2) -> list[Box]:
    """Return boxes in a domain of 40 cells along each axis, some without cells."""
    found = []
    for _ in range(count):
        lower = tuple(random.randint(-3, 40) for _ in range(axes))
        found.append(Box(lower, tuple(n + random.randint(0, widest) for n in lower)))
    return found


def meeting(listed: list[Box], asking: list[Box], numbers=None) -> list[tuple[int, int]]:
    known = range(len(listed)) if numbers is None else numbers
    return [(n, m) for n, m in product(range(len(asking)), known) if listed[m].meets(asking[n])]


@pytest.mark.parametrize("widest", [1, 5, 60], ids=str)
@pytest.mark.parametrize("asked", [1, 7, 80], ids=str)
def test_a_list_finds_the_pairs_of_boxes_that_have_cells_in_common_in_order(widest, asked):
    random = Random(widest + asked)
    listed = [*boxes(random, 60, widest), Box((0, 0), (40, 1)), Box((7, 0), (9, 40))]
    asking = boxes(random, 40, asked)
    found = BlockList(BoxArray.of(listed)).meeting(BoxArray.of(asking))
    assert list(zip(*(one.tolist() for one in found), strict=True)) == meeting(listed, asking)


def test_a_list_finds_only_those_that_are_looked_for():
    random = Random(1)
    listed, asking, numbers = boxes(random, 50, 6), boxes(random, 30, 6), range(0, 50, 3)
    found = BlockList(BoxArray.of(listed), np.array(numbers)).meeting(BoxArray.of(asking))
    expected = meeting(listed, asking, numbers)
    assert list(zip(*(one.tolist() for one in found), strict=True)) == expected


def test_an_empty_list_meets_nothing():
    found = BlockList(BoxArray.of((), 1)).meeting(BoxArray.of([Box((0,), (4,))]))
    assert list(map(len, found)) == [0, 0]


def test_boxes_between_cuts_are_found_as_in_a_list_of_them():
    cuts = Cuts(((0, 3, 10), (0, 1, 5, 9)))
    listed = cuts.boxes(np.arange(len(cuts))).every()
    assert listed == [cuts.box(n) for n in range(len(cuts))]
    random = Random(3)
    inside = [box.intersect(Box((0, 0), (10, 9))) for box in boxes(random, 200, 12)]
    asking = [box for box in inside if not box.is_empty]
    found = cuts.meeting(BoxArray.of(asking))
    assert list(zip(*(one.tolist() for one in found), strict=True)) == meeting(listed, asking)


def test_each_copy_of_a_box_meets_all_that_lies_in_it():
    copies = Replicas(Box((0,), (9,)), 2)
    found = copies.meeting(BoxArray.of([Box((1,), (2,)), Box((3,), (4,))]))
    assert list(zip(*(one.tolist() for one in found), strict=True)) == [
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
    ]
