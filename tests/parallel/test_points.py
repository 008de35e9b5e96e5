"""Points off the grid give NumPy's values, and the same bits on any ranks with any strategy."""

from __future__ import annotations

import pytest
from many_ranks import mpi, slow, virtual
from parallel.points_on_ranks import PROBLEMS, results, sums


@pytest.fixture(scope="module")
def alone():
    """The sums of one process, which are compared with NumPy."""
    return results(1, is_first=True)


def test_one_process_has_the_values_of_numpy(alone):
    assert set(alone) == {problem.label for problem in PROBLEMS}


@pytest.mark.parametrize("ranks", [slow(virtual(8)), virtual(2), virtual(3), mpi(2)], ids=str)
def test_ranks_have_the_bits_of_one_process(ranks, alone):
    found = ranks(sums)
    assert len(found) >= len(PROBLEMS) - 6
    assert found == {label: alone[label] for label in found}
