"""Packages that need not be installed: what they add, and the message where they are absent."""

import re

import pytest
from typer.testing import CliRunner

from halocline import installation
from halocline.apps.cases import find_case, known_cases
from halocline.cli.main import build
from halocline.errors import InstallationError

ABSENT = (
    "'{}' belongs to the package 'halocline-reproduction', which is not installed. "
    "Install it: pip install ./reproduction, in Halocline's repository."
)


def test_a_command_and_a_case_of_another_package_are_found():
    assert "papers" in CliRunner().invoke(build(["--help"]), ["--help"]).output
    assert known_cases()["obstacle-flow"].__module__ == "halocline_reproduction.obstacle_flow"


def test_an_absent_package_is_named_where_its_command_or_case_is_called(monkeypatch):
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: ())
    assert installation.additions("commands") == {}
    with pytest.raises(InstallationError, match=re.escape(ABSENT.format("papers"))):
        build(["papers", "list"])
    with pytest.raises(InstallationError, match=re.escape(ABSENT.format("obstacle-flow"))):
        find_case("obstacle-flow")
    assert "papers" not in CliRunner().invoke(build(["--help"]), ["--help"]).output
