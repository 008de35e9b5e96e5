"""Fields and sides that follow arrays have NumPy's values, and the same bits on any ranks."""

from __future__ import annotations

import pytest
from many_ranks import mpi, slow, virtual
from parallel.filling_on_ranks import STRATEGIES, results, sums, write


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """The file that a field follows."""
    path = tmp_path_factory.mktemp("series") / "force.zarr"
    write(path)
    return path


@pytest.fixture(scope="module")
def alone(store):
    """The sums of one process, which are compared with NumPy."""
    return results(store, 1, is_first=True)


def test_one_process_has_the_same_bits_with_every_strategy(alone):
    assert len(alone) == len(STRATEGIES)
    assert len(set(alone)) == 1


@pytest.mark.parametrize("ranks", [slow(virtual(2)), virtual(3), slow(virtual(8)), mpi(2)], ids=str)
def test_ranks_have_the_bits_of_one_process(ranks, alone, store):
    assert set(ranks(sums, str(store))) == set(alone)
