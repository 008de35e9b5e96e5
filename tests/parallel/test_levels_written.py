"""What is written of a forest is the same to the byte on any ranks."""

from __future__ import annotations

from pathlib import Path

import pytest
from many_ranks import in_turn, mpi, virtual
from parallel.levels_written import WAYS, digest_of_files


@pytest.mark.parametrize(("ranks", "way"), in_turn((virtual(3), mpi(2)), WAYS))
def test_ranks_write_the_files_of_a_single_process(ranks, way, tmp_path: Path):
    found = set()
    for one in (virtual(1), ranks):
        folder = tmp_path / str(one)
        folder.mkdir()
        found.add(one(digest_of_files, way, str(folder)))
    assert len(found) == 1
    assert len(found.pop()) == 64
