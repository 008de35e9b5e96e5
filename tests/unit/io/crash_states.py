"""What a crash may leave on a disk: a model of POSIX files, filled from recorded calls.

The model keeps what POSIX promises and nothing else. Bytes of a file are on the disk after its
'fsync'; names in a directory after the 'fsync' of that directory. What was not synchronised may be
there or not, in any combination; the last write may be there in part.
"""

from __future__ import annotations

import io
import os
import shutil
import threading
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path

import pytest

from halocline.frozen import Frozen


class Write(Frozen):
    """Bytes at a place of a file, or with None as data a new length."""

    file: int
    at: int
    data: bytes | None


class Name(Frozen):
    """A name that means another file, or a directory, or (None) no longer anything."""

    path: str
    file: int | str | None


class Sync(Frozen):
    """All bytes of a file, or all names in a directory, are on the disk."""

    of: int | str


class Mark(Frozen):
    """Something that the test knows: how many checkpoints had been started or finished."""

    what: str
    number: int


DIRECTORY = "directory"


class Recording:
    """The calls that change files below a folder, in order, from all threads."""

    def __init__(self, folder: Path, before=()) -> None:
        self.folder = str(folder)
        self.events = []
        self.lock = threading.RLock()
        self.names = {}  # what each path means now
        self.open = {}  # descriptors: a number of a file, or the path of a directory
        for event in before:
            self.add(event)
        files = (e.file for e in self.events if isinstance(e, Write | Name))
        self.files = 1 + max((n for n in files if isinstance(n, int)), default=0)

    def add(self, event) -> None:
        with self.lock:
            self.events.append(event)
            if isinstance(event, Name):
                self.names[event.path] = event.file

    def knows(self, path) -> bool:
        return str(path).startswith(self.folder)

    def mark(self, what, number) -> None:
        self.add(Mark(what, number))


class _File(io.FileIO):
    """A file whose writes are recorded."""

    def __init__(self, recording, path, mode) -> None:
        super().__init__(path, mode)
        self.recording = recording
        with recording.lock:
            if "w" in mode:
                number = recording.names.get(str(path))
                if number is None:
                    number, recording.files = recording.files, recording.files + 1
                    recording.add(Name(str(path), number))
                else:
                    recording.add(Write(number, 0, None))
            self.number = recording.names[str(path)]
            recording.open[self.fileno()] = self.number

    def write(self, data) -> int:
        at = self.tell()
        count = super().write(data)
        self.recording.add(Write(self.number, at, bytes(data)[:count]))
        return count

    def truncate(self, size=None) -> int:
        size = super().truncate(size)
        self.recording.add(Write(self.number, size, None))
        return size


def _opener(recording, plain):
    """Return an 'open' that records what is written into files of a recording."""

    def open_file(path, mode="r", *arguments, **options):
        if "b" not in mode or not recording.knows(path) or set(mode) <= {"r", "b"}:
            return plain(path, mode, *arguments, **options)
        raw = _File(recording, path, mode.replace("b", ""))
        return io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)

    return open_file


