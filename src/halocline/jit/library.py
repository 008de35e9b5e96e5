"""Load a built library, check it, and give the addresses of its kernels."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


class Library(Protocol):
    """Kernels that can be called through the C interface."""

    @property
    def entries(self) -> tuple[str, ...]:
        """Return the names of the kernels, in order."""

    def address(self, entry: str) -> int:
        """Return the address of a kernel, good as long as the library lives."""


class LoadError(Exception):
    """Report a file that is not the library it should be; the cache treats it as a miss."""


@dataclass(frozen=True, slots=True)
class CompiledLibrary:
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


@dataclass(frozen=True, slots=True)
class CallbackLibrary:
    """Kernels that are Python functions behind C callbacks, for use without a compiler."""

    callbacks: Mapping[str, ctypes._CFunctionType]

    @property
    def entries(self) -> tuple[str, ...]:
        """Return the names of the kernels, in order."""
        return tuple(self.callbacks)

    def address(self, entry: str) -> int:
        """Return the address of a kernel, good as long as this object lives."""
        return ctypes.cast(self.callbacks[entry], ctypes.c_void_p).value or 0


@dataclass(frozen=True, slots=True)
class DeviceLibrary:
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


@dataclass(frozen=True, slots=True)
class Function:
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
        LoadError: The file is torn, of another ABI, or lacks an entry point.
    """
    names = tuple(entries)
    _check_is_whole(path)
    try:
        handle = ctypes.CDLL(str(path))
        found = ctypes.c_int32.in_dll(handle, "halocline_abi").value
        for name in names:
            handle[name]
    except (OSError, ValueError, AttributeError) as error:
        message = f"'{path}' does not load: {error}"
        raise LoadError(message) from error
    if found != abi:
        message = f"'{path}' has ABI number {found}, expected {abi}."
        raise LoadError(message)
    return CompiledLibrary(path, names, handle)


def seal(path: Path) -> None:
    """Append the mark by which 'load' and 'read_sealed' see that a file is whole."""
    with path.open("ab") as file:
        file.write(_mark(file.tell()))


def read_sealed(path: Path) -> bytes:
    """Return what a file held before it was sealed.

    Raises:
        LoadError: The file is torn, or there is none.
    """
    _check_is_whole(path)
    return path.read_bytes()[: -len(_mark(0))]


def _mark(size: int) -> bytes:
    return b"halocline" + size.to_bytes(8, "little")


def _check_is_whole(path: Path) -> None:
    # The loader maps a file without reading it: a short one would end the process with SIGBUS.
    length = len(_mark(0))
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            file.seek(max(0, size - length))
            is_whole = file.read() == _mark(size - length) if size >= length else False
    except OSError as error:
        message = f"'{path}' cannot be read: {error.strerror}."
        raise LoadError(message) from error
    if not is_whole:
        message = f"'{path}' is torn."
        raise LoadError(message)
