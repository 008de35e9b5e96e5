"""Grids that close with a shift have NumPy's bits on any ranks, with every strategy."""

from __future__ import annotations

from pathlib import Path

import pytest
from launch import mpirun

SCRIPT = Path(__file__).with_name("shifted_on_ranks.py")


@pytest.mark.parametrize("ranks", [1, 2, 3, 8])
def test_ranks_have_the_bits_of_numpy(ranks):
    done = mpirun(ranks, SCRIPT, timeout=600)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "the same bits"
