"""Slices of a field are those of a NumPy array of all its cells, on every rank."""

from __future__ import annotations

import pytest
from many_ranks import mpi, virtual
from parallel.slices import check_all


@pytest.mark.parametrize("ranks", [virtual(1), virtual(3), mpi(2)], ids=str)
def test_every_rank_gets_the_values_of_the_array(ranks):
    assert ranks(check_all) == [0] * ranks.size
