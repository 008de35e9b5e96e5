"""The files of a checkpoint: a part of each rank, which replace older ones all at once.

The part of rank 0 is the checkpoint's own file, and names the others. They are in a directory
beside it, one of two: a new checkpoint is written into the one that the older does not use. When
all parts are on the disk, the new file of rank 0 takes the place of the older by one 'rename'. So a
crash at any moment leaves the one or the other. A part is known by a digest of the checksums that
its zip archive has, so that a part of another checkpoint, or a damaged one, is detected.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import struct
import zipfile
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, Any, TypeVar

import numpy as np
from zlib_ng import zlib_ng

from halocline.errors import CaseError
from halocline.io.lock import hold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

_ABOUT = "checkpoint.json"
_SLOTS = ("a", "b")
# In front of each member of an archive; lengths of its name and of what follows that.
_LOCAL_HEAD = struct.Struct("<26xHH")
# Of NumPy's format: all heads below 64 kB have it.
_VERSION = (1, 0)

Made = TypeVar("Made")


class PartWriter:
    """Writes the part of a rank, and on rank 0 publishes all of them.

    Args:
        path: The checkpoint.
        rank: This rank.
        size: How many ranks have a part.

    Attributes:
        slot: Which of the two directories gets the parts; rank 0 chooses it.
        digest: Of the part, when it is complete.
    """

    def __init__(self, path: Path, rank: int, size: int) -> None:
        self._path = path
        self._rank = rank
        self._size = size
        self._zip: zipfile.ZipFile | None = None
        self._is_published = False
        self.slot: str | None = None
        self.digest = ""

    @property
    def part(self) -> Path:
        """The file that this rank writes."""
        if self._rank == 0:
            return self._path.with_name(self._path.name + ".unfinished")
        return self._directory(self.slot) / f"{self._rank}.npz"

    def _directory(self, slot: str | None) -> Path:
        return self._path.with_name(f"{self._path.name}.{slot}")

    def choose_slot(self) -> None:
        """Choose the directory that the older checkpoint does not use (rank 0)."""
        hold(self._path, self)
        slot = _SLOTS[_slot_of(self._path) == _SLOTS[0]]
        if self._size > 1:
            self._directory(slot).mkdir(exist_ok=True)
        # The older checkpoint may be visible, but not on the disk, if its writer has been killed.
        _sync_directory(self._path.parent)
        _clear(self._directory(slot))
        self.slot = slot

    def begin(self) -> None:
        """Open the part of this rank."""
        self._zip = zipfile.ZipFile(self.part, "w")

    def add(self, name: str, values: NDArray[Any]) -> None:
        """Write an array."""
        assert self._zip is not None
        add_array(self._zip, name, values)

    def end(self) -> None:
        """Complete the part; that of rank 0 is complete when it is published."""
        assert self._zip is not None
        if self._rank > 0:
            self.digest = digest_of(self._zip)
            self._close()

    def publish(self, content: Mapping[str, Any], digests: Sequence[str]) -> None:
        """Let the parts take the place of an older checkpoint (rank 0).

        Args:
            content: What the checkpoint says of itself.
            digests: Those of the parts of all ranks.
        """
        assert self._zip is not None
        directory = self._directory(self.slot)
        parts = {f"{directory.name}/{n}.npz": digests[n] for n in range(1, self._size)}
        about = {**content, "slot": self.slot, "parts": parts}
        self._zip.writestr(_ABOUT, json.dumps(about, indent=1))
        self._close()
        if self._size > 1:
            _sync_directory(directory)
        _sync_directory(self._path.parent)
        self.part.replace(self._path)
        self._is_published = True
        _sync_directory(self._path.parent)
        for slot in _SLOTS:
            if slot != self.slot or self._size == 1:
                _remove(self._directory(slot))

    def _close(self) -> None:
        """Let the part be on the disk."""
        assert self._zip is not None
        self._zip.close()
        with self.part.open("rb+") as file:
            os.fsync(file.fileno())

    def discard(self) -> None:
        """Remove what was not published."""
        if self._zip is not None:
            # On a full disk even the end of the file cannot be written.
            with suppress(OSError, ValueError):
                self._zip.close()
        if self._rank == 0 and self.slot is not None and not self._is_published:
            with suppress(OSError):
                self.part.unlink(missing_ok=True)
            _remove(self._directory(self.slot))


def _slot_of(path: Path) -> str | None:
    """Return the slot that a checkpoint has its parts in; None if it has none."""
    with suppress(Exception):
        about = _about_in(path)
        return str(about["slot"]) if about["parts"] else None
    return None


def _clear(directory: Path) -> None:
    """Remove the parts in a directory, if it is there."""
    for part in directory.glob("*.npz"):
        part.unlink()


def _remove(directory: Path) -> None:
    """Remove a directory of parts, if it is there; what cannot be removed does no harm."""
    with suppress(OSError):
        _clear(directory)
        directory.rmdir()


def _sync_directory(directory: Path) -> None:
    """Let the names in a directory be on the disk."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some network file systems have no such call, and need none.
        if error.errno != errno.EINVAL:
            raise
    finally:
        os.close(descriptor)


def add_array(archive: zipfile.ZipFile, name: str, values: NDArray[Any]) -> None:
    """Write an array into an archive."""
    with archive.open(name, "w", force_zip64=True) as member:
        np.lib.format.write_array(member, values, allow_pickle=False)