@contextmanager
def recorded(folder: Path, before=()):
    """Record within this, in this process, what changes files below a folder, after other events.

    The folder gets the files that another process sees after these, all of them.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    disk = Disk(before)
    lay_out(disk.state([True] * len(disk.pending)), folder, folder)
    recording, patch = Recording(folder, before), pytest.MonkeyPatch()
    plain = {name: getattr(os, name) for name in ("open", "fsync", "replace", "unlink", "mkdir")}
    plain_rmdir = os.rmdir

    def open_descriptor(path, *arguments, **options):
        descriptor = plain["open"](path, *arguments, **options)
        if recording.knows(path):
            recording.open[descriptor] = str(path)
        return descriptor

    def fsync(descriptor):
        plain["fsync"](descriptor)
        recording.add(Sync(recording.open[descriptor]))

    def replace(source, target, **options):
        plain["replace"](source, target, **options)
        # A crash may leave both names.
        recording.add(Name(str(target), recording.names[str(source)]))
        recording.add(Name(str(source), None))

    def remove(call):
        def removed(path, **options):
            call(path, **options)
            if recording.knows(path):
                recording.add(Name(str(path), None))

        return removed

    def mkdir(path, *arguments, **options):
        plain["mkdir"](path, *arguments, **options)
        if recording.knows(path):
            recording.add(Name(str(path), DIRECTORY))

    calls = {"open": open_descriptor, "fsync": fsync, "replace": replace, "mkdir": mkdir}
    calls |= {"unlink": remove(plain["unlink"]), "rmdir": remove(plain_rmdir)}
    for name, call in calls.items():
        patch.setattr(os, name, call)
    patch.setattr(io, "open", _opener(recording, io.open))
    try:
        yield recording
    finally:
        patch.undo()


class Disk:
    """What is on a disk for certain after some events, and what may be."""

    def __init__(self, events=()) -> None:
        self.bytes = defaultdict(bytes)
        self.names = {}
        self.pending = []
        self.marks = {}
        for event in events:
            self.apply(event)

    def apply(self, event) -> None:
        if isinstance(event, Mark):
            self.marks[event.what] = event.number
        elif isinstance(event, Sync):
            self._sync(event.of)
        else:
            self.pending.append(event)

    def _sync(self, of) -> None:
        kept = [event for event in self.pending if _belongs(event, of)]
        self.pending = [event for event in self.pending if not _belongs(event, of)]
        for event in kept:
            _do(event, self.bytes, self.names)

    def state(self, chosen, torn=None):
        """Return the names and bytes after a crash.

        Args:
            chosen: Which of the pending events are on the disk, as truth values.
            torn: How many bytes of the last write that is there are there; None for all.
        """
        content, names = defaultdict(bytes, self.bytes), dict(self.names)
        there = [event for event, is_there in zip(self.pending, chosen, strict=True) if is_there]
        for event in there:
            is_torn = torn is not None and event is there[-1] and isinstance(event, Write)
            _do(_torn(event, torn) if is_torn else event, content, names)
        return {path: DIRECTORY if file == DIRECTORY else content[file]
                for path, file in names.items() if file is not None}  # fmt: skip


def _torn(write, length):
    """Return a write of which so many bytes are on the disk."""
    return write if write.data is None else Write(write.file, write.at, write.data[:length])


def _belongs(event, of) -> bool:
    if isinstance(event, Write):
        return event.file == of
    return str(Path(event.path).parent) == of


def _do(event, content, names) -> None:
    if isinstance(event, Name):
        names[event.path] = event.file
        return
    before = content[event.file]
    if event.data is None:
        content[event.file] = before[: event.at].ljust(event.at, b"\0")
    else:
        after = event.at + len(event.data)
        filled = before.ljust(event.at, b"\0")
        content[event.file] = filled[: event.at] + event.data + filled[after:]


def states(events, rng, random_states):
    """Yield states of a disk after each event, with what was known then.

    All that was done; nothing that was not synchronised; all but one event, and one alone, each
    whole and torn; and some random combinations.
    """
    disk = Disk()
    for event in events:
        disk.apply(event)
        number = len(disk.pending)
        each = range(number)
        choices = [[True] * number, [False] * number]
        choices += [[k != n for k in each] for n in each] + [[k == n for k in each] for n in each]
        choices += [[rng.random() < 0.5 for _ in each] for _ in range(random_states)]
        for chosen in choices:
            for torn in (None, rng.choice([0, 1, 13, 100, 400])):
                yield dict(disk.marks), disk.state(chosen, torn)


def lay_out(state, folder: Path, target: Path) -> None:
    """Write a state of a folder's files into another one. A lost directory loses its files."""
    for path, content in sorted(state.items()):
        place = target / Path(path).relative_to(folder)
        if not place.parent.is_dir():
            continue
        if content == DIRECTORY:
            place.mkdir()
        else:
            place.write_bytes(content)
