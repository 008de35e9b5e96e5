"""Forests have the same bits on any ranks, with every strategy and on a device (emulated)."""

from __future__ import annotations

from functools import cache

import pytest
from many_ranks import in_turn, mpi, virtual
from parallel.forests_on_ranks import WAYS, run

RANKS = (virtual(3), mpi(2), virtual(5), virtual(2))


@cache
def alone():
    return run("default")


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in WAYS if name != "default"])
def test_all_strategies_have_the_same_bits(name):
    assert run(name) == alone()


@pytest.mark.parametrize(
    ("ranks", "name"),
    [one for one in in_turn(RANKS, WAYS) if one.values[0].kind == "MPI" or one.values[1] != "get"],
)
def test_ranks_have_the_bits_of_a_single_process(ranks, name):
    assert ranks(run, name) == alone()
