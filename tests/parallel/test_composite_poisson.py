"""Poisson's equation on forests has the same bits on any ranks, with every strategy."""

from __future__ import annotations

from functools import cache

import pytest
from many_ranks import in_turn, mpi, virtual
from parallel.poisson_on_ranks import WAYS, solved

RANKS = (virtual(3), mpi(2), virtual(5), virtual(2))


@cache
def alone():
    return solved("default")


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in WAYS if name != "default"])
def test_strategies_and_a_device_solve_to_the_same_bits(name):
    assert solved(name) == alone()


@pytest.mark.parametrize(("ranks", "name"), in_turn(RANKS, WAYS))
def test_ranks_solve_to_the_bits_of_a_single_process(ranks, name):
    assert ranks(solved, name) == alone()
