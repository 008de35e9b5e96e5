"""Forests have the same bits on any ranks, with every strategy and on a device (emulated)."""

from __future__ import annotations

from functools import cache

import pytest
from many_ranks import mpi, virtual
from parallel.forests_on_ranks import digests


@cache
def alone():
    return digests()


def test_all_strategies_have_the_same_bits():
    (found,) = alone()
    assert len(found) == 16


@pytest.mark.parametrize("ranks", [virtual(2), virtual(3), virtual(8), mpi(2), mpi(3)], ids=str)
def test_ranks_have_the_bits_of_a_single_process(ranks):
    assert ranks(digests, timeout=600) == alone()
