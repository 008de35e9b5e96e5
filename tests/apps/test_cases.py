"""Cases by name and from files: what is read, and what is refused with which words."""

from __future__ import annotations

from pathlib import Path

import pytest

from halocline.apps.cases import case_file, make_case, read_case
from halocline.apps.heat.conduction import HeatConduction
from halocline.apps.lbm.cavity import LidCavity
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
