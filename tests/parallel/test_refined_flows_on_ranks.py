"""Flows on several levels past bodies have the same bits on any ranks."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from launch import mpirun, python

pytestmark = pytest.mark.alone
SCRIPT = Path(__file__).with_name("refined_flows_on_ranks.py")


@cache
def alone():
    done = python(SCRIPT, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("ranks", [2, 3, 5])
def test_ranks_have_the_bits_of_a_single_process(ranks):
    done = mpirun(ranks, SCRIPT, timeout=600)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == alone()
