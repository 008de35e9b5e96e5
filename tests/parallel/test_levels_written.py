"""What is written of a forest is the same to the byte on any ranks."""

from __future__ import annotations

from pathlib import Path

from many_ranks import mpi, virtual
from parallel.levels_written import digest_of_files


def test_ranks_write_the_files_of_a_single_process(tmp_path: Path):
    found = set()
    for ranks in (virtual(1), virtual(3), mpi(2)):
        folder = tmp_path / str(ranks)
        folder.mkdir()
        found.add(ranks(digest_of_files, str(folder)))
    assert len(found) == 1
    assert len(found.pop()) == 64
