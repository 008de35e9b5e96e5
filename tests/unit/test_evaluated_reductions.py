"""Reductions of expressions: evaluated in cells, and stored only where they must be."""

import math

import numpy as np
import pytest

import halocline as hc

EXTENTS = [(40,), (33, 70), (300, 40, 6)]


@pytest.mark.parametrize("extent", EXTENTS)
@pytest.mark.parametrize(
    "options", [{"threads": 1}, {"threads": 2}, {"blocks": 4}, {"device": "emulated"}]
)
def test_the_same_as_numpy(extent, options):
    grid = hc.Grid(extent)
    a, b = grid.field("a"), grid.field("b", dtype="float32")
    random = np.random.default_rng(5)
    x, y = random.random(extent) - 0.5, (random.random(extent) - 0.25).astype("float32")
    a.set(x)
    b.set(y)
    weight = hc.Parameter(0.75, "weight")
    total, least = hc.sum(weight * a * b), hc.min(a * a - b)
    simulation = hc.Simulation(grid, [total, least], strategy=hc.Strategy(), **options)
    for factor in (0.75, -2.0):
        weight.value = factor
        simulation.run(1, progress=False)
        assert total.value == math.fsum((factor * x * y).ravel())
        assert least.value == (x * x - y).min()
    assert f"reduce  sum '{total.name}', evaluated before" in str(simulation.plan)


def test_the_value_is_nan_before_it_is_first_computed():
    grid = hc.Grid((4,))
    total = hc.sum(grid.field("a"))
    simulation = hc.Simulation(grid, [hc.every(2, total)])
    assert math.isnan(total.value)
    simulation.run(2, progress=False)
    assert total.value == 0.0


def test_what_reads_neighbours():
    grid = hc.Grid((12, 9), periodic=True)
    a = grid.field("a")
    x = np.random.default_rng(6).random(grid.extent)
    a.set(x)
    jump = hc.sum(abs(a[1, 0] - a))
    simulation = hc.Simulation(grid, [jump], strategy=hc.Strategy())
    simulation.run(1, progress=False)
    assert jump.value == math.fsum(np.abs(np.roll(x, -1, 0) - x).ravel())


def test_what_is_evaluated_takes_no_memory_on_a_processor():
    grid = hc.Grid((40, 30))
    a = grid.field("a")
    names = {
        device: [
            layout.name
            for layout in hc.Simulation(grid, [hc.sum(a * a)], device=device).plan.layouts
        ]
        for device in ("cpu", "emulated")
    }
    assert names["cpu"] == ["a"]
    assert len(names["emulated"]) == 2


def test_fields_that_are_swapped_and_located_on_faces():
    grid = hc.Grid((8, 7))
    u, v = (grid.field(name, location="x_face") for name in "uv")
    for field in (u, v):
        field.boundary("x-", hc.Dirichlet(3.0))
        field.boundary("x+", hc.Dirichlet(5.0))
    x = np.random.default_rng(7).random((9, 7))
    u.set(x)
    v.set(0.0)
    seen = hc.sum(u * u)
    simulation = hc.Simulation(grid, [hc.swap(u, v), seen], strategy=hc.Strategy())
    x[0], x[-1], zeros = 3.0, 5.0, np.zeros_like(x)
    zeros[0], zeros[-1] = 3.0, 5.0
    for expected in (zeros, x, zeros):
        simulation.run(1, progress=False)
        assert seen.value == math.fsum((expected * expected).ravel())
