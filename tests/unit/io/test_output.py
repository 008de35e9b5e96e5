"""Where results go, and what a user is told when they cannot go there."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest
from errors.telling import message_of

from halocline.errors import OutputError
from halocline.io.output import (
    Attempt,
    check_unused,
    create_directory,
    replace_text,
    write_all,
    write_text,
)
from halocline.runtime.job import Job


def full(*_, **__):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_directory_is_made_with_its_parents_and_may_exist(tmp_path: Path):
    path = tmp_path / "a" / "b"
    assert create_directory(path) == path
    assert create_directory(path) == path
    assert list(path.iterdir()) == []


def test_a_directory_with_anything_in_it_is_used(tmp_path: Path):
    check_unused(tmp_path)
    check_unused(tmp_path / "new")
    for name in ("case.toml", "fields.zarr", "report.txt", "run.log", "vtk"):
        (tmp_path / name).mkdir()
    with pytest.raises(OutputError) as error:
        check_unused(tmp_path)
    assert message_of(error.value) == (
        f"The directory '{tmp_path}' is not empty (case.toml, fields.zarr, report.txt, …); "
        "expected a new one for the results. Choose another with --output, or delete this one."
    )


def test_a_file_in_the_way_is_named(tmp_path: Path):
    (tmp_path / "file").touch()
    with pytest.raises(OutputError) as error:
        create_directory(tmp_path / "file" / "out")
    assert message_of(error.value) == (
        f"Could not write '{tmp_path}/file/out': Not a directory. Choose another directory "
        "('halocline run': --output) that can be written."
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_without_permission_is_refused(tmp_path: Path):
    tmp_path.chmod(0o500)
    with pytest.raises(OutputError, match="Permission denied"):
        create_directory(tmp_path / "out")


def test_a_directory_that_exists_but_cannot_be_written_is_refused(tmp_path: Path, monkeypatch):
    def denied(*_):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "write_bytes", denied)
    with pytest.raises(OutputError, match=r"Permission denied\. Choose another"):
        create_directory(tmp_path)


def test_too_little_room_is_found_before_anything_is_computed(tmp_path: Path, monkeypatch):
    usage = shutil.disk_usage(tmp_path)._replace(free=2_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    create_directory(tmp_path, 1_000_000)
    with pytest.raises(OutputError, match=r"has 2\.0 MB left, but the results need about 3\.0 MB"):
        create_directory(tmp_path, 3_000_000)


def test_a_full_disk_is_called_full(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OutputError, match=r"report': No space left on device\. Free some space"):
        write_text(tmp_path / "report", "text")


def test_what_can_be_written_is_written_when_something_else_cannot(tmp_path: Path):
    def lost():
        raise OutputError("Could not write 'b': No space left on device.", hint="Free some space.")

    tasks = {name: lambda n=name: write_text(tmp_path / n, n) for name in ("a", "c")}
    with pytest.raises(OutputError) as error:
        write_all({"a": tasks["a"], "b": lost, "c": tasks["c"]})
    assert message_of(error.value) == (
        "Could not write 'b': No space left on device. Not written: b. Written: a, c. "
        "Free some space."
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "c"]


def test_what_can_be_written_is_written_when_a_picture_has_a_mistake(tmp_path: Path):
    def wrong():
        raise IndexError("list index out of range")

    tasks = {name: lambda n=name: write_text(tmp_path / n, n) for name in ("a", "c")}
    with pytest.raises(OutputError) as error:
        write_all({"a": tasks["a"], "b": wrong, "c": tasks["c"]})
    assert message_of(error.value) == (
        "Could not write 'b': IndexError: list index out of range. Not written: b. Written: a, c."
    )


ALONE = Job(0, 1, None, None, 1)


def test_an_attempt_stops_at_the_first_failure_and_tells_it_at_the_end(tmp_path: Path):
    done = []
    attempt = Attempt(tmp_path / "file", ALONE)
    attempt.do(lambda: done.append(1))
    attempt.do(full)
    attempt.do(lambda: done.append(2))
    assert done == [1]
    with pytest.raises(OutputError, match=r"file': No space left on device"):
        attempt.finish()


def test_an_attempt_calls_anything_that_goes_wrong_a_failure_to_write(tmp_path: Path):
    attempt = Attempt(tmp_path / "file", ALONE)
    attempt.do(lambda: {}["key"])
    with pytest.raises(OutputError, match=r"Could not write '.*file': KeyError: 'key'\."):
        attempt.finish()


def test_a_file_is_replaced_at_once(tmp_path: Path, monkeypatch):
    path = tmp_path / "list"
    replace_text(path, "old")
    replace_text(path, "new")
    assert path.read_text() == "new\n"
    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OutputError, match="No space left"):
        replace_text(path, "newer")
    monkeypatch.undo()
    assert path.read_text() == "new\n"
