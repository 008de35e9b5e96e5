"""'halocline new' lists programs and writes them; each runs where it was written."""

from __future__ import annotations

import re

import pytest
from command import halocline
from launch import python

LONG = ("flow", "ocean")
# What each program prints in the end, and what that has to be about.
PRINTED = {
    "heat": (r"warmest ([\d.]+) degC", 0.765),
    "flow": (r"step 6000: sideways speed in the wake ([\d.]+)", 0.067),
    "ocean": (r"6 h: surface elevation from (-[\d.]+) m", -1.09),
}


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] * (n in LONG)) for n in PRINTED]
)
def test_a_new_program_runs_in_an_empty_folder_and_is_right(name, tmp_path):
    done = halocline("new", name, folder=tmp_path)
    assert done.stdout == f"{name}.py is written; run it: python {name}.py\n"
    ran = python(tmp_path / f"{name}.py", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    pattern, expected = PRINTED[name]
    assert float(re.search(pattern, ran.stdout)[1]) == pytest.approx(expected, rel=0.02)
    assert [path.name for path in tmp_path.iterdir()] == [f"{name}.py"]


def test_a_first_program_is_short(tmp_path):
    halocline("new", "heat", folder=tmp_path)
    assert len((tmp_path / "heat.py").read_text(encoding="utf-8").splitlines()) <= 30


def test_new_lists_what_there_is(tmp_path):
    lines = halocline("new", folder=tmp_path).stdout.splitlines()
    assert [line.split()[:3] for line in lines] == [
        ["halocline", "new", name] for name in sorted(PRINTED)
    ]
    assert not list(tmp_path.iterdir())


def test_new_overwrites_nothing(tmp_path):
    (tmp_path / "heat.py").write_text("mine", encoding="utf-8")
    done = halocline("new", "heat", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr == (
        f"error: 'heat.py' exists in '{tmp_path}' and is not overwritten. Move it away, or call "
        "'halocline new' in another folder.\n"
    )
    assert (tmp_path / "heat.py").read_text(encoding="utf-8") == "mine"


def test_a_program_that_does_not_exist_is_refused_with_the_nearest(tmp_path):
    done = halocline("new", "het", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr == "error: There is no program 'het'. Did you mean 'heat'?\n"
