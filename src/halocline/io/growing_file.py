"""A file whose old bytes change last, when all that is new stands behind them.

HDF5 keeps no journal: a disk that fills up in the middle of a change leaves a file that cannot be
opened, and a library that may crash. Nothing old refers to what stands behind it, so new bytes are
written at once; changes of old ones wait in memory, some kilobytes, and are written at the end. A
failure undoes all of it.
"""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


class GrowingFile(io.RawIOBase):
    """A file to read and to write; 'publish' or 'discard' ends it.

    Args:
        path: The file, which is there.

    Raises:
        OSError: It cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("r+b", buffering=0)
        self._old = self._length = os.fstat(self._file.fileno()).st_size
        self._place = 0
        # Where bytes of this file change, in order; after a failure new ones, too.
        self._changes: list[tuple[int, bytes]] = []
        self._failure: OSError | None = None

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def writable(self) -> bool:
        """Return that it can be written."""
        return True

    def seekable(self) -> bool:
        """Return that it has places."""
        return True

    def tell(self) -> int:
        """Return the place."""
        return self._place

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place, and return it."""
        origin = {os.SEEK_SET: 0, os.SEEK_CUR: self._place, os.SEEK_END: self._length}[whence]
        self._place = origin + offset
        return self._place

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with what stands at the place, changes included."""
        into = memoryview(buffer).cast("B")
        count = max(0, min(len(into), self._length - self._place))
        self._file.seek(self._place)
        content = self._file.read(count) or b""
        into[:count] = content.ljust(count, b"\0")
        for first, data in self._changes:
            low, high = max(first, self._place), min(first + len(data), self._place + count)
            if low < high:
                into[low - self._place : high - self._place] = data[low - first : high - first]
        self._place += count
        return count

    def write(self, data: Any) -> int:
        """Write bytes at the place: behind the old ones now, others when all is published."""
        content = memoryview(data).cast("B")
        first, kept = self._place, max(0, min(len(content), self._old - self._place))
        if self._failure is None:
            try:
                self._append(first + kept, content[kept:])
            except OSError as error:
                # The library must go on to its end: it does not survive a write that fails.
                self._failure = error
        if self._failure is not None:
            kept = len(content)
        if kept:
            self._changes.append((first, bytes(content[:kept])))
        self._place += len(content)
        self._length = max(self._length, self._place)
        return len(content)

    def _append(self, place: int, content: memoryview) -> None:
        self._file.seek(place)
        while content:
            content = content[self._file.write(content) :]

    def truncate(self, size: int | None = None) -> int:
        """Set where the file is to end."""
        self._length = self._place if size is None else size
        return self._length

    def publish(self) -> None:
        """Make the changes.

        Raises:
            OSError: Something could not be written; the file is as it was.
        """
        if self._failure is not None:
            self.discard()
            raise self._failure
        with self._file:
            for first, data in self._changes:
                self._append(first, memoryview(data))
            self._file.truncate(self._length)

    def discard(self) -> None:
        """Leave the file as it was."""
        with self._file:
            self._file.truncate(self._old)
