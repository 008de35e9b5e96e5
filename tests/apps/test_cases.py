"""Cases by name and from files: what is read, and what is refused with which words."""

from __future__ import annotations

from pathlib import Path

import flows
import pytest
import stencils
from errors.telling import message_of

import halocline as hc
from halocline.apps.case import Case
from halocline.apps.cases import case_file, find_case, known_cases, make_case, read_case
from halocline.apps.heat.conduction import HeatConduction
from halocline.apps.lbm.cases.cavity import LidCavity
from halocline.apps.run_options import RUN, RunOptions
from halocline.errors import CaseError, HaloclineError
from halocline.options import options_of
from halocline.plan.pipeline import write_plan_file


def test_a_name_gives_the_defaults_and_changes_replace_them():
    assert read_case("lid-cavity", {}) == (LidCavity(), {})
    assert read_case("heat", {"cells": 9})[0] == HeatConduction(cells=9)


def test_a_case_file_gives_parameters_and_how_to_run(tmp_path: Path):
    path = tmp_path / "mine.toml"
    path.write_text('[case]\nname = "lid-cavity"\ncells = 32\nreynolds = 100\n[run]\nranks = 2\n')
    case, run = read_case(str(path), {"cells": 48})
    assert case == LidCavity(cells=48, reynolds=100.0)
    assert run == {"ranks": 2}


def test_the_file_written_for_a_case_is_read_as_the_same_case(tmp_path: Path):
    case = LidCavity(
        cells=32,
        reynolds=123.456,
        dimensions=2,
        lattice_speed=0.07,
        collision="bgk",
        dtype="float32",
        streaming="in-place",
        tolerance=3e-7,
        max_convective_times=7,
    )
    path = tmp_path / "again.toml"
    run = {"ranks": 3, "threads": None, "output": 'a"b\\c\n\x7f'}
    path.write_text(case_file(case, run))
    assert read_case(str(path), {}) == (case, {"ranks": 3, "output": 'a"b\\c\n\x7f'})


GIVEN = {int: 3, str: "2x1", bool: True, list: ["0.5,0.5", "0.1,0.2"]}


def some(option):
    """Return a value that an option takes."""
    special = {"device": "emulated:7", "link": "tcp-ip"}
    return special.get(option.name, (option.choices or (GIVEN[option.kind],))[-1])


def test_the_case_file_of_a_run_has_every_option_of_it(tmp_path: Path):
    plan, problem = tmp_path / "heat.plan", stencils.heat((4, 4), (True, True))
    write_plan_file(plan, problem.grid, problem.steps)
    given = {name: some(option) for name, option in RUN.items()}
    given |= {"plan": str(plan), "write": ["some.nc every=2"]}
    path = tmp_path / "case.toml"
    path.write_text(case_file(HeatConduction(), given))
    _, found = read_case(str(path), {})
    assert found == given
    options = RunOptions(found)
    assert options.strategy.overlap == "none"
    assert options.simulation["threads"] == 3
    assert options.outputs.vtk
    assert options.job.output == "2x1"


def test_options_of_a_run_are_what_simulations_and_strategies_take():
    assert set(options_of(hc.Simulation)) < set(RUN)
    assert {"overlap", "transport", "depth"} < set(RUN)
    # Of jobs, strategies and outputs; no two have the same name.
    assert len(RUN) == len(options_of(hc.Simulation)) + 4 + 10 + 7


@pytest.mark.parametrize("name", known_cases())
def test_every_parameter_of_a_case_is_documented_and_stands_in_its_file(name):
    kind = find_case(name)
    assert kind.name == name
    for option in options_of(kind).values():
        assert option.about, option.name
    assert set(kind.usual) <= set(options_of(kind))


OWN = """
from dataclasses import dataclass
from typing import ClassVar

from halocline.apps.lbm.cases.channel import Channel


@dataclass(frozen=True)
class Mine(Channel):
    '''A channel of one's own.

    Attributes:
        bumps: How many there are.
    '''

    name: ClassVar[str] = "mine"
    bumps: int = 3
"""


def test_a_case_of_ones_own_is_a_python_file(tmp_path: Path):
    path = tmp_path / "mine.py"
    path.write_text(OWN)
    case, _ = read_case(str(path), {"bumps": 4, "cells": 8})
    assert (case.name, case.bumps, case.driving) == ("mine", 4, "force")
    again = tmp_path / "case.toml"
    again.write_text(case_file(case, {}))
    found, _ = read_case(str(again), {})
    assert found.parameter_values == case.parameter_values


