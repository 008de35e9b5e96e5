"""Random programs on ranks give the bits of plain NumPy, by any strategy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from launch import mpirun
from property.runs import RELAY, share
from property.wanted import IN_WAYS

pytestmark = pytest.mark.alone
SCRIPT = Path(__file__).with_name("random_programs.py")


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_ranks_compute_what_numpy_does(ranks):
    numbers = share(f"{ranks} ranks")
    bounds = str(numbers.start), str(numbers.stop)
    done = mpirun(ranks, SCRIPT, *bounds, timeout=300 + 10 * len(numbers))
    assert done.returncode == 0, done.stderr
    occurred = json.loads(done.stdout)
    wanted = IN_WAYS | {f"ranks={ranks}", "target=c++", "target=numpy"}
    assert wanted <= set(occurred), wanted - set(occurred)


def test_runs_go_on_from_checkpoints_on_other_numbers_of_ranks(tmp_path):
    numbers = share("relay")
    occurred = set()
    for leg, ranks in enumerate(RELAY):
        given = str(numbers.start), str(numbers.stop), str(leg), str(tmp_path)
        done = mpirun(ranks, SCRIPT, *given, timeout=300 + 10 * len(numbers))
        assert done.returncode == 0, done.stderr
        occurred = set(json.loads(done.stdout))
    assert {f"ranks={ranks}" for ranks in RELAY} | {"way=restart"} <= occurred
