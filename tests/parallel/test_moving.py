"""A simulation whose blocks are replaced gives the bits of one that stays on a single block."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from launch import printed
from parallel.moving import PROBLEMS, STRATEGIES, checksum

SCRIPT = Path(__file__).with_name("moving.py")


@cache
def expected(name: str) -> int:
    return checksum(name, 0, ranks=1, is_moving=False)


def on_ranks(ranks: int, *device: str) -> dict[str, int]:
    return json.loads(printed(ranks, SCRIPT, *device, timeout=300))


@pytest.mark.parametrize("ranks", [2, 3, 8])
def test_on_ranks(ranks):
    found = on_ranks(ranks)
    assert found == {name: expected(name) for name in PROBLEMS}


def test_on_ranks_with_devices():
    found = on_ranks(2, "emulated:3")
    assert found == {name: expected(name) for name in PROBLEMS}


@pytest.mark.parametrize("name", PROBLEMS)
def test_in_one_process(name):
    number = list(PROBLEMS).index(name)
    options = {"strategy": STRATEGIES[number % 2], "device": ("cpu", "emulated:5")[number % 2]}
    assert checksum(name, number, ranks=1, is_moving=True, **options) == expected(name)
