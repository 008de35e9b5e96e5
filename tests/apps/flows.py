"""What the tests of flow cases share: run a case, read off numbers."""

from __future__ import annotations

from functools import cache

import halocline as hc


@cache
def run(case):
    """Return the result of a case and its variables."""
    case.check()
    problem = case.problem()
    simulation = hc.Simulation(problem.grid, problem.steps, dt=problem.dt, threads=1)
    result = case.run(simulation, problem, lambda _: None)
    return result, result.variables()


def found(case):
    """Return what a run has found, by the first words of its names."""
    result, variables = run(case)
    return {c.name: c for c in result.compare(variables)}


def values(case, name):
    """Return a variable of a run."""
    _, variables = run(case)
    return next(v.values for v in variables if v.name == name)


def picture_size(case, folder):
    """Draw the picture of a run and return its size in bytes."""
    result, variables = run(case)
    ((name, draw),) = result.pictures(variables).items()
    draw(folder / name)
    return (folder / name).stat().st_size
