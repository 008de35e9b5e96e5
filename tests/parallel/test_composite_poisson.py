"""Poisson's equation on forests has the same bits on any ranks, with every strategy."""

from __future__ import annotations

from functools import cache

import pytest
from many_ranks import mpi, virtual
from parallel.poisson_on_ranks import digests


@cache
def alone():
    return digests()


def test_strategies_and_a_device_solve_to_the_same_bits():
    (found,) = alone()
    assert len(found) == 16


@pytest.mark.parametrize("ranks", [virtual(2), virtual(3), virtual(5), mpi(2)], ids=str)
def test_ranks_solve_to_the_bits_of_a_single_process(ranks):
    assert ranks(digests) == alone()