def test_the_case_of_the_documentation_runs(tmp_path: Path):
    document = (Path(__file__).parents[2] / "docs/cases.md").read_text()
    path = tmp_path / "couette.py"
    path.write_text(document.partition("```python\n")[2].partition("```")[0])
    case, _ = read_case(str(path), {"cells": 8, "aspect": 0.5})
    found = flows.found(case)["mean velocity over that of the wall"]
    assert abs(found.error) < 1e-5
    assert flows.picture_size(case, tmp_path) > 10_000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "The Python file 'mine.py' could not be read."),
        (
            "from halocline.apps.heat.conduction import HeatConduction as Base\n"
            "class A(Base):\n    name = 'a'\nclass B(Base):\n    name = 'b'",
            "The Python file 'mine.py' defines 2 cases; expected one: a subclass of 'Case' ",
        ),
    ],
)
def test_a_python_file_that_is_no_one_case_is_refused(tmp_path: Path, monkeypatch, text, message):
    monkeypatch.chdir(tmp_path)
    if text is not None:
        Path("mine.py").write_text(text)
    with pytest.raises(CaseError) as error:
        find_case("mine.py")
    assert message_of(error.value).startswith(message)


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("lid-cavty", {}, "There is no case 'lid-cavty'. Did you mean 'lid-cavity'?"),
        (
            "lid-cavity",
            {"reynold": 3.0},
            "Case 'lid-cavity' has no parameter 'reynold'. Did you mean 'reynolds'?",
        ),
        ("heat", {"cells": 3.5}, "'cells' was given 3.5; expected a whole number of at least 1."),
        ("heat", {"cells": True}, "'cells' was given True; expected a whole number of at least 1."),
        (
            "heat",
            {"sides": 3},
            "'sides' was given 3; expected one of: periodic, dirichlet, neumann.",
        ),
        (
            "heat",
            {"diffusion_number": "x"},
            "'diffusion_number' was given 'x'; expected a number above 0.",
        ),
    ],
)
def test_a_wrong_case_is_refused(name, parameters, message):
    with pytest.raises(CaseError) as error:
        make_case(name, parameters)
    assert message_of(error.value) == message


def test_the_mark_of_the_byte_order_is_no_part_of_a_case_file(tmp_path: Path):
    path = tmp_path / "marked.toml"
    path.write_text('[case]\nname = "heat"\ncells = 8\n', "utf-8-sig")
    assert read_case(str(path), {})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[case", "is not valid TOML"),
        ("[case]\ncells = 8\n", 'names no case. Write name = "lid-cavity" in its table [case].'),
        ('[case]\nname = "heat"\n[rum]\nranks = 2\n', "has 'rum'. Did you mean 'run'?"),
        ('[case]\nname = "heat"\n[run]\nrank = 2\n', "no key 'rank'. Did you mean 'ranks'?"),
        (
            '[case]\nname = "heat"\n[run]\nranks = "2"\n',
            ":4: 'ranks' was given '2'; expected a whole number of at least 1.",
        ),
        ('[case]\nname = "heat"\ncells = 0\n', ":3: 'cells' was given 0; expected a whole number"),
        ('name = "heat"\n', "Parameters belong in the table [case]."),
        ("case = 3\n", "'case' must be a table: write [case]."),
    ],
)
def test_a_wrong_case_file_is_refused(tmp_path: Path, text, message):
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(HaloclineError) as error:
        read_case(str(path), {})
    assert message in str(error.value)


def test_a_missing_case_file_is_refused():
    with pytest.raises(CaseError, match=r"'nowhere\.toml' could not be read: No such file"):
        read_case("nowhere.toml", {})


@pytest.mark.parametrize(
    ("name", "parameters", "needed"),
    [
        ("lid-cavity", {"near": 0.2}, "'levels'"),
        ("sphere", {"wake": 3.0}, "'levels'"),
        ("channel", {"width": 2.0}, "a third dimension"),
        ("porous", {"aspect": 2.0, "geometry": "sample.npy"}, "a surface"),
        ("kelvin-wave", {"drag_rate": 0.1}, "linear drag"),
        ("kelvin-wave", {"roughness": 0.1, "drag": "linear"}, "logarithmic drag"),
        ("oscillating-lake", {"rise": 2.0}, "shape 'axisymmetric'"),
        ("oscillating-lake", {"displacement": 2.0, "shape": "axisymmetric"}, "shape 'planar'"),
        ("ocean", {"wind_drag": "constant", "bathymetry": "sea.nc"}, "'weather'"),
        ("ocean", {"roughness": 0.1, "linear_drag": 1e-3, "bathymetry": "sea.nc"}, "logarithmic"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(name, parameters, needed):
    case = find_case(name)(**parameters)
    first = next(iter(parameters))
    with pytest.raises(CaseError) as caught:
        Case.check(case)
    assert f"'{first}' was given to the case '{name}' without {needed}" in str(caught.value)
