"""Folders of GETM with rivers."""

from __future__ import annotations

import input_files as files
import numpy as np
import pytest
from getm_folders import SAMPLES, box


@pytest.fixture
def folder(tmp_path):
    """Return a folder of the box."""
    return box(tmp_path)


def rivers(folder, lines="2\n5 6 Elbe\n5 7 Elbe\n"):
    """Give the folder a river that comes into two cells."""
    files.discharge(folder.path / "rivers.nc", SAMPLES, 100.0 + SAMPLES, "Elbe")
    return folder.write("riverinfo.dat", lines).set("rivers", river_method=2, river_factor=3.0)


def test_rivers_are_shared_by_the_cells_that_have_their_name(folder):
    first, second = rivers(folder).read().setup.rivers
    assert (first.cell, second.cell) == ((4, 5), (4, 6))
    assert np.array_equal(first.flow.values, 1.5 * (100.0 + SAMPLES))
    assert np.array_equal(first.flow.times, 3600.0 * SAMPLES)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("3\n5 6 Elbe\n", "has 1 rivers; expected 3"),
        ("1\n5 6\n", "This line has no name; expected 'i j name' of a river"),
        ("1\n5 6 Ems\n", "has no variable 'Ems'"),
        ("1\n99 6 Elbe\n", "There is a river in cell (98, 5)"),
    ],
)
def test_wrong_rivers_are_told(folder, lines, message):
    assert message in rivers(folder, lines).refusal()
