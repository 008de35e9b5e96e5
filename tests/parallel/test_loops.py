"""Numbers that steps compute and loops that end when a condition holds, on ranks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from launch import mpirun

SCRIPT = Path(__file__).with_name("loops_on_ranks.py")


@pytest.mark.parametrize(("ranks", "device"), [(2, "cpu"), (3, "cpu"), (8, "cpu"), (2, "emulated")])
def test_the_same_as_numpy_on_ranks(ranks, device):
    done = mpirun(ranks, SCRIPT, device, timeout=300)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert {name: said for name, said in found["differences"].items() if said} == {}
    assert found["told"] == [
        "The condition 'total < 1.0' did not hold after 3 passes in step 1: total = 128. 8.0"
    ]
