"""Forests refined while they run have the same bits on any ranks, restarts included."""

from __future__ import annotations

from pathlib import Path

import pytest
from launch import mpirun, python

SCRIPT = Path(__file__).with_name("regrids_on_ranks.py")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return tmp_path_factory.mktemp("saved") / "checkpoint.npz"


@pytest.fixture(scope="module")
def alone(saved):
    """What a single process finds, which has written a checkpoint on the way."""
    done = python(SCRIPT, saved, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_the_finest_level_has_leaves(alone):
    assert int(alone[-1])


@pytest.mark.parametrize("ranks", [2, 3, 5])
def test_ranks_have_the_bits_of_a_single_process(ranks, alone, tmp_path):
    done = mpirun(ranks, SCRIPT, tmp_path / "own.npz", timeout=600)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == alone


@pytest.mark.parametrize("ranks", [1, 3])
def test_what_one_process_has_saved_goes_on_on_any(ranks, alone, saved):
    done = mpirun(ranks, SCRIPT, saved, timeout=600)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == alone
