"""Blocks are shared anew by measured times, if that pays; bits stay."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import pytest
from launch import mpirun
from parallel.rebalanced import EVEN, simulation

pytestmark = pytest.mark.alone
SCRIPT = Path(__file__).with_name("rebalanced.py")


def on_ranks(ranks: int, *device: str) -> dict:
    done = mpirun(ranks, SCRIPT, *device, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("ranks", [2, 3, 5])
def test_work_in_a_corner_is_shared_and_bits_stay(ranks):
    a, alone = simulation()
    alone.run(40, progress=False)
    found = on_ranks(ranks)
    assert found["checksums"] == [zlib.crc32(a.gather().tobytes())] * 2
    assert found["pays"], found["text"]
    assert found["gain"] > 1.2
    assert found["steps"] == 20
    evenly = EVEN.decompose((64, 48), (True, True), ranks).owners
    assert tuple(found["unpaid"]) == evenly != tuple(found["owners"])


def test_devices_do_not_time_blocks():
    assert "On devices kernels are not timed for each block" in on_ranks(2, "emulated:1")["error"]
