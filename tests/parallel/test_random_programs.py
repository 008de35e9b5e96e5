"""Random programs on ranks give the bits of the whole array, by any strategy."""

from __future__ import annotations

from pathlib import Path

import pytest
from launch import mpirun

SCRIPT = Path(__file__).with_name("random_programs.py")
EXAMPLES = 12


@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks_compute_what_the_whole_array_does(ranks):
    done = mpirun(ranks, SCRIPT, str(EXAMPLES), timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "no difference\n"
