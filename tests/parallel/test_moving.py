"""A simulation whose blocks are replaced gives the bits of one that stays on a single block."""

from __future__ import annotations

from functools import cache

import pytest
from many_ranks import in_turn, mpi, virtual
from parallel.moving import PROBLEMS, STRATEGIES, checksum, on_these


@cache
def expected(name: str) -> int:
    return checksum(name, 0, ranks=1, is_moving=False)


@pytest.mark.parametrize(
    ("ranks", "name"), in_turn((virtual(3), mpi(2), virtual(8), virtual(2)), PROBLEMS)
)
def test_on_ranks(ranks, name):
    assert ranks(on_these, name) == expected(name)


@pytest.mark.parametrize("name", PROBLEMS)
def test_on_ranks_with_devices(name):
    assert virtual(2)(on_these, name, "emulated:3") == expected(name)


@pytest.mark.parametrize("name", PROBLEMS)
def test_in_one_process(name):
    number = list(PROBLEMS).index(name)
    options = {"strategy": STRATEGIES[number % 2], "device": ("cpu", "emulated:5")[number % 2]}
    assert checksum(name, number, ranks=1, is_moving=True, **options) == expected(name)
