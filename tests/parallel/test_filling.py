"""Fields and sides that follow arrays have NumPy's values, and the same bits on any ranks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from launch import mpirun
from parallel.filling_on_ranks import STRATEGIES, results, write

SCRIPT = Path(__file__).with_name("filling_on_ranks.py")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """The file that a field follows."""
    path = tmp_path_factory.mktemp("series") / "force.zarr"
    write(path)
    return path


@pytest.fixture(scope="module")
def alone(store):
    """The sums of one process, which are compared with NumPy."""
    return results(store, 1, is_first=True)


def test_one_process_has_the_same_bits_with_every_strategy(alone):
    assert len(alone) == len(STRATEGIES)
    assert len(set(alone)) == 1


@pytest.mark.parametrize("ranks", [2, 3, 8])
def test_ranks_have_the_bits_of_one_process(ranks, alone, store, tmp_path):
    output = tmp_path / "sums.json"
    done = mpirun(ranks, SCRIPT, str(output), str(store), timeout=300)
    assert done.returncode == 0, done.stderr
    assert set(json.loads(output.read_text(encoding="utf-8"))) == set(alone)
