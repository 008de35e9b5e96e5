"""Sweeps go on where ranks hand carries on to each other in both directions at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from launch import mpirun

SCRIPT = Path(__file__).with_name("interleaved_columns.py")


@pytest.mark.parametrize("ranks", [2, 4])
def test_a_sweep_through_blocks_of_alternating_owners_ends_by_every_transport(ranks):
    done = mpirun(ranks, SCRIPT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "the same by all transports"
