"""Cases by name and from files: what is read, and what is refused with which words."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
import typer

from halocline.apps.cases import RUN_KEYS, case_file, known_cases, make_case, read_case
from halocline.apps.heat.conduction import HeatConduction
from halocline.apps.lbm.cavity import LidCavity
from halocline.cli.main import app
from halocline.cli.run import RunChoices
from halocline.errors import CaseError


def test_a_name_gives_the_defaults_and_changes_replace_them():
    assert read_case("lid-cavity", {}) == (LidCavity(), {})
    assert read_case("heat", {"cells": 9})[0] == HeatConduction(cells=9)


def test_a_case_file_gives_parameters_and_how_to_run(tmp_path: Path):
    path = tmp_path / "mine.toml"
    path.write_text('[case]\nname = "lid-cavity"\ncells = 32\nreynolds = 100\n[run]\nranks = 2\n')
    case, run = read_case(str(path), {"cells": 48})
    assert case == LidCavity(48, 100.0)
    assert run == {"ranks": 2}


def test_the_file_written_for_a_case_is_read_as_the_same_case(tmp_path: Path):
    case = LidCavity(32, 123.456, 2, 0.07, "bgk", "float32", "in-place", 3e-7, 7)
    path = tmp_path / "again.toml"
    run = {"ranks": 3, "threads": None, "output": 'a"b\\c'}
    path.write_text(case_file(case, run))
    assert read_case(str(path), {}) == (case, {"ranks": 3, "output": 'a"b\\c'})


def test_every_option_of_a_run_can_stand_in_a_case_file():
    """What is asked for on the command line is a parameter of a case, or a choice of its run."""
    options = {
        option.opts[0].lstrip("-").replace("-", "_")
        for option in typer.main.get_command(app).commands["run"].params
        if option.param_type_name == "option"
    }
    parameters = {field.name for case in known_cases().values() for field in fields(case)}
    # Parameters by name; and the directory from which a run goes on, which is no part of a case.
    options -= {"set", "restart"}
    assert options - parameters == set(RUN_KEYS)
    assert {field.name for field in fields(RunChoices)} == {*RUN_KEYS, "restart"}


GIVEN = {int: 3, str: "core-first", bool: True, list: ["0.5,0.5", "0.1,0.2"]}


def test_the_case_file_of_a_run_has_every_choice_but_where_it_writes(tmp_path: Path):
    choices = RunChoices(**{key: GIVEN[kind] for key, kind in RUN_KEYS.items()})
    path = tmp_path / "case.toml"
    path.write_text(case_file(HeatConduction(), choices.table()))
    _, found = read_case(str(path), {})
    assert set(found) == set(RUN_KEYS) - {"output"}
    assert RunChoices(**found).table() == choices.table()


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("lid-cavty", {}, "There is no case 'lid-cavty'. Did you mean 'lid-cavity'?"),
        (
            "lid-cavity",
            {"reynold": 3.0},
            "Case 'lid-cavity' has no parameter 'reynold'. Did you mean 'reynolds'?",
        ),
        ("heat", {"cells": 3.5}, "'cells' was given 3.5; expected a whole number."),
        ("heat", {"cells": True}, "'cells' was given True; expected a whole number."),
        ("heat", {"sides": 3}, "'sides' was given 3; expected text."),
        ("heat", {"diffusion_number": "x"}, "'diffusion_number' was given 'x'; expected a number."),
    ],
)
def test_a_wrong_case_is_refused(name, parameters, message):
    with pytest.raises(CaseError) as error:
        make_case(name, parameters)
    assert str(error.value) == message


def test_what_is_asked_for_is_not_zero_where_that_stands_for_nothing(tmp_path: Path):
    path = tmp_path / "case.toml"
    path.write_text(case_file(make_case("channel", {"reynolds": 5.0}), {}))
    assert read_case(str(path), {"cells": 8})[0].reynolds == 5.0
    with pytest.raises(CaseError) as error:
        read_case(str(path), {"reynolds": 0.0})
    assert str(error.value) == "'reynolds' was given 0; expected a number above 0."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[case", "is not valid TOML"),
        ("[case]\ncells = 8\n", 'names no case. Write name = "lid-cavity" in its table [case].'),
        ('[case]\nname = "heat"\n[rum]\nranks = 2\n', "has 'rum'. Did you mean 'run'?"),
        ('[case]\nname = "heat"\n[run]\nrank = 2\n', "no key 'rank'. Did you mean 'ranks'?"),
        ('[case]\nname = "heat"\n[run]\nranks = "2"\n', "'ranks' was given '2'"),
        ('name = "heat"\n', "Parameters belong in the table [case]."),
        ("case = 3\n", "'case' must be a table: write [case]."),
    ],
)
def test_a_wrong_case_file_is_refused(tmp_path: Path, text, message):
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(CaseError) as error:
        read_case(str(path), {})
    assert message in str(error.value)


def test_a_missing_case_file_is_refused():
    with pytest.raises(CaseError, match=r"'nowhere\.toml' could not be read: No such file"):
        read_case("nowhere.toml", {})
