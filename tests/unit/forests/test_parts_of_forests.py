"""Boxes, and fields without an axis as parts and values of sides, on all levels of a forest."""

from __future__ import annotations

import numpy as np
import pytest

import halocline as hc


@hc.kernel
def mark(T, seen):
    seen[0, 0] = T[0, 0] + 1.0


@hc.kernel
def look(T, seen):
    seen[0, 0] = T[-1, 0]


def refined():
    forest = hc.Forest((16, 16), block=8, finest=1, refine=lambda x, y: np.where(y > 8, 1, 0))
    T, seen = forest.field("T"), forest.field("seen")
    T.boundary(forest.sides, hc.Dirichlet(0.0))
    return forest, T, seen


def run(forest, *steps):
    hc.Simulation(forest, steps, threads=1, target="numpy").run(1, progress=False)


def test_a_box_has_the_same_place_on_all_levels():
    forest, T, seen = refined()
    run(forest, mark(T, seen, on=hc.Box((0, 4), (6, 12))))
    for level, wide in enumerate((1.0, 0.5)):
        field = seen.level(level)
        at = [(np.arange(n) + 0.5) * wide for n in field.grid.extent]
        x, y = np.meshgrid(*at, indexing="ij")
        is_inside = (x < 6) & (y > 4) & (y < 12)
        is_leaf = (y > 8) == bool(level)
        assert np.array_equal(field.gather()[is_leaf], np.where(is_inside, 1.0, 0.0)[is_leaf])


def where_box(forest):
    del forest
    return hc.Box((0, 6), (1, 12))


def where_field(forest):
    part = forest.field("part", axes="y", dtype="bool")
    part.boundary(["y-", "y+"], hc.Neumann(0.0))
    part.set(lambda y: (y > 6) & (y < 12))
    return part


@pytest.mark.parametrize("where", [where_box, where_field, lambda _: lambda y: (y > 6) & (y < 12)])
def test_a_part_of_a_side_is_the_same_place_on_all_levels(where):
    forest, T, seen = refined()
    T.boundary("x-", hc.Dirichlet(1.0), where=where(forest))
    run(forest, look(T, seen))
    assert np.array_equal(seen.level(0).gather()[0, :8], [0.0] * 6 + [2.0] * 2)
    assert np.array_equal(seen.level(1).gather()[0, 16:], [2.0] * 8 + [0.0] * 8)


def test_a_side_gets_a_field_of_the_forest():
    forest, T, seen = refined()
    given = forest.field("given", axes="y")
    given.boundary(["y-", "y+"], hc.Neumann(0.0))
    given.set(lambda y: y)
    T.boundary("x-", hc.Dirichlet(given))
    run(forest, look(T, seen))
    assert np.array_equal(seen.level(0).gather()[0, :8], 2.0 * np.arange(0.5, 8))
    assert np.array_equal(seen.level(1).gather()[0, 16:], np.arange(16.5, 32))


@pytest.mark.parametrize(
    ("condition", "options"),
    [
        (hc.Dirichlet(0.0), {"where": np.ones(16, bool)}),
        (hc.Dirichlet(np.ones(16)), {}),
        (hc.Dirichlet(hc.Series(np.arange(3.0), np.ones((3, 16)))), {}),
    ],
    ids=["where", "values", "series"],
)
def test_arrays_of_one_level_are_refused_on_sides_of_a_forest(condition, options):
    forest = hc.Forest((16, 16), block=8, finest=1, refine=lambda x, y: (x < 8) & (y < 8))
    T = forest.field("T")
    expected = (
        r"boundary of 'T' of a forest on side 'x-' was given an array of shape \(16,\), which"
    )
    with pytest.raises(hc.HaloclineError, match=expected):
        T.boundary("x-", condition, **options)
