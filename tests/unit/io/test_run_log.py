"""The run log: a file that grows, a screen that is not flooded, a run that survives both."""

from __future__ import annotations

import errno
import io
import os
from pathlib import Path

import pytest

from halocline.errors import OutputError
from halocline.io.log import QUIET_S, RunLog


class Terminal(io.StringIO):
    def isatty(self):
        return True


class FullFile:
    def writelines(self, _):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def close(self):
        pass


def test_every_line_goes_to_the_file_with_the_time_of_day(tmp_path: Path):
    path = tmp_path / "run.log"
    with RunLog(path, io.StringIO()) as log:
        log.note("two\nlines")
        for number in range(3):
            log.progress(f"step {number}")
    lines = path.read_text().splitlines()
    assert [line[21:] for line in lines] == ["two", "lines", "step 0", "step 1", "step 2"]


def test_elsewhere_than_on_a_terminal_progress_shows_now_and_then_and_at_the_end(tmp_path: Path):
    seconds = iter([0.0, 0.0, 1.0, QUIET_S + 1, QUIET_S + 1, QUIET_S + 2, QUIET_S + 3])
    screen = io.StringIO()
    with RunLog(tmp_path / "run.log", screen, lambda: next(seconds)) as log:
        for number in range(4):
            log.progress(f"step {number}")
    assert screen.getvalue().splitlines() == ["step 0", "step 2", "step 3"]


def test_on_a_terminal_progress_stays_on_one_line(tmp_path: Path):
    screen = Terminal()
    with RunLog(tmp_path / "run.log", screen) as log:
        log.progress("step 0")
        log.progress("step 1")
        log.note("done")
    assert screen.getvalue() == "step 0\r\x1b[Kstep 1\r\x1b[Kdone\n"


def test_a_full_disk_does_not_end_the_run_but_is_told_at_once_and_at_the_end(tmp_path: Path):
    screen = io.StringIO()
    log = RunLog(tmp_path / "run.log", screen)
    log._file = FullFile()
    log.note("first")
    log.note("second")
    shown = screen.getvalue()
    assert shown.count("No space left on device") == 1
    assert "The run goes on without its log." in shown
    assert "second" in shown
    with pytest.raises(OutputError, match="No space left on device"):
        log.close()


def test_what_ended_a_run_is_in_its_log(tmp_path: Path):
    path = tmp_path / "run.log"
    with pytest.raises(ValueError, match="broken"), RunLog(path, io.StringIO()):
        raise ValueError("broken")
    assert "ended by ValueError: broken" in path.read_text()


def test_ranks_without_a_file_say_nothing():
    screen = io.StringIO()
    with RunLog(None, screen) as log:
        log.note("something")
        log.progress("something")
    assert screen.getvalue() == ""


def test_the_log_of_a_run_that_goes_on_keeps_its_lines(tmp_path: Path):
    path = tmp_path / "run.log"
    for text, goes_on in (("lost", False), ("first", False), ("second", True)):
        with RunLog(path, io.StringIO(), goes_on=goes_on) as log:
            log.note(text)
    assert [line[21:] for line in path.read_text().splitlines()] == ["first", "second"]
