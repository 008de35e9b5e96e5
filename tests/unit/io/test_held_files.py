"""Two processes never write one file: the second is refused."""

from __future__ import annotations

import gc
import subprocess
import sys

import pytest

import halocline as hc
from halocline.errors import OutputError
from halocline.io import lock
from halocline.io.checkpoint import save
from halocline.io.field_series import FieldSeries
from halocline.io.lock import hold
from halocline.io.log import RunLog

HOLDER = (
    "import sys; from halocline.io.lock import hold; from pathlib import Path\n"
    "hold(Path(sys.argv[1]), hold); print(flush=True); sys.stdin.read()\n"
)


class Writer:
    """Something that writes a file."""


@pytest.fixture
def other_process(tmp_path):
    """Return a path, which another process writes, and that process."""
    path = tmp_path / "out.nc"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], **pipes) as process:
        assert process.stdout.readline() == b"\n"
        yield path, process
        process.kill()


@hc.kernel
def decay(T):
    T[0] = 0.5 * T


def simulation() -> hc.Simulation:
    grid = hc.Grid((4,), periodic=True)
    return hc.Simulation(grid, [decay(grid.field("T"))], threads=1, target="numpy")


def test_what_another_process_writes_is_refused_until_that_ends(other_process, monkeypatch):
    path, process = other_process
    message = f"'{path}' is being written by process {process.pid}; two at once"
    writers = [
        lambda: FieldSeries(path, 1, run, run.grid, []),
        lambda: RunLog(path),
        lambda: save(run, path),
    ]
    run = simulation()
    for write in writers:
        with pytest.raises(OutputError) as error:
            write()
        assert str(error.value).startswith(message)
    # A process that is killed holds nothing.
    process.kill()
    process.wait()
    save(run, path)


def test_one_process_may_write_a_file_again_and_gives_it_back(tmp_path, monkeypatch):
    gc.collect()
    before = set(lock._sockets)
    first, second = Writer(), Writer()
    hold(tmp_path / "out.nc", first)
    # By another way to the same place.
    monkeypatch.chdir(tmp_path)
    hold(tmp_path / "." / "out.nc", second)
    assert len(set(lock._sockets) - before) == 1
    del first
    assert len(set(lock._sockets) - before) == 1
    del second
    assert set(lock._sockets) == before
    assert not list(tmp_path.iterdir())
