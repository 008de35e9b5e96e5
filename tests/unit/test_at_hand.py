"""What a user finds at hand: exports, fields of a simulation, what notebooks show."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import halocline as hc


@hc.kernel
def double(T):
    T[0, 0] = 2.0 * T[0, 0]


@pytest.fixture
def grid():
    grid = hc.Grid((4, 3), periodic=(True, False))
    grid.field("T", unit="K", description="warm < hot")
    return grid


def test_what_users_name_is_exported():
    names = [
        "Field",
        "Kernel",
        "Plan",
        "Report",
        "HaloclineError",
        "plan_for",
        "Box",
        "Grid",
        "Simulation",
    ]
    assert all(hasattr(hc, name) for name in names)
    assert issubclass(hc.errors.PlanError, hc.HaloclineError)


def test_fields_of_a_simulation_are_those_that_users_declared(grid):
    surface = grid.field("surface", axes="x")
    steps = hc.sum(grid.fields["T"] * 2.0, over="y", into=surface)
    simulation = hc.Simulation(grid, steps, target="numpy", threads=1)
    assert list(simulation.fields) == ["T", "surface"]


def test_a_notebook_shows_a_grid_with_its_fields(grid):
    shown = grid._repr_html_()
    assert "grid of 4x3 cells" in shown
    assert "periodic in x<" in shown
    assert "<td>T</td><td>float64</td>" in shown
    assert "warm &lt; hot" in shown


def test_a_notebook_shows_a_forest_with_its_fields():
    forest = hc.Forest((16, 8), block=8, finest=2, refine=lambda x, y: 0 * y + (x < 8))
    forest.field("T", unit="K")
    title = "forest of 16x8 cells on level 0; blocks of 8x8 cells: 1 on level 0, 4 on level 1"
    assert repr(forest) == f"<{title}; fields T>"
    assert title in forest._repr_html_()
    assert "<td>T</td><td>float64</td>" in forest._repr_html_()


def test_a_notebook_shows_kernels_plans_and_reports(grid):
    step = double(grid.fields["T"])
    simulation = hc.Simulation(grid, [step], target="numpy", threads=1)
    simulation.run(1, progress=False)
    for thing in (step, simulation.plan, simulation.report()):
        assert thing._repr_html_().startswith("<pre")
    assert "T[0, 0] = (2.0 * T[0, 0])" in step._repr_html_()


def test_editors_see_the_options_of_a_field():
    found = inspect.signature(hc.Grid.field).parameters
    assert all(parameter.kind is not parameter.VAR_KEYWORD for parameter in found.values())
    assert {"dtype", "components", "location", "axes", "unit"} <= set(found)


def test_things_say_in_one_line_what_they_are():
    grid = hc.Grid((4, 3), periodic=(True, False), spacing=(np.array([1.0, 1, 2, 2]), 0.5))
    T = grid.field("T", unit="K", description="temperature")
    assert repr(grid) == "<grid of 4x3 cells, spacing 1 to 2, 0.5, periodic in x; fields T>"
    assert "<td>temperature</td>" in T._repr_html_()
    simulation = hc.Simulation(grid, [double(T)], threads=1, dt=0.5)
    simulation.run(2, progress=False)
    title = "simulation of 12 cells on 1 rank(s) with 1 thread(s) each, 2 step(s) done, time 1"
    assert repr(simulation) == f"<{title}>"
    assert title in simulation._repr_html_()
    assert "<td>T</td>" in simulation._repr_html_()
    assert repr(simulation.plan).startswith("<plan of rank 0 of 1: 1 kernel(s), 0 exchange(s)")
    assert repr(simulation.report()).startswith("<report of 2 steps of 12 cells on 1 rank(s) in ")


def test_a_grid_is_made_of_what_users_know():
    known = ["extent", "periodic", "spacing", "origin", "shift"]
    assert list(inspect.signature(hc.Grid).parameters) == known
