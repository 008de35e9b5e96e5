"""What is written of a forest is the same to the byte on any ranks."""

from __future__ import annotations

from pathlib import Path

from launch import mpirun, python

SCRIPT = Path(__file__).with_name("levels_written.py")


def test_ranks_write_the_files_of_a_single_process(tmp_path: Path):
    found = set()
    for ranks in (1, 2, 3):
        folder = tmp_path / str(ranks)
        folder.mkdir()
        done = python(SCRIPT, str(folder)) if ranks == 1 else mpirun(ranks, SCRIPT, str(folder))
        assert done.returncode == 0, done.stderr
        found.add(done.stdout.strip())
    assert len(found) == 1
    assert len(found.pop()) == 64
