"""Heat conduction against the exact discrete amplitude: no convergence study, round-off only."""

from __future__ import annotations

from pathlib import Path

import pytest

import halocline as hc
from halocline.apps.heat.conduction import HeatConduction
from halocline.errors import CaseError


def run(case):
    problem = case.problem()
    simulation = hc.Simulation(problem.grid, problem.steps, threads=1)
    return case.run(simulation, problem, lambda _: None)


@pytest.mark.parametrize("sides", ["periodic", "dirichlet", "neumann"])
@pytest.mark.parametrize("dimensions", [2, 3])
def test_a_mode_decays_by_the_exact_discrete_factor(sides, dimensions):
    case = HeatConduction(17, dimensions, sides, 0.15, 60)
    result = run(case)
    assert result.error(result.variables()) < 1e-12


def test_a_mode_in_single_precision_decays_to_rounding():
    result = run(HeatConduction(16, 3, "dirichlet", 0.15, 60, "float32"))
    assert result.error(result.variables()) < 1e-4


def test_result_tells_speed_and_error_and_draws_the_temperature(tmp_path: Path):
    result = run(HeatConduction(12, 3, steps=10))
    variables = result.variables()
    assert "million cells/s" in result.summary()
    assert "exact discrete" in result.findings(variables)
    for name, draw in result.pictures(variables).items():
        draw(tmp_path / name)
    assert (tmp_path / "temperature.png").stat().st_size > 1000


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (HeatConduction(diffusion_number=0.2), "unstable; expected at most 0.1667"),
        (HeatConduction(sides="neuman"), "'sides' was given 'neuman'; expected one of: periodic"),
        (HeatConduction(dimensions=4), "'dimensions' was given 4; expected one of: 2, 3."),
        (HeatConduction(steps=0), "'steps' was given 0; expected a whole number of at least 1."),
    ],
)
def test_what_cannot_be_computed_is_refused(case, message):
    with pytest.raises(CaseError) as error:
        case.check()
    assert message in str(error.value)
