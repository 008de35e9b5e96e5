"""Whole grids and multigrid have the same bits on any number of ranks, 3 and 5 among them."""

from __future__ import annotations

from pathlib import Path

import pytest
from launch import mpirun
from parallel.whole_on_ranks import digest

SCRIPT = Path(__file__).with_name("whole_on_ranks.py")


@pytest.mark.parametrize("ranks", [2, 3, 8])
def test_on_ranks(ranks):
    done = mpirun(ranks, SCRIPT)
    assert done.returncode == 0, done.stderr
    expected = f"wrong: [] {digest(1)} {digest(1, whole_below=1000, cycle='F')}"
    assert done.stdout.splitlines().count(expected) == ranks, done.stdout
