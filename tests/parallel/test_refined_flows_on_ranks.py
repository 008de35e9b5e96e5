"""Flows on several levels past bodies have the same bits on any ranks."""

from __future__ import annotations

import pytest
from many_ranks import in_turn, mpi, virtual
from parallel.refined_flows_on_ranks import FLOWS, digest_of

RANKS = (virtual(3), mpi(2), virtual(5), virtual(2))


@pytest.mark.parametrize(("ranks", "name"), in_turn(RANKS, FLOWS))
def test_ranks_have_the_bits_of_a_single_process(ranks, name):
    assert ranks(digest_of, name) == digest_of(name)
