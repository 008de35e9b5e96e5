"""Build kernels, each once, whatever programs it is part of.

A library has the kernels that were new when it was built. Beside it the cache keeps for each kernel
which library has it; what a kernel is known by is the source that has it alone.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from halocline.jit.build import build, usable_toolchain
from halocline.jit.cache import Cache, SourceLike, key, open_cache
from halocline.jit.library import CompiledLibrary, Function, LoadError, load, read_sealed, sealed
from halocline.jit.toolchain import abi_number

if TYPE_CHECKING:
    from halocline.jit.toolchain import Toolchain

SUFFIX = ".kernel"
K = TypeVar("K", bound=Hashable)


def build_kernels(
    kernels: Sequence[K],
    printed: Callable[[Sequence[K]], SourceLike],
    toolchain: Toolchain | None = None,
    cache: Cache | None = None,
) -> dict[K, Function]:
    """Return the functions of kernels; those that no library of the cache has become one together.

    Any number of processes may do this at once, as for 'build'.

    Args:
        kernels: The kernels.
        printed: Returns a source that has an entry for each of some kernels, in order.
        toolchain: The compiler; None for the user's.
        cache: Where libraries are kept; None for the user's.

    Raises:
        CompileError: There is no compiler, or it refused the source.
    """
    chain = toolchain or usable_toolchain()
    libraries = cache or open_cache()
    records = _KernelRecords(libraries, abi_number(chain.include))
    names = {kernel: _name_of(kernel, printed, chain) for kernel in kernels}
    functions = {name: function for name in names.values() if (function := records.find(name))}
    missing = {name: kernel for kernel, name in names.items() if name not in functions}
    if missing:
        source = printed(tuple(missing.values()))
        library = build(source, chain, libraries)
        for name, entry in zip(missing, source.entries, strict=True):
            functions[name] = Function(library, entry)
            records.add(name, library, entry)
    return {kernel: functions[name] for kernel, name in names.items()}


@lru_cache(maxsize=1024)  # asked for again whenever blocks change
def _name_of(kernel: K, printed: Callable[[Sequence[K]], SourceLike], toolchain: Toolchain) -> str:
    return key(printed((kernel,)), toolchain)


class _KernelRecords:
    """Which library of a cache has a kernel.

    Args:
        libraries: The cache.
        abi: The number that libraries must have.
    """

    def __init__(self, libraries: Cache, abi: int) -> None:
        self._libraries = libraries
        self._records = replace(libraries, suffix=SUFFIX)
        self._abi = abi

    def find(self, name: str) -> Function | None:
        """Return the function of a kernel, unless no library has it that loads."""
        for record in self._records.places(name):
            with suppress(LoadError, ValueError):
                library, entry = read_sealed(record).decode().split()
                return self._load(library, entry)
        return None

    def _load(self, library: str, entry: str) -> Function:
        for place in self._libraries.places(library.removesuffix(self._libraries.suffix)):
            with suppress(LoadError):
                return Function(load(place, (entry,), self._abi), entry)
        raise LoadError(library)

    def add(self, name: str, library: CompiledLibrary, entry: str) -> None:
        """Remember where a kernel is."""
        self._records.write(sealed(f"{library.path.name} {entry}".encode()), name)
