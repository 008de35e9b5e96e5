"""Fortran programs with coarrays, each compiled once in a session."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from caf_commands import FOLDER, build


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """Gives the program of a source, with what all of them share linked in."""
    programs: dict[Path, Path] = {}

    def program(source: Path) -> Path:
        if source not in programs:
            folder = tmp_path_factory.mktemp(source.stem)
            programs[source] = build([FOLDER / "expect.f90", source], folder)
        return programs[source]

    return program


def pytest_collection_modifyitems(items):
    if shutil.which("gfortran"):
        return
    for item in items:
        if FOLDER in item.path.parents:
            item.add_marker(pytest.mark.skip(reason="gfortran is not installed"))
