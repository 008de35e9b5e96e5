"""Numbers that steps compute and loops that end when a condition holds, on ranks."""

from __future__ import annotations

import pytest
from many_ranks import mpi, virtual
from parallel.loops_on_ranks import compare


@pytest.mark.parametrize(
    ("ranks", "device"),
    [
        pytest.param(virtual(2), "cpu", marks=pytest.mark.slow),
        (virtual(3), "cpu"),
        pytest.param(virtual(8), "cpu", marks=pytest.mark.slow),
        (mpi(2), "cpu"),
        pytest.param(virtual(2), "emulated", marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_the_same_as_numpy_on_ranks(ranks, device):
    found = ranks(compare, device)
    assert {name: said for name, said in found["differences"].items() if said} == {}
    assert found["told"] == [
        "The condition 'total < 1.0' did not hold after 3 iterations in step 1: total = 128. 8.0"
    ]
