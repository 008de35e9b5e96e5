"""Turn a source into a loaded library: from the cache, or by the compiler."""

from __future__ import annotations

import json
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.errors import CompileError
from halocline.jit.cache import FULL, TEXT, Cache, SourceLike, key, open_cache
from halocline.jit.library import CompiledLibrary, LoadError, load, read_sealed, sealed
from halocline.jit.toolchain import (
    Toolchain,
    abi_number,
    find_toolchain,
    libraries_folder,
    without_compiler,
)

if TYPE_CHECKING:
    from pathlib import Path

_SHOWN_LINES = 12
# The file of a cache that says which compiler built the newest library.
_NEWEST, _COMPILER = "newest", ".compiler"


def usable_toolchain() -> Toolchain:
    """Return the user's compiler; without any, the one that built the newest library of the cache.

    Such a one finds what the cache has, and compiles nothing.

    Raises:
        CompileError: There is none, or the one that the user has named does not run.
    """
    try:
        return find_toolchain()
    except CompileError as error:
        for place in replace(open_cache(), suffix=_COMPILER).places(_NEWEST):
            with suppress(LoadError, ValueError, KeyError, TypeError):
                return without_compiler(error, **json.loads(read_sealed(place)))
        raise


def build(
    source: SourceLike, toolchain: Toolchain | None = None, cache: Cache | None = None
) -> CompiledLibrary:
    """Return the library of a source, compiled unless the cache has it.

    Any number of processes may do this at once. To compile only once, let one call this and then
    the others, who find the result, if their 'key' is the same.

    Raises:
        CompileError: There is no compiler, or it refused the source; or the cache is full.
    """
    chain = toolchain or usable_toolchain()
    store = cache or open_cache()
    name = key(source, chain)
    abi = abi_number(chain.include)
    for place in store.places(name):
        with suppress(LoadError):
            return load(place, source.entries, abi)
    store.evict(name)
    published = store.publish(_compile(source, chain, store, name), name)
    told = json.dumps({"version": chain.version, "arguments": chain.command[1:]})
    replace(store, suffix=_COMPILER).write(sealed(told.encode()), _NEWEST)
    try:
        library = load(published, source.entries, abi)
    except LoadError as error:
        store.evict(name)
        message = f"The library just built is of no use: {error}"
        raise CompileError(message, hint="Is the cache's file system full?") from error
    store.make_room()
    return library


def _compile(source: SourceLike, chain: Toolchain, store: Cache, name: str) -> Path:
    """Return a finished library inside the cache's folder, which has no name yet."""
    if chain.missing is not None:
        raise chain.missing
    text = replace(store, suffix=TEXT).write(source.text.encode(), name)
    with store.writing():
        built = store.unfinished()
    output = str(built)
    folders = (f"-I{chain.include}", f"-L{libraries_folder()}")
    command = (*chain.command, *chain.flags, *folders, str(text), "-o", output, *chain.libraries)
    try:
        try:
            run = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            message = f"The compiler '{chain.command[0]}' could not be run: {error}."
            raise CompileError(message, hint="Set 'HALOCLINE_CXX'.") from error
        if run.returncode != 0:
            raise _refusal(run.stderr, command, text)
        with store.writing():
            built.write_bytes(sealed(built.read_bytes()))
    except BaseException:
        built.unlink(missing_ok=True)
        raise
    return built


def _refusal(messages: str, command: tuple[str, ...], text: Path) -> CompileError:
    lines = [line for line in messages.splitlines() if line.strip()]
    errors = next((i for i, line in enumerate(lines) if "error" in line), 0)
    shown = "\n".join(f"  {line}" for line in lines[errors : errors + _SHOWN_LINES])
    if "No space left on device" in messages:
        return CompileError(
            f"The compiler could not write what it made:\n{shown}\nThe command was\n"
            f"  {' '.join(command)}\n",
            hint=f"{FULL} The compiler needs some room in 'TMPDIR', too.",
        )
    return CompileError(
        f"The compiler refused the generated code:\n{shown}\n"
        f"The source is kept in '{text}'; the command was\n  {' '.join(command)}\n",
        hint="Check that 'HALOCLINE_CXX' names a working C++17 compiler.",
    )
