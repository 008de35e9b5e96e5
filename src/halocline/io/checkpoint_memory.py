"""Copies of a checkpoint in the memory of nodes: the loss of one node loses none of its parts.

Each rank writes its part into the shared memory of its node, and a rank of the next node writes a
copy there. The parts are in one of two slots: a new generation uses the one that the newest
complete generation does not use. A manifest, which each node writes when all ranks have compared
the digests of parts and copies, makes a generation valid.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import zipfile
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace

from halocline.errors import CaseError, OutputError
from halocline.free_memory import size_text
from halocline.frozen import Frozen
from halocline.io.checkpoint_files import digest_of, is_whole
from halocline.io.output import Attempt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from halocline.runtime.job import Job

_SHARED_MEMORY = Path("/dev/shm")
_PREFIX = "halocline-checkpoint-"
_SLOTS = ("a", "b")
_MANIFEST = "manifest.json"
_LOCK = "lock"
# Before a report in what a launcher prints.
_REPORT = "halocline report: "
# A message of a part [bytes].
_CHUNK_BYTES = 1 << 25
# The locks that this process has: a folder is in use while one is held.
_locks: dict[Path, int] = {}


class Report(Frozen):
    """What a node holds of a checkpoint.

    Attributes:
        node: Number of the node.
        manifests: By slot.
        digests: Of the files that a rank has looked at: by slot and name.
    """

    node: int
    manifests: Mapping[str, Mapping[str, Any]]
    digests: Mapping[str, Mapping[str, str]]

    def without(self, slot: str, damaged: Iterable[tuple[int, set[str]]]) -> Report:
        """Return the report without files of a slot that are damaged, by the node that has them."""
        lost = {name for node, names in damaged if node == self.node for name in names}
        left = {n: digest for n, digest in self.digests[slot].items() if n not in lost}
        return replace(self, digests={**self.digests, slot: left})


class Generation(Frozen):
    """A checkpoint in memory of which each part is on a node.

    Attributes:
        number: Greater than that of an older one.
        slot: Where it is on all nodes.
        content: What the checkpoint says of itself.
        places: For each part the nodes that hold it, and the name of the file there.
    """

    number: int
    slot: str
    content: Mapping[str, Any]
    places: tuple[tuple[tuple[int, str], ...], ...]


def newest_of(reports: Iterable[Report]) -> Generation | None:
    """Return the newest generation that is complete on the nodes that have reported."""
    reports = list(reports)
    # A node that was away for a while may hold another manifest of the same number.
    found = {
        (int(manifest["number"]), slot, json.dumps(manifest)): manifest
        for report in reports
        for slot, manifest in report.manifests.items()
    }
    for number, slot, text in sorted(found, reverse=True):
        manifest = found[number, slot, text]
        digests = enumerate(manifest["digests"])
        places = tuple(_places(reports, slot, part, digest) for part, digest in digests)
        if all(places):
            return Generation(number, slot, manifest["content"], places)
    return None


def _places(
    reports: Iterable[Report], slot: str, part: int, digest: str
) -> tuple[tuple[int, str], ...]:
    names = (_own(part), _copy(part))
    return tuple(
        (report.node, name)
        for report in reports
        for name in names
        if report.digests.get(slot, {}).get(name) == digest
    )


def _own(part: int) -> str:
    return f"{part}.npz"


def _copy(part: int) -> str:
    return f"{part}.copy.npz"


class MemoryCopies:
    """The copies of a checkpoint in the memory of the nodes of a job; all calls are collective.

    Args:
        path: The checkpoint, as rank 0 names it.
        job: The ranks.
    """

    def __init__(self, path: Path, job: Job) -> None:
        # The same on all nodes, whatever is mounted there.
        place = job.first(os.path.abspath(path))  # noqa: PTH100 (follows no links)
        assert place is not None
        self._place = place
        self._job = job
        self._node = job.nodes[job.rank]
        self._folder = _folder(_memory_of(job), place)
        self._nodes = 1 + max(job.nodes)
        self._here = [rank for rank, node in enumerate(job.nodes) if node == self._node]

    @property
    def _is_first(self) -> bool:
        """Whether this rank does what is done once on a node."""
        return self._job.rank == self._here[0]

    def check(self, size_bytes: int, slots: Sequence[str] = _SLOTS) -> None:
        """Refuse copies that would protect from nothing, or do not fit.

        Args:
            size_bytes: The part of this rank.
            slots: Where generations are to be written.

        Raises:
            CaseError: The ranks are on one node.
            OutputError: A node has too little shared memory.
        """
        job = self._job
        free = _free_bytes(self._folder, slots) if self._is_first else 0
        reports = job.everywhere((size_bytes, free))
        job.on_each(lambda: self._refuse(reports, len(slots)))

    def _refuse(self, reports: Sequence[tuple[int, int]], generations: int) -> None:
        if self._nodes == 1:
            raise CaseError(
                "Checkpoints in memory were asked for, but all ranks are on one node, whose loss "
                "would take them, too.",
                hint="Run on two nodes or more, or write checkpoints into files.",
            )
        parts, free = [0] * self._nodes, [0] * self._nodes
        for node, (size, free_bytes) in zip(self._job.nodes, reports, strict=True):
            parts[node] += size
            free[node] += free_bytes
        for node in range(self._nodes):
            needed = generations * (parts[node] + parts[node - 1])
            if free[node] < needed:
                rank = self._job.nodes.index(node)
                raise OutputError(
                    f"'{_SHARED_MEMORY}' on the node of rank {rank} has {size_text(free[node])} "
                    f"left; expected {size_text(needed)} for parts of a checkpoint in memory.",
                    hint="Use more nodes, let it be larger ('mount -o remount,size=…'), or write "
                    "checkpoints into files.",
                )

    def keep(
        self,
        size_bytes: int,
        write: Callable[[zipfile.ZipFile], None],
        content: Callable[[], Mapping[str, Any]],
    ) -> None:
        """Write a generation; the one before stays valid until it is complete.

        Args:
            size_bytes: The part of this rank.
            write: Writes this part into an archive.
            content: Returns what the checkpoint says of itself; called on rank 0.

        Raises:
            HaloclineError: It cannot be written.
        """
        job = self._job
        attempt = Attempt(self._folder, job, "An older copy in memory stays as it is.")
        reports = self._reports()
        newest = newest_of(reports)
        slot = _SLOTS[newest is not None and newest.slot == _SLOTS[0]]
        numbers = [int(m["number"]) for r in reports for m in r.manifests.values()]
        self.check(size_bytes, (slot,))
        if self._is_first:
            attempt.do_on_each(self._folder, lambda: self._clear(slot))
        attempt.finish()
        own = self._folder / slot / _own(job.rank)
        digests: dict[int, str] = {}
        attempt.do_on_each(own, lambda: digests.update({job.rank: _written(own, write)}))
        self._exchange(own if digests else None, slot, attempt)
        attempt.finish()
        for part in self._received():
            digests[part] = _digest(self._folder / slot / _copy(part))
        everything = job.everywhere((digests, dict(content()) if job.rank == 0 else None))
        job.on_each(lambda: _compare([found for found, _ in everything]))
        manifest = {
            "checkpoint": self._place,
            "number": 1 + max(numbers, default=0),
            "digests": [found[rank] for rank, (found, _) in enumerate(everything)],
            "content": everything[0][1],
        }
        if self._is_first:
            attempt.do_on_each(self._folder, lambda: self._publish(slot, manifest))
        attempt.finish()

    def _clear(self, slot: str) -> None:
        """Give up what a slot holds, and take the folder in use."""
        folder = self._folder / slot
        self._folder.mkdir(mode=0o700, exist_ok=True)
        _refuse_of_others(self._folder)
        _lock(self._folder)
        folder.mkdir(exist_ok=True)
        (folder / _MANIFEST).unlink(missing_ok=True)
        for file in folder.iterdir():
            file.unlink(missing_ok=True)

    def _publish(self, slot: str, manifest: Mapping[str, Any]) -> None:
        file = self._folder / slot / _MANIFEST
        unfinished = file.with_name(f"{_MANIFEST}.{self._job.rank}")
        unfinished.write_bytes(json.dumps(manifest).encode())
        unfinished.replace(file)

    def _target(self, rank: int) -> int:
        """Return the rank of the next node that keeps the copy of a rank's part."""
        nodes = self._job.nodes
        beside = [r for r, node in enumerate(nodes) if node == nodes[rank]]
        others = [r for r, node in enumerate(nodes) if node == (nodes[rank] + 1) % self._nodes]
        return others[beside.index(rank) % len(others)]

    def _received(self) -> list[int]:
        """Return the parts of which this rank keeps copies."""
        return [r for r in range(self._job.size) if self._target(r) == self._job.rank]

    def _exchange(self, own: Path | None, slot: str, attempt: Attempt) -> None:
        """Send this rank's part, if it was written, and write copies of those received."""
        job = self._job
        sizes = job.everywhere(own.stat().st_size if own else 0)
        target, sources = self._target(job.rank), self._received()
        try:
            # As in 'redistribute': at each distance a rank sends to one and receives from one.
            for distance in range(1, job.size):
                source = (job.rank - distance) % job.size
                copy = self._folder / slot / _copy(source) if source in sources else None
                is_target = (job.rank + distance) % job.size == target
                if copy is not None and sizes[source]:
                    attempt.do_on_each(copy, partial(copy.write_bytes, b""))
                messages = _Messages(job, attempt, own if is_target else None, copy)
                messages.exchange(target, sizes[job.rank], source, sizes[source])
        except BaseException as error:
            job.collective.propagate_in_time_loop(error)
            raise

    def newest(self) -> Generation | None:
        """Return the newest generation of which each part is whole on a node."""
        reports = self._reports()
        while (found := newest_of(reports)) is not None:
            shared, _ = self.share(found)
            mine = {path.name for path in shared if not is_whole(path)}
            damaged = self._job.everywhere((self._node, mine))
            if not any(names for _, names in damaged):
                return found
            reports = [report.without(found.slot, damaged) for report in reports]
        return None

    def share(self, generation: Generation) -> tuple[list[Path], Path | None]:
        """Return the parts that this rank reads, all on its node, and that of rank 0 if it does."""
        ranks = self._job.nodes
        loads = [0] * self._job.size
        mine: list[tuple[int, Path]] = []
        for part, places in enumerate(generation.places):
            names = dict(reversed(places))
            able = [rank for rank, node in enumerate(ranks) if node in names]
            reader = min(able, key=lambda rank: (loads[rank], rank))
            loads[reader] += 1
            if reader == self._job.rank:
                mine.append((part, self._folder / generation.slot / names[self._node]))
        tables = next((path for part, path in mine if part == 0), None)
        return [path for _, path in mine], tables

    def _reports(self) -> list[Report]:
        """Return what all nodes hold; a rank looks at every so many-th file of its node."""
        share = self._here.index(self._job.rank), len(self._here)
        return self._job.everywhere(report_on(self._folder, self._node, share))

    def remove(self) -> None:
        """Remove the copies from the nodes of the job."""
        self._job.collective.meet("forget")
        if self._is_first:
            _unlock(self._folder)
            shutil.rmtree(self._folder, ignore_errors=True)


