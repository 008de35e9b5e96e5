"""Oceans with coasts, drying and open boundaries have the same bits on any ranks."""

from __future__ import annotations

import pytest
from many_ranks import mpi, virtual
from parallel.oceans_on_ranks import fingerprints
from small_oceans import SETUPS, fingerprint, run


@pytest.fixture(scope="module")
def expected() -> dict[str, int]:
    return {name: fingerprint(run(setup)[0]) for name, setup in SETUPS.items()}


@pytest.mark.parametrize("ranks", [virtual(2), virtual(3), virtual(4), mpi(2)], ids=str)
def test_oceans_have_the_bits_of_one_rank(ranks, expected):
    assert ranks(fingerprints) == expected
