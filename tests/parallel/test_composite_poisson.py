"""Poisson's equation on forests has the same bits on any ranks, with every strategy."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from launch import printed

SCRIPT = Path(__file__).with_name("poisson_on_ranks.py")


@cache
def alone():
    return printed(None, SCRIPT, timeout=600)


def test_strategies_and_a_device_solve_to_the_same_bits():
    assert len(alone()) == 16


@pytest.mark.parametrize("ranks", [2, 3, 5])
def test_ranks_solve_to_the_bits_of_a_single_process(ranks):
    assert printed(ranks, SCRIPT, timeout=600) == alone()