class _Messages(Frozen):
    """A part that is sent in chunks, and another one that is received.

    Attributes:
        job: The ranks.
        attempt: Remembers a failure to write; what is received is then dropped.
        own: The file that is sent; None to send nothing.
        copy: The file that is written; None to receive nothing.
    """

    job: Job
    attempt: Attempt
    own: Path | None
    copy: Path | None

    def exchange(self, target: int, sent_bytes: int, source: int, received_bytes: int) -> None:
        """Send and receive, chunk by chunk."""
        sent = _chunks(sent_bytes if self.own else 0)
        received = _chunks(received_bytes if self.copy else 0)
        for number in range(max(len(sent), len(received))):
            room = None
            if number < len(received):
                room = np.empty(received[number][1], np.uint8)
                pending = self.job.collective.communicator.Irecv(room, source=source)
            if number < len(sent):
                self._send(target, *sent[number])
            if room is not None:
                pending.Wait()
                self._write(room, received[number][0])

    def _send(self, target: int, first: int, length: int) -> None:
        assert self.own is not None
        values = np.fromfile(self.own, np.uint8, length, offset=first)
        self.job.collective.communicator.Send(values, dest=target)

    def _write(self, values: NDArray[np.uint8], first: int) -> None:
        assert self.copy is not None
        copy = self.copy

        def write() -> None:
            with copy.open("rb+") as file:
                file.seek(first)
                file.write(values.data)

        self.attempt.do_on_each(copy, write)


