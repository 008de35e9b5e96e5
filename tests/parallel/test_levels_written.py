"""What is written of a forest is the same to the byte on any ranks."""

from __future__ import annotations

from pathlib import Path

import pytest
from many_ranks import mpi, slow, virtual
from parallel.levels_written import digest_of_files


@pytest.mark.parametrize("ranks", [slow(virtual(3)), mpi(2)], ids=str)
def test_ranks_write_the_files_of_a_single_process(ranks, tmp_path: Path):
    found = set()
    for one in (virtual(1), ranks):
        folder = tmp_path / str(one)
        folder.mkdir()
        found.add(one(digest_of_files, str(folder)))
    assert len(found) == 1
    assert len(found.pop()) == 64
