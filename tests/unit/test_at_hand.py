"""What a user finds at hand: exports, fields of a simulation, what notebooks show."""

from __future__ import annotations

import inspect
import re
import sys
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest

import halocline as hc
from halocline import notebook
from halocline.runtime.progress import progress_display


@hc.kernel
def double(T):
    T[0, 0] = 2.0 * T[0, 0]


@hc.kernel
def mean(T, T_new):
    T_new[0, 0] = 0.5 * (T[-1, 0] + T[1, 0])


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
    shown = notebook.html(grid)
    assert "grid of 4x3 cells" in shown
    assert "periodic in x<" in shown
    assert "<td>T</td><td>float64</td>" in shown
    assert "warm &lt; hot" in shown


def test_a_notebook_shows_a_forest_with_its_fields():
    forest = hc.Forest((16, 8), block=8, finest=2, refine=lambda x, y: 0 * y + (x < 8))
    forest.field("T", unit="K")
    title = "forest of 16x8 cells on level 0; blocks of 8x8 cells: 1 on level 0, 4 on level 1"
    assert repr(forest) == f"<{title}; fields T>"
    assert title in notebook.html(forest)
    assert "<td>T</td><td>float64</td>" in notebook.html(forest)


def test_a_notebook_shows_kernels_plans_and_reports(grid):
    step = double(grid.fields["T"])
    simulation = hc.Simulation(grid, [step], target="numpy", threads=1)
    simulation.run(1, progress=False)
    plan, report = notebook.html(simulation.plan), notebook.html(simulation.report())
    assert "<title>double all: 12 cells</title>" in plan
    assert "<td>double all</td><td>1</td>" in report
    for shown, thing in ((plan, simulation.plan), (report, simulation.report())):
        assert f"as text</summary>{notebook._preformatted(str(thing))}" in shown
    assert "T[0, 0] = (2.0 * T[0, 0])" in notebook.html(step)


def test_a_notebook_shows_when_messages_travel():
    def shown():
        grid = hc.Grid((32, 8), periodic=True)
        T, T_new = grid.field("T"), grid.field("T_new")
        T.set(1.0)
        steps = [mean(T, T_new), hc.swap(T, T_new)]
        simulation = hc.Simulation(grid, steps, decomposition=(2, 1))
        simulation.run(2, progress=False)
        drawn.append(notebook.html(simulation.plan))

    drawn = []
    hc.on_virtual_ranks(2, shown)
    for picture in drawn:
        assert re.search(r"<title>exchange 0: \d message\(s\), \d+ bytes</title>", picture)
        assert ">exchange 0</text>" in picture


def test_a_notebook_shows_a_series_as_a_curve():
    times = np.arange(5.0)
    shown = notebook.html(hc.Series(times, times**2, name="inflow"))
    assert "series &#x27;inflow&#x27;: 5 times from 0 to 4<" in shown
    assert '<polyline points="0.0,78.0 ' in shown
    assert ">16</text>" in shown
    assert "shape (3,)" in notebook.html(hc.Series(times, np.ones((5, 3))))


def test_a_notebook_draws_the_blocks_of_a_forest():
    forest = hc.Forest((16, 8), block=8, finest=2, refine=lambda x, y: 0 * y + (x < 8))
    shown = notebook.html(forest)
    assert shown.count("<title>level 0</title>") == 1
    assert shown.count("<title>level 1</title>") == 4


def test_things_are_registered_with_the_ipython_that_runs(monkeypatch):
    registered = {}

    class Formatter:
        def for_type_by_name(self, module, name, shown):
            registered[module, name] = shown

    shell = SimpleNamespace(
        display_formatter=SimpleNamespace(formatters={"text/html": Formatter()})
    )
    running = SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", running)
    notebook.register()
    for (module, name), shown in registered.items():
        assert hasattr(import_module(module), name)
        assert callable(shown)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    notebook.register()


def test_progress_in_jupyter_is_one_line_that_goes_in_the_end(monkeypatch, capsys):
    shell = SimpleNamespace(kernel=object())
    running = SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", running)
    with progress_display(4, 1000, is_shown=True) as show:
        show(1)
        show(4)
    shown = capsys.readouterr().err
    assert "\n" not in shown
    first, second = shown.split("\r")[1:3]
    assert first.startswith("█" * 7 + "░" * 23 + " 1/4 steps, ")
    assert second.startswith("█" * 30 + " 4/4 steps, ")
    assert shown.endswith("\r")


def test_a_process_that_only_loads_tools_for_notebooks_is_not_in_jupyter(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ipykernel", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    with progress_display(4, 1000, is_shown=True) as show:
        show(1)
    assert capsys.readouterr().err == ""


def test_editors_see_the_options_of_a_field():
    found = inspect.signature(hc.Grid.field).parameters
    assert all(parameter.kind is not parameter.VAR_KEYWORD for parameter in found.values())
    assert {"dtype", "components", "location", "axes", "unit"} <= set(found)


def test_things_say_in_one_line_what_they_are():
    grid = hc.Grid((4, 3), periodic=(True, False), spacing=(np.array([1.0, 1, 2, 2]), 0.5))
    T = grid.field("T", unit="K", description="temperature")
    assert repr(grid) == "<grid of 4x3 cells, spacing 1 to 2, 0.5, periodic in x; fields T>"
    assert "<td>temperature</td>" in notebook.html(T)
    simulation = hc.Simulation(grid, [double(T)], threads=1, dt=0.5)
    simulation.run(2, progress=False)
    title = "simulation of 12 cells on 1 rank(s) with 1 thread(s) each, 2 step(s) done, time 1"
    assert repr(simulation) == f"<{title}>"
    assert title in notebook.html(simulation)
    assert "<td>T</td>" in notebook.html(simulation)
    assert repr(simulation.plan).startswith("<plan of rank 0 of 1: 1 kernel(s), 0 exchange(s)")
    assert repr(simulation.report()).startswith("<report of 2 steps of 12 cells on 1 rank(s) in ")


def test_a_grid_is_made_of_what_users_know():
    known = ["extent", "periodic", "spacing", "origin", "shift"]
    assert list(inspect.signature(hc.Grid).parameters) == known
