"""Oceans with coasts, drying and open boundaries have the same bits on any ranks."""

from __future__ import annotations

import pytest
from many_ranks import in_turn, mpi, virtual
from parallel.oceans_on_ranks import fingerprint_of
from small_oceans import SETUPS, fingerprint, run

RANKS = (virtual(2), mpi(2), virtual(3))


@pytest.mark.parametrize(("ranks", "name"), in_turn(RANKS, SETUPS))
def test_oceans_have_the_bits_of_one_rank(ranks, name):
    assert ranks(fingerprint_of, name) == fingerprint(run(SETUPS[name])[0])
