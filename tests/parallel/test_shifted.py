"""Grids that close with a shift have NumPy's bits on any ranks, with every strategy."""

from __future__ import annotations

import pytest
from many_ranks import mpi, slow, virtual
from parallel.shifted_on_ranks import check_all


@pytest.mark.parametrize(
    "ranks",
    [virtual(1), slow(virtual(2)), virtual(3), slow(virtual(8)), mpi(2)],
    ids=str,
)
def test_ranks_have_the_bits_of_numpy(ranks):
    assert ranks(check_all) == "the same bits"
