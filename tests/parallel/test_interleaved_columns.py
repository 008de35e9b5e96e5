"""Sweeps go on where ranks hand carries on to each other in both directions at once."""

from __future__ import annotations

import pytest
from many_ranks import BY_MPI, mpi, virtual
from parallel.cases import CHOICES
from parallel.interleaved_columns import transports


@pytest.mark.parametrize("ranks", [virtual(2), virtual(4), mpi(2), mpi(4)], ids=str)
def test_a_sweep_through_blocks_of_alternating_owners_ends_by_every_transport(ranks):
    others = set(BY_MPI) if ranks.kind == "virtual" else set()
    assert set(ranks(transports)) == set(CHOICES["transport"]) - others