def digest_of(archive: zipfile.ZipFile) -> str:
    """Return a digest of the names, sizes and checksums of all that is in an archive."""
    members = [(info.filename, info.file_size, info.CRC) for info in archive.infolist()]
    return hashlib.sha256(repr(members).encode()).hexdigest()


def parts_of(path: Path, digests: Mapping[str, str], rank: int, size: int) -> list[Path]:
    """Return every so many-th part of a checkpoint: those that are the share of a rank.

    Args:
        path: The checkpoint.
        digests: The digest of each part by its file, in the order of ranks, rank 0 apart.
        rank: This rank.
        size: How many ranks share the parts.

    Raises:
        CaseError: A part is missing, damaged, or belongs to another checkpoint.
    """
    every = [(path, ""), *((path.parent / name, digest) for name, digest in digests.items())]
    for part, digest in every[rank::size]:
        if digest:
            _check(path, part, digest)
    return [part for part, _ in every[rank::size]]


def _check(path: Path, part: Path, digest: str) -> None:
    if not part.exists():
        raise CaseError(
            f"The checkpoint '{path}' lacks its part '{part}'.",
            hint=f"Copy '{part.parent.name}' together with '{path.name}'.",
        )
    with _reading(part), zipfile.ZipFile(part) as archive:
        found = digest_of(archive)
    if found != digest:
        raise _damaged(part, f"it is no part of '{path}' as this was written")


class PartReader:
    """Reads the parts of a checkpoint that are the share of a rank.

    Args:
        path: The checkpoint.
        parts: The share.
        tables: The part of rank 0 if it is in the share, else None.
    """

    def __init__(self, path: Path, parts: Sequence[Path], tables: Path | None) -> None:
        self._path = path
        self._parts = parts
        self._tables = tables
        self._members: dict[Path, Mapping[str, zipfile.ZipInfo]] = {}

    def arrays(self, name: str) -> list[NDArray[Any]]:
        """Return an array of each part."""
        return [self._array(part, name) for part in self._parts]

    def tables(self, names: Sequence[str]) -> list[NDArray[Any]] | None:
        """Return arrays that rank 0 wrote for all; None where its part is not in the share."""
        if self._tables is None:
            return None
        return [self._array(self._tables, name) for name in names]

    def checked(self, action: Callable[[], Made]) -> Made:
        """Do something with arrays; if they cannot be as they are, the checkpoint is damaged."""
        with _reading(self._path):
            return action()

    def _array(self, part: Path, name: str) -> NDArray[Any]:
        """Return an array of a part; its checksum is compared."""
        with _reading(part), part.open("rb") as file:
            if part not in self._members:
                self._members[part] = _members_of(file)
            if name not in self._members[part]:
                raise ValueError(f"it has no array '{name}'")
            return _array_in(_content(file, self._members[part][name]))


def _array_in(content: bytes) -> NDArray[Any]:
    """Return the array that a member of an archive holds; it cannot be changed."""
    member = io.BytesIO(content)
    version = np.lib.format.read_magic(member)
    if version != _VERSION:
        raise ValueError(f"an array has version {version} of NumPy's format, not {_VERSION}")
    shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(member)
    values = np.frombuffer(content, dtype, offset=member.tell())
    return values.reshape(shape, order="F" if is_fortran else "C")


def _members_of(file: IO[bytes]) -> dict[str, zipfile.ZipInfo]:
    """Return the members of an archive by their names."""
    with zipfile.ZipFile(file) as archive:
        return {info.filename: info for info in archive.infolist()}


def _content(file: IO[bytes], info: zipfile.ZipInfo) -> bytes:
    """Return a member of an archive, checked; NumPy and zipfile read and copy it in pieces."""
    if info.compress_type != zipfile.ZIP_STORED:
        raise ValueError(f"'{info.filename}' is compressed")
    file.seek(info.header_offset)
    name_bytes, extra_bytes = _LOCAL_HEAD.unpack(file.read(_LOCAL_HEAD.size))
    file.seek(name_bytes + extra_bytes, os.SEEK_CUR)
    content = file.read(info.file_size)
    if zlib_ng.crc32(content) != info.CRC:
        raise ValueError(f"'{info.filename}' differs from its checksum")
    return content


def is_whole(path: Path) -> bool:
    """Return whether all contents of an archive have their checksums."""
    with suppress(Exception), path.open("rb") as file:
        for info in _members_of(file).values():
            _content(file, info)
        return True
    return False


def check_exists(path: Path) -> None:
    """Raise a CaseError where there is no checkpoint."""
    if not path.exists():
        raise CaseError(
            f"There is no checkpoint '{path}'.",
            hint="Give the directory of a run that wrote one with --checkpoint.",
        )


def read_about(path: Path) -> dict[str, Any]:
    """Return what a checkpoint says of itself.

    Raises:
        CaseError: There is none, or it is damaged.
    """
    check_exists(path)
    with _reading(path):
        return _about_in(path)


def _about_in(path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as archive:
        about: dict[str, Any] = json.loads(archive.read(_ABOUT))
    return about


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Report a damaged file: of one in the head of an archive, Python's modules raise anything."""
    try:
        yield
    except CaseError:
        raise
    except Exception as error:
        reason = str(error).strip('"') or type(error).__name__
        raise _damaged(path, reason) from error


def _damaged(path: Path, reason: str) -> CaseError:
    return CaseError(
        f"The checkpoint '{path}' cannot be read: {reason}.",
        hint="It is damaged, or not a checkpoint; restart from another one.",
    )