def _chunks(size: int) -> list[tuple[int, int]]:
    """Return where the messages of a file begin, and how long they are [bytes]."""
    return [(first, min(_CHUNK_BYTES, size - first)) for first in range(0, size, _CHUNK_BYTES)]


def _written(path: Path, write: Callable[[zipfile.ZipFile], None]) -> str:
    with zipfile.ZipFile(path, "w") as archive:
        write(archive)
        return digest_of(archive)


def _compare(found: Sequence[Mapping[int, str]]) -> None:
    """Refuse copies that differ from their parts."""
    for rank, digests in enumerate(found):
        for part, digest in digests.items():
            if digest != found[part][part]:
                raise OutputError(
                    f"The copy of part {part} on rank {rank} differs from the part.",
                    hint="Check the network and the memory of the node.",
                )


def report_on(folder: Path, node: int, share: tuple[int, int] = (0, 1)) -> Report:
    """Return what a node holds.

    Args:
        folder: Of the copies.
        node: Its number.
        share: Which of the files this rank looks at: the first, and of how many it takes one.
    """
    first, step = share
    manifests, digests = {}, {}
    for slot in _SLOTS:
        with suppress(OSError, ValueError):
            manifests[slot] = json.loads((folder / slot / _MANIFEST).read_text(encoding="utf-8"))
        files = sorted((folder / slot).glob("*.npz"))[first::step]
        digests[slot] = {file.name: _digest(file) for file in files}
    return Report(node, manifests, digests)


