"""Points off the grid give NumPy's values, and the same bits on any ranks with any strategy."""

from __future__ import annotations

from functools import cache

import pytest
from many_ranks import in_turn, mpi, virtual
from parallel.points_on_ranks import PROBLEMS, sums

LABELS = [problem.label for problem in PROBLEMS]


@cache
def alone(label):
    """Return the sum of a process alone, which compares with NumPy; all its strategies agree."""
    (found,) = set(virtual(1)(sums, LABELS.index(label)))
    return found


@pytest.mark.parametrize(
    ("ranks", "label"), in_turn((virtual(2), virtual(3), mpi(2), virtual(8)), LABELS)
)
def test_ranks_have_the_bits_of_one_process(ranks, label):
    assert set(ranks(sums, LABELS.index(label))) <= {alone(label)}
