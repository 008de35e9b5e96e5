"""Leaves that go around the domain along x close their rows themselves, as uniform grids do."""

from __future__ import annotations

import numpy as np
import pytest

import halocline as hc


@hc.kernel
def spread(T, T_new):
    T_new[0, 0] = 0.2 * (T[0, 0] + T[-1, 0] + T[1, 0] + T[0, -1] + T[0, 1]) + 0.01 * T[1, -1]


def band(refine, moved=0, **options):
    """Return a simulation on a forest of 32 by 32 coarse cells, and its field."""
    forest = hc.Forest((32, 32), block=8, finest=1, refine=refine, periodic=True)
    T, T_new = forest.field("T"), forest.field("T_new")
    steps = [spread(T, T_new), hc.swap(T, T_new)]
    strategy = hc.Strategy(poison=True)
    simulation = hc.Simulation(forest, steps, threads=1, strategy=strategy, **options)
    T.set(lambda x, y: np.sin(((2 * (x - moved)) // 1) % 64 + 64 * ((2 * y) // 1)))
    return simulation, T


def along_y(x, y):
    return abs(y - 16) < 4


def beyond_ends(simulation):
    """Return the copies to leaves from beyond the ends of their rows."""
    plan = simulation.plan
    return [
        part
        for exchange in plan.exchanges
        for part in exchange.copies
        if plan.decomposition.levels.role_of(part.target).kind == "leaf" and part.direction[0]
    ]


def test_nothing_is_copied_across_x_for_leaves_that_go_around():
    assert beyond_ends(band(along_y)[0]) == []
    assert beyond_ends(band(lambda x, y: abs(x - 16) < 4)[0]) != []


@pytest.mark.parametrize(
    "options", [{}, {"target": "numpy"}, {"device": "emulated:1"}], ids=["c++", "numpy", "device"]
)
def test_a_field_moved_around_the_rows_gives_the_same_bits_moved(options):
    def after(moved):
        simulation, T = band(along_y, moved, **options)
        simulation.run(6, progress=False)
        return [T.level(level).gather() for level in (0, 1)]

    for level, (here, there) in enumerate(zip(after(0), after(5), strict=True)):
        np.testing.assert_array_equal(np.roll(here, 5 * 2**level, axis=0), there)
