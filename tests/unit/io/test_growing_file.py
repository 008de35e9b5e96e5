"""A file whose old bytes change last: all of a change is made, or nothing."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
import xarray

from halocline.io.growing_file import GrowingFile

OLD = bytes(range(100))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_bytes(OLD)
    return path


def change(file: GrowingFile) -> None:
    """Write across the end of what was there, and in its middle, twice."""
    for place, data in ((90, b"a" * 30), (10, b"b" * 10), (15, b"c" * 10)):
        file.seek(place)
        file.write(data)


CHANGED = OLD[:10] + b"bbbbb" + b"c" * 10 + OLD[25:90] + b"a" * 30


def test_what_was_written_is_read_at_once(path):
    file = GrowingFile(path)
    change(file)
    file.seek(0)
    assert file.read() == CHANGED
    file.seek(-110, os.SEEK_END)
    assert file.read(20) == CHANGED[10:30]
    file.discard()


def test_old_bytes_change_when_it_is_published(path):
    file = GrowingFile(path)
    change(file)
    assert path.read_bytes()[:100] == OLD
    file.publish()
    assert path.read_bytes() == CHANGED


def test_what_is_discarded_leaves_the_file_as_it_was(path):
    file = GrowingFile(path)
    change(file)
    file.discard()
    assert path.read_bytes() == OLD


def test_it_ends_where_it_is_told_to(path):
    file = GrowingFile(path)
    change(file)
    file.truncate(50)
    file.publish()
    assert path.read_bytes() == CHANGED[:50]


def test_a_write_that_fails_is_told_at_the_end_and_all_is_undone(path, monkeypatch):
    file = GrowingFile(path)
    append = file._append

    def full(place, content):
        append(place, content[:5])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(file, "_append", full)
    change(file)
    file.seek(0)
    assert file.read() == CHANGED
    with pytest.raises(OSError, match="No space"):
        file.publish()
    assert path.read_bytes() == OLD


# A limit on the size of files stands in for a disk that is full.
FULL_DISK = """
import os, resource, signal, sys
import numpy as np
import halocline as hc
from halocline.errors import OutputError
from halocline.io.field_series import FieldSeries
from halocline.io.quantity import Quantity

@hc.kernel
def nothing(a):
    a[...] = a


signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
grid = hc.Grid((60, 50))
T = grid.field("T")


simulation = hc.Simulation(grid, [nothing(T)], target="numpy", threads=1)
simulation.run(0)
T.set(lambda x, y: np.random.default_rng(1).random((60, 50)))
series = FieldSeries(sys.argv[1], 1, simulation, grid, (Quantity("T", T),))
series.write(0, 0.0)
size = os.path.getsize(sys.argv[1])
for room in (0, 100, 5_000, 15_000):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + room, resource.RLIM_INFINITY))
    try:
        series.write(1, 1.0)
    except OutputError as error:
        print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
series.write(2, 2.0)
"""


def test_a_full_disk_leaves_a_netcdf_file_that_can_be_read_and_goes_on(tmp_path: Path):
    path = tmp_path / "series.nc"
    script = tmp_path / "full_disk.py"
    script.write_text(FULL_DISK)
    command = [sys.executable, str(script), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout.count("File too large") == 4
    with xarray.open_dataset(path) as found:
        assert list(found["step"].values) == [0, 2]
        assert found["T"].load().notnull().all()
