"""Forests refined while they run have the same bits on any ranks, restarts included."""

from __future__ import annotations

import pytest
from many_ranks import mpi, slow, virtual
from parallel.regrids_on_ranks import digest_and_leaves


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return tmp_path_factory.mktemp("saved") / "checkpoint.npz"


@pytest.fixture(scope="module")
def alone(saved):
    """What a single process finds, which has written a checkpoint on the way."""
    return virtual(1)(digest_and_leaves, str(saved))


def test_the_finest_level_has_leaves(alone):
    assert alone[-1] > 0


@pytest.mark.parametrize("ranks", [slow(virtual(3)), slow(mpi(2)), slow(virtual(5))], ids=str)
def test_ranks_have_the_bits_of_a_single_process(ranks, alone, tmp_path):
    assert ranks(digest_and_leaves, str(tmp_path / "own.npz")) == alone


@pytest.mark.parametrize("ranks", [mpi(2), slow(virtual(3)), slow(virtual(1))], ids=str)
def test_what_one_process_has_saved_goes_on_on_any(ranks, alone, saved):
    assert ranks(digest_and_leaves, str(saved)) == alone