def print_report(place: str) -> None:
    """Print what this node holds of a checkpoint, for 'step_in_reports'."""
    folder = _folder(_SHARED_MEMORY, os.path.abspath(place))  # noqa: PTH100 (as 'MemoryCopies')
    report = report_on(folder, 0)
    print(_REPORT + json.dumps([report.manifests, report.digests]))


def step_in_reports(printed: Iterable[str]) -> int | None:
    """Return the step of the newest checkpoint in memory, None if there is none.

    Args:
        printed: What 'print_report' has printed, a line for each node or rank; lines of others do
            not count.
    """
    lines = (line for line in printed if line.startswith(_REPORT))
    newest = newest_of(
        Report(node, *json.loads(line.removeprefix(_REPORT))) for node, line in enumerate(lines)
    )
    return None if newest is None else int(newest.content["step"])


class LeftCopies(Frozen):
    """Copies on this node that no process uses.

    Attributes:
        folder: Where they are.
        checkpoint: The checkpoint that they are of; '' if none is complete.
        size_bytes: What they take.
    """

    folder: Path
    checkpoint: str
    size_bytes: int


def left_copies(memory: Path = _SHARED_MEMORY) -> list[LeftCopies]:
    """Return the copies of this user on this node that no process uses."""
    found = []
    for folder in sorted(memory.glob(f"{_PREFIX}{os.getuid()}-*")):
        if not _is_used(folder):
            manifests = report_on(folder, 0).manifests.values()
            checkpoint = next((str(manifest["checkpoint"]) for manifest in manifests), "")
            size_bytes = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
            found.append(LeftCopies(folder, checkpoint, size_bytes))
    return found


def _is_used(folder: Path) -> bool:
    """Return whether a process holds the lock of a folder."""
    try:
        descriptor = os.open(folder / _LOCK, os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def _digest(path: Path) -> str:
    """Return the digest of a file, '' of one that has no end."""
    with suppress(Exception), zipfile.ZipFile(path) as archive:
        return digest_of(archive)
    return ""


def _memory_of(_: Job) -> Path:
    """Return the folder whose files lie in the memory of this rank's node."""
    return _SHARED_MEMORY


def _folder(memory: Path, place: str) -> Path:
    digest = hashlib.sha256(os.fsencode(place)).hexdigest()[:16]
    return memory / f"{_PREFIX}{os.getuid()}-{digest}"


def _refuse_of_others(folder: Path) -> None:
    about = folder.lstat()
    if folder.is_symlink() or about.st_uid != os.getuid():
        raise OutputError(
            f"'{folder}' belongs to another user; expected a folder for copies of a checkpoint.",
            hint="Let its owner remove it, or use another name for the checkpoint.",
        )


def _free_bytes(folder: Path, slots: Sequence[str]) -> int:
    """Return what is free and what some slots give up [bytes]."""
    files = (file for slot in slots for file in (folder / slot).glob("*"))
    about = os.statvfs(folder.parent)
    return about.f_bavail * about.f_frsize + sum(file.stat().st_size for file in files)


def _lock(folder: Path) -> None:
    """Show that a process uses a folder, until the process ends."""
    if folder not in _locks:
        _locks[folder] = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
        fcntl.flock(_locks[folder], fcntl.LOCK_SH)


def _unlock(folder: Path) -> None:
    if folder in _locks:
        os.close(_locks.pop(folder))
