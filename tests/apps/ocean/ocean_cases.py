"""Run a case of an ocean, and read off what it has found."""

from __future__ import annotations

from functools import cache

import halocline as hc
from halocline.apps.cases import make_case


@cache
def run(name, **parameters):
    """Return the result of a case, and its variables by name."""
    case = make_case(name, parameters)
    problem = case.problem()
    simulation = hc.Simulation(problem.grid, problem.steps, dt=problem.dt, threads=1)
    result = case.run(simulation, problem, lambda _: None)
    return result, {variable.name: variable.values for variable in result.variables()}


def found(name, **parameters):
    """Return the lines that a run has found, and its comparisons by the first words."""
    result, values = run(name, **parameters)
    return {str(line).split(":")[0]: line for line in result.case.compare(result, values)}
