"""Build kernels, each once, whatever programs it is part of.

A library has kernels that were new when it was built. Beside it the cache keeps for each kernel
which library has it; what a kernel is known by is the source that has it alone. For all kernels of
a program it keeps which libraries have them: a known program starts without printing sources.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from halocline.frozen import Frozen
from halocline.jit.build import build, usable_toolchain
from halocline.jit.cache import (
    Cache,
    SourceLike,
    digest,
    key,
    open_cache,
    package_digest,
    toolchain_digest,
)
from halocline.jit.library import CompiledLibrary, Function, LoadError, load, read_sealed, sealed
from halocline.jit.toolchain import abi_number
from halocline.native import CORES, load_runtime

if TYPE_CHECKING:
    from halocline.jit.toolchain import Toolchain

SUFFIX = ".kernel"
PROGRAM_SUFFIX = ".kernels"
# Kernels share a compiler unless each of two gets so much text: less is compiled in the time that
# another compiler takes to start [characters, of sources that have a kernel alone].
_LEAST_TEXT = 32_000
K = TypeVar("K", bound=Hashable)
# A library that is loaded, and the name of a kernel there.
Place = tuple[CompiledLibrary, str]


def build_kernels(
    kernels: Sequence[K],
    printed: Callable[[Sequence[K]], SourceLike],
    toolchain: Toolchain | None = None,
    cache: Cache | None = None,
    *,
    digest_of_all: str = "",
) -> dict[K, Function]:
    """Return the functions of kernels; those that no library of the cache has are compiled.

    New kernels become one library for each core, or fewer if they are small. Any number of
    processes may do this at once, as for 'build'.

    Args:
        kernels: The kernels.
        printed: Returns a source that has an entry for each of some kernels, in order.
        toolchain: The compiler; None for the user's.
        cache: Where libraries are kept; None for the user's.
        digest_of_all: Differs where the kernels, their order or the printer differ; '' if unknown:
            each kernel is then printed.

    Raises:
        CompileError: There is no compiler, or it refused the source.
    """
    chain = toolchain or usable_toolchain()
    libraries = cache or open_cache()
    records = _KernelRecords(libraries, abi_number(chain.include))
    program = ""
    if digest_of_all:
        program = digest(digest_of_all, package_digest(), toolchain_digest(chain))
        known = records.find_all(program)
        if len(known) == len(kernels):
            return {kernel: Function(*at) for kernel, at in zip(kernels, known, strict=True)}
    alone = {kernel: _alone(kernel, printed, chain) for kernel in kernels}
    names = {one.name for one in alone.values()}
    places = {name: place for name in names if (place := records.find(name))}
    missing = {one: kernel for kernel, one in alone.items() if one.name not in places}
    if missing:
        places |= _built(missing, printed, chain, records)
    if program:
        records.add_all(program, [places[alone[kernel].name] for kernel in kernels])
    return {kernel: Function(*places[one.name]) for kernel, one in alone.items()}


class _Alone(Frozen):
    """The source that has a kernel alone: its key, and its length [characters]."""

    name: str
    length: int


@lru_cache(maxsize=1024)  # asked for again whenever blocks change
def _alone(kernel: K, printed: Callable[[Sequence[K]], SourceLike], toolchain: Toolchain) -> _Alone:
    source = printed((kernel,))
    return _Alone(key(source, toolchain), len(source.text))


def _built(
    missing: dict[_Alone, K],
    printed: Callable[[Sequence[K]], SourceLike],
    chain: Toolchain,
    records: _KernelRecords,
) -> dict[str, Place]:
    """Compile kernels, as many libraries at once as there are cores, and return where they are."""
    groups = _groups(list(missing))
    sources = [printed([missing[one] for one in group]) for group in groups]
    load_runtime()  # which threads must not do at once
    with ThreadPoolExecutor(len(CORES)) as pool:
        built = list(pool.map(lambda source: build(source, chain, records.libraries), sources))
    places = {}
    for group, library in zip(groups, built, strict=True):
        for one, entry in zip(group, library.entries, strict=True):
            places[one.name] = library, entry
            records.add(one.name, library, entry)
    return places


def _groups(sources: Sequence[_Alone]) -> list[list[_Alone]]:
    """Share kernels among compilers: about as much text each, in the order of the kernels."""
    total = sum(one.length for one in sources)
    count = max(1, min(len(CORES), total // _LEAST_TEXT))
    groups: list[list[_Alone]] = [[] for _ in range(count)]
    for one in sorted(sources, key=lambda one: -one.length):
        min(groups, key=lambda group: sum(other.length for other in group)).append(one)
    return [[one for one in sources if one in group] for group in groups if group]


class _KernelRecords:
    """Which library of a cache has a kernel.

    Args:
        libraries: The cache.
        abi: The number that libraries must have.

    Attributes:
        libraries: The cache.
    """

    def __init__(self, libraries: Cache, abi: int) -> None:
        self.libraries = libraries
        self._records = replace(libraries, suffix=SUFFIX)
        self._programs = replace(libraries, suffix=PROGRAM_SUFFIX)
        self._abi = abi

    def find(self, name: str) -> Place | None:
        """Return where a kernel is, unless no library has it that loads."""
        for record in self._records.places(name):
            with suppress(LoadError, ValueError):
                library, entry = read_sealed(record).decode().split()
                return self._load(library, entry)
        return None

    def _load(self, library: str, entry: str) -> Place:
        for place in self.libraries.places(library.removesuffix(self.libraries.suffix)):
            with suppress(LoadError):
                return load(place, (entry,), self._abi), entry
        raise LoadError(library)

    def add(self, name: str, library: CompiledLibrary, entry: str) -> None:
        """Remember where a kernel is."""
        self._records.write(sealed(f"{library.path.name} {entry}".encode()), name)

    def find_all(self, program: str) -> list[Place]:
        """Return where the kernels of a program are; none if a library does not load."""
        for record in self._programs.places(program):
            with suppress(LoadError, ValueError):
                lines = read_sealed(record).decode().splitlines()
                return [self._load(library, entry) for library, entry in map(str.split, lines)]
        return []

    def add_all(self, program: str, places: Sequence[Place]) -> None:
        """Remember where the kernels of a program are."""
        lines = [f"{library.path.name} {entry}" for library, entry in places]
        self._programs.write(sealed("\n".join(lines).encode()), program)
