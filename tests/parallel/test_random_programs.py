"""Random programs on ranks give the bits of plain NumPy, by any strategy."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import settings
from launch import mpirun
from property.features import IN_WAYS
from property.runs import share

SCRIPT = Path(__file__).with_name("random_programs.py")


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_ranks_compute_what_numpy_does(ranks):
    # Others each time with --hypothesis-profile=explore.
    seed = 0 if settings.default.derandomize else random.randrange(1 << 30)
    count = share(f"{ranks} ranks")
    done = mpirun(ranks, SCRIPT, str(count), str(seed), timeout=120 + 10 * count)
    assert done.returncode == 0, f"seed {seed}\n{done.stderr}"
    occurred = json.loads(done.stdout)
    wanted = IN_WAYS | {f"ranks={ranks}", "target=c++", "target=numpy"}
    assert wanted <= set(occurred), wanted - set(occurred)
