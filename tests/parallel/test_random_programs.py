"""Random programs on ranks give the bits of plain NumPy, by any strategy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from launch import mpirun
from property.runs import RELAY, share
from property.wanted import IN_WAYS

SCRIPT = Path(__file__).with_name("random_programs.py")


RANKS = (2, 3, 4)


@pytest.fixture(scope="module")
def occurred():
    """What occurred on a number of ranks; each number is launched once."""
    known: dict[int, set[str]] = {}

    def launch(ranks: int) -> set[str]:
        if ranks not in known:
            numbers = share(f"{ranks} ranks")
            bounds = str(numbers.start), str(numbers.stop)
            done = mpirun(ranks, SCRIPT, *bounds, timeout=300 + 10 * len(numbers))
            assert done.returncode == 0, done.stderr
            known[ranks] = set(json.loads(done.stdout))
        return known[ranks]

    return launch


@pytest.mark.parametrize("ranks", RANKS)
def test_ranks_compute_what_numpy_does(ranks, occurred):
    assert {f"ranks={ranks}", "target=c++", "target=numpy"} <= occurred(ranks)


def test_every_way_to_run_programs_occurred_on_ranks(occurred):
    missing = IN_WAYS - set().union(*map(occurred, RANKS))
    assert not missing, missing


def test_runs_go_on_from_checkpoints_on_other_numbers_of_ranks(tmp_path):
    numbers = share("relay")
    occurred = set()
    for leg, ranks in enumerate(RELAY):
        given = str(numbers.start), str(numbers.stop), str(leg), str(tmp_path)
        done = mpirun(ranks, SCRIPT, *given, timeout=300 + 10 * len(numbers))
        assert done.returncode == 0, done.stderr
        occurred = set(json.loads(done.stdout))
    assert {f"ranks={ranks}" for ranks in RELAY} | {"way=restart"} <= occurred
