"""Load a built library, check it, and give the addresses of its kernels."""

from __future__ import annotations

import ctypes
import hashlib
import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from halocline.frozen import Frozen
from halocline.jit.trust import is_ours
from halocline.native import load_runtime

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

# So long a file counts as used just now; those unused for longest leave a full cache first.
_NEW_S = 24 * 3600.0
# Libraries that have been read as a whole, by what the system says of their files.
_undamaged: set[tuple[int, int, int, int]] = set()


class Library(Protocol):
    """Kernels that can be called through the C interface."""

    @property
    def entries(self) -> tuple[str, ...]:
        """Return the names of the kernels, in order."""

    def address(self, entry: str) -> int:
        """Return the address of a kernel, good as long as the library lives."""


class LoadError(Exception):
    """Report a file that is not the library it should be; the cache treats it as a miss."""


class CompiledLibrary(Frozen):
    """A loaded shared library.

    Attributes:
        path: The file; other processes load it from there.
        entries: Names of the kernels, in order.
        handle: Keeps the library loaded.
    """

    path: Path
    entries: tuple[str, ...]
    handle: ctypes.CDLL

    def address(self, entry: str) -> int:
        """Return the address of a kernel, good as long as the process lives."""
        return ctypes.cast(self.handle[entry], ctypes.c_void_p).value or 0


class CallbackLibrary(Frozen):
    """Kernels that are Python functions behind C callbacks, for use without a compiler."""

    callbacks: Mapping[str, ctypes._CFunctionType]

    @property
    def entries(self) -> tuple[str, ...]:
        """Return the names of the kernels, in order."""
        return tuple(self.callbacks)

    def address(self, entry: str) -> int:
        """Return the address of a kernel, good as long as this object lives."""
        return ctypes.cast(self.callbacks[entry], ctypes.c_void_p).value or 0


class DeviceLibrary(Frozen):
    """Kernels that a device has loaded.

    Attributes:
        addresses: Of each kernel, as the device's driver knows it, in order.
    """

    addresses: Mapping[str, int]

    @property
    def entries(self) -> tuple[str, ...]:
        """Return the names of the kernels, in order."""
        return tuple(self.addresses)

    def address(self, entry: str) -> int:
        """Return the address of a kernel, good as long as the device lives."""
        return self.addresses[entry]


class Function(Frozen):
    """What a kernel has become.

    Attributes:
        library: Where it is.
        entry: Its name there.
    """

    library: Library
    entry: str

    @property
    def address(self) -> int:
        """Return its address, good as long as the library lives."""
        return self.library.address(self.entry)


def load(path: Path, entries: Iterable[str], abi: int) -> CompiledLibrary:
    """Load a library and check its ABI number and entry points.

    Raises:
        LoadError: The file is damaged, of another user or ABI, or lacks an entry point.
    """
    names = tuple(entries)
    _check_once(path)
    load_runtime()
    try:
        handle = ctypes.CDLL(str(path))
        number = ctypes.c_int32.in_dll(handle, "halocline_abi").value
        for name in names:
            handle[name]
    except (OSError, ValueError, AttributeError) as error:
        message = f"'{path}' does not load: {error}"
        raise LoadError(message) from error
    if number != abi:
        message = f"'{path}' has ABI number {number}, expected {abi}."
        raise LoadError(message)
    return CompiledLibrary(path, names, handle)


def _check_once(path: Path) -> None:
    """Read a library to see that it is undamaged, unless this process has done so."""
    with suppress(OSError):
        about = path.stat()
        identity = (about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns)
        if identity not in _undamaged:
            read_sealed(path)
            _undamaged.add(identity)
        return
    message = f"'{path}' cannot be read."
    raise LoadError(message)


def sealed(content: bytes) -> bytes:
    """Return a file's content with the mark by which 'read_sealed' sees that it is undamaged."""
    return content + _mark(content)


def read_sealed(path: Path) -> bytes:
    """Return what a file of a cache held before it was sealed; one still in use becomes new again.

    Raises:
        LoadError: The file is damaged, another user may have written it, or there is none.
    """
    try:
        with path.open("rb") as file:
            about = os.fstat(file.fileno())
            content = file.read()
        folder = path.parent.stat()
    except OSError as error:
        message = f"'{path}' cannot be read: {error.strerror}."
        raise LoadError(message) from error
    if not is_ours(about, folder):
        message = f"'{path}' belongs to another user, or others can write it."
        raise LoadError(message)
    content, mark = content[:-_MARK_BYTES], content[-_MARK_BYTES:]
    if mark != _mark(content):
        message = f"'{path}' is damaged."
        raise LoadError(message)
    if time.time() - about.st_mtime > _NEW_S:
        with suppress(OSError):
            os.utime(path)
    return content


def _mark(content: bytes) -> bytes:
    return b"halocline" + hashlib.blake2b(content, digest_size=16).digest()


_MARK_BYTES = len(_mark(b""))
