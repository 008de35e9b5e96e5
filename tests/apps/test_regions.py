"""Regions: each thing is done once in each cell where it is possible, most of them in one go."""

from __future__ import annotations

import numpy as np

from halocline.apps.lbm.refinement.regions import with_common
from halocline.geometry import Box


def test_each_is_done_once_where_it_is_possible_and_all_together_in_the_common_cells():
    groups = {
        Box((0, 0), (9, 7)): "a",
        Box((1, 0), (9, 7)): "bc",
        Box((0, 2), (8, 7)): "d",
        Box((4, 4), (4, 9)): "e",
    }
    done = {one: np.zeros((9, 9), int) for found in groups.values() for one in found}
    first, *others = with_common(groups)
    for box, found in (first, *others):
        for one in found:
            done[one][box.slices((0, 0))] += 1
    for box, found in groups.items():
        for one in found:
            expected = np.zeros((9, 9), int)
            expected[() if box.is_empty else box.slices((0, 0))] = 0 if box.is_empty else 1
            assert (done[one] == expected).all()
    assert first == (Box((1, 2), (8, 7)), ["a", "b", "c", "d"])
    assert not any(box.meets(first[0]) for box, _ in others)


def test_without_common_cells_each_is_done_by_itself():
    groups = {Box((0,), (2,)): "a", Box((5,), (7,)): "b"}
    assert list(with_common(groups)) == [(box, list(found)) for box, found in groups.items()]
