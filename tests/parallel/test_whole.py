"""Whole grids and multigrid have the same bits on any number of ranks, 3 and 5 among them."""

from __future__ import annotations

import pytest
from many_ranks import mpi, slow, virtual
from parallel.whole_on_ranks import check_all, digests


@pytest.mark.parametrize("ranks", [slow(virtual(2)), virtual(3), slow(virtual(8)), mpi(2)], ids=str)
def test_on_ranks(ranks):
    assert ranks(check_all) == [[[], list(digests(1))]] * ranks.size
