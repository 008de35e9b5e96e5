"""Poisson's equation on forests has the same bits on any ranks, with every strategy."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from launch import mpirun, python

pytestmark = pytest.mark.alone
SCRIPT = Path(__file__).with_name("poisson_on_ranks.py")


@cache
def alone():
    done = python(SCRIPT, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_strategies_and_a_device_solve_to_the_same_bits():
    assert len(alone()) == 16


@pytest.mark.parametrize("ranks", [2, 3, 5])
def test_ranks_solve_to_the_bits_of_a_single_process(ranks):
    done = mpirun(ranks, SCRIPT, timeout=600)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == alone()
