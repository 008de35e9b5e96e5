"""Blocks are shared anew by measured times, if that pays; bits stay."""

from __future__ import annotations

from functools import partial

import pytest
from many_ranks import in_turn, mpi, virtual
from parallel.rebalanced import PROBLEMS, checksum, told

pytestmark = pytest.mark.alone


@pytest.mark.parametrize(("ranks", "name"), in_turn((mpi(3), mpi(2), mpi(5)), PROBLEMS))
def test_work_in_a_corner_is_shared_and_bits_stay(ranks, name):
    found = ranks(told, name)
    a, alone = PROBLEMS[name]()
    owners = (alone.decomposition.pieces or alone.decomposition).owners
    alone.run(40, progress=False)
    assert found["checksums"] == [checksum(a)] * 3
    assert found["pays"], found["text"]
    assert found["gain"] > 1.1, found["text"]
    assert found["steps"] == 20
    assert found["unpaid"] != found["owners"] != owners


@pytest.mark.parametrize("name", PROBLEMS)
def test_devices_do_not_time_blocks(name):
    found = virtual(2)(partial(told, device="emulated:1"), name)
    assert "On devices kernels are not timed for each block" in found["error"]
