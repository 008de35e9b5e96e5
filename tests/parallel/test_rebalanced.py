"""Blocks are shared anew by measured times, if that pays; bits stay."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from launch import printed
from parallel.rebalanced import PROBLEMS, checksum

pytestmark = pytest.mark.alone
SCRIPT = Path(__file__).with_name("rebalanced.py")


def on_ranks(ranks: int, *device: str) -> dict:
    return json.loads(printed(ranks, SCRIPT, *device, timeout=120))


@pytest.mark.parametrize("ranks", [2, 3, 5])
def test_work_in_a_corner_is_shared_and_bits_stay(ranks):
    found = on_ranks(ranks)
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
    for found in on_ranks(2, "emulated:1").values():
        assert "On devices kernels are not timed for each block" in found["error"]
