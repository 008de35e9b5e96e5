"""Plans executed from a file give the same bits, in one process and on several ranks."""

from pathlib import Path

import pytest
from launch import mpirun

SCRIPT = Path(__file__).with_name("from_file.py")


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_a_plan_from_a_file_gives_the_same_bits(ranks, tmp_path):
    done = mpirun(ranks, SCRIPT, str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("same") == 10
