"""Leaves of forests: what is wanted, and neighbours at most one level apart."""

from __future__ import annotations

import numpy as np
import pytest
from plain_forests import PlainForest

import halocline as hc
from halocline.language.grids import forest


def random_wanted(seed, extent):
    """Return a criterion with some balls and their levels."""
    numbers = np.random.default_rng(seed)
    balls = [
        (numbers.uniform(0, extent), numbers.uniform(0.5, 4), int(numbers.integers(1, 4)))
        for _ in range(3)
    ]

    def wanted(*at):
        found = 0
        for middle, radius, level in balls:
            distance = sum((a - m) ** 2 for a, m in zip(at, middle, strict=True))
            found = np.maximum(found, np.where(distance < radius**2, level, 0))
        return found

    return wanted


@pytest.mark.parametrize("dimensions", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_leaves_are_where_they_are_wanted_and_balanced(seed, dimensions):
    extent, periodic = (16, 24, 16)[:dimensions], (True, False, True)[:dimensions]
    wanted = random_wanted(seed, extent)
    made = hc.Forest(extent, block=4, finest=3, refine=wanted, periodic=periodic)
    plain = PlainForest(extent, 4, 3, wanted, periodic)
    assert made.levels == plain.finest + 1
    for level in range(made.levels):
        found = np.zeros(plain.is_leaf[level].shape, int)
        for box in made.leaves.boxes(level):
            found[box.slices((0,) * dimensions)] += 1
        assert (found == plain.is_leaf[level]).all()


def test_corners_are_balanced_too():
    # A single fine corner: its diagonal neighbour must not be two levels coarser.
    made = hc.Forest(
        (16, 16), block=4, finest=2, refine=lambda x, y: np.where((x < 4) & (y < 4), 2, 0)
    )
    assert made.leaves.is_refined(0, (1, 1))
    assert not made.leaves.is_refined(0, (2, 2))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"block": 6}, "A forest of 16x16 cells was given blocks of 6x6; expected even numbers"),
        ({"block": 5}, "expected even numbers of cells, at least 4, that divide"),
        ({"block": (4, 4, 4)}, "was given blocks of 4x4x4; expected even numbers"),
        ({"finest": 1}, "Level 2 was requested near"),
        ({"refine": 2}, "was given refine=2; expected a function of the coordinates x, y"),
        ({"refine": lambda x, y: x * np.nan + y}, "are no finite numbers; expected a level"),
        ({"spacing": (np.ones(16), 1.0)}, "cells of different widths; expected one width"),
        ({"substeps": 3}, "'substeps' was given 3"),
        (
            {"refine": lambda x, y: 2 + 0 * x * y},
            "wants level 2 everywhere, so all 64x64 cells would be of the finest level, 2",
        ),
    ],
)
def test_what_makes_no_forest_is_refused(options, message):
    given = {"block": 4, "finest": 2, "refine": lambda x, y: np.where(x < 4, 2, 0) + 0 * y}
    with pytest.raises(hc.HaloclineError, match=message):
        hc.Forest((16, 16), **(given | options))


def test_more_cells_than_there_is_memory_for_are_refused_at_once(monkeypatch):
    monkeypatch.setattr(forest, "free_memory", lambda: 1e6)
    message = (
        "has 1024 blocks of level 3, the first near .*: one number in each of their 65536 cells "
        "takes 1.0 MB on a rank, where 1.0 MB are free"
    )
    with pytest.raises(hc.errors.OutOfMemoryError, match=message):
        hc.Forest((32, 32), block=8, finest=20, refine=lambda x, y: np.where(x + y < 1.2, 0, 20))
