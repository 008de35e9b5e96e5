"""A simulation whose blocks are replaced gives the bits of one that stays on a single block."""

from __future__ import annotations

from functools import cache

import pytest
from many_ranks import mpi, slow, virtual
from parallel.moving import PROBLEMS, STRATEGIES, checksum, checksums


@cache
def expected(name: str) -> int:
    return checksum(name, 0, ranks=1, is_moving=False)


@pytest.mark.parametrize("ranks", [slow(virtual(2)), virtual(3), slow(virtual(8)), mpi(2)], ids=str)
def test_on_ranks(ranks):
    assert ranks(checksums) == {name: expected(name) for name in PROBLEMS}


def test_on_ranks_with_devices():
    assert virtual(2)(checksums, "emulated:3") == {name: expected(name) for name in PROBLEMS}


@pytest.mark.parametrize("name", PROBLEMS)
def test_in_one_process(name):
    number = list(PROBLEMS).index(name)
    options = {"strategy": STRATEGIES[number % 2], "device": ("cpu", "emulated:5")[number % 2]}
    assert checksum(name, number, ranks=1, is_moving=True, **options) == expected(name)
