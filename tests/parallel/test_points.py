"""Points off the grid give NumPy's values, and the same bits on any ranks with any strategy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from launch import mpirun
from parallel.points_on_ranks import PROBLEMS, results

SCRIPT = Path(__file__).with_name("points_on_ranks.py")


@pytest.fixture(scope="module")
def alone():
    """The sums of one process, which are compared with NumPy."""
    return results(1, is_first=True)


def test_one_process_has_the_values_of_numpy_with_every_strategy(alone):
    assert set(alone) == {problem.label for problem in PROBLEMS}


@pytest.mark.parametrize("ranks", [2, 3, 8])
def test_ranks_have_the_bits_of_one_process(ranks, alone, tmp_path):
    output = tmp_path / "sums.json"
    done = mpirun(ranks, SCRIPT, str(output), timeout=300)
    assert done.returncode == 0, done.stderr
    found = json.loads(output.read_text(encoding="utf-8"))
    assert len(found) >= len(PROBLEMS) - 6
    assert found == {label: alone[label] for label in found}
