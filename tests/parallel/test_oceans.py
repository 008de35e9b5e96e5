"""Oceans with coasts, drying and open boundaries have the same bits on any ranks."""

from __future__ import annotations

from pathlib import Path

import pytest
from launch import mpirun
from small_oceans import SETUPS, fingerprint, run

SCRIPT = Path(__file__).with_name("oceans_on_ranks.py")


@pytest.fixture(scope="module")
def expected() -> dict[str, int]:
    return {name: fingerprint(run(setup)[0]) for name, setup in SETUPS.items()}


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_oceans_have_the_bits_of_one_rank(ranks, expected):
    done = mpirun(ranks, SCRIPT, timeout=500.0)
    assert done.returncode == 0, done.stderr
    lines = [line.split("|") for line in done.stdout.splitlines()]
    assert len(lines) == len(SETUPS)
    assert [name for name, bits in lines if int(bits) != expected[name]] == []
