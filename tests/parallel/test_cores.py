"""Ranks use the cores that the launcher leaves them, and share those that it leaves to several."""

import os
from pathlib import Path

import pytest
from launch import mpirun

CORES = len(os.sched_getaffinity(0))


def told(cores):
    """Return what two ranks say."""
    done = mpirun(2, Path(__file__).with_name("cores_on_ranks.py"), cores, warm=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.alone
def test_ranks_that_may_use_the_same_cores_share_them():
    assert told("all") == [f"2 {max(1, CORES // 2)}"] * 2


@pytest.mark.alone
@pytest.mark.skipif(CORES < 2, reason="two ranks with a core each need two cores")
def test_ranks_with_cores_of_their_own_use_them_all():
    assert told("each") == ["1 1"] * 2
