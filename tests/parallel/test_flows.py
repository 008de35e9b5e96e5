"""Flows with every boundary, on two grids and in place, have the same bits on any ranks."""

from __future__ import annotations

from pathlib import Path

import pytest
from launch import mpirun
from small_flows import SETUPS, fingerprint, run

SCRIPT = Path(__file__).with_name("flows_on_ranks.py")


@pytest.fixture(scope="module")
def expected() -> dict[str, int]:
    return {name: fingerprint(run(setup)[0]) for name, setup in SETUPS.items()}


@pytest.mark.parametrize("ranks", [2, 3])
def test_flows_have_the_bits_of_one_rank(ranks, expected):
    done = mpirun(ranks, SCRIPT, timeout=500.0)
    assert done.returncode == 0, done.stderr
    lines = [line.split("|") for line in done.stdout.splitlines()]
    assert len(lines) == len(SETUPS)
    wrong = [f"{name} {way}" for name, way, bits in lines if int(bits) != expected[name]]
    assert not wrong
