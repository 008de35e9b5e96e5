"""Flows on several levels past bodies have the same bits on any ranks."""

from __future__ import annotations

from functools import cache

import pytest
from many_ranks import mpi, virtual
from parallel.refined_flows_on_ranks import digests


@cache
def alone():
    return digests()


@pytest.mark.parametrize("ranks", [virtual(2), virtual(3), virtual(5), mpi(2)], ids=str)
def test_ranks_have_the_bits_of_a_single_process(ranks):
    assert ranks(digests, timeout=600) == alone()
