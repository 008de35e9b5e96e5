"""Blocks are shared anew by measured times, if that pays; bits stay."""

from __future__ import annotations

import pytest
from many_ranks import mpi, virtual
from parallel.rebalanced import PROBLEMS, checksum, told_of_all

pytestmark = pytest.mark.alone


@pytest.mark.parametrize("ranks", [mpi(2), mpi(3), mpi(5)], ids=str)
def test_work_in_a_corner_is_shared_and_bits_stay(ranks):
    found = ranks(told_of_all)
    for name, make in PROBLEMS.items():
        a, alone = make()
        owners = (alone.decomposition.pieces or alone.decomposition).owners
        alone.run(40, progress=False)
        assert found[name]["checksums"] == [checksum(a)] * 3
        assert found[name]["pays"], found[name]["text"]
        assert found[name]["gain"] > 1.1, found[name]["text"]
        assert found[name]["steps"] == 20
        assert found[name]["unpaid"] != found[name]["owners"] != owners


def test_devices_do_not_time_blocks():
    for found in virtual(2)(told_of_all, "emulated:1").values():
        assert "On devices kernels are not timed for each block" in found["error"]
