"""Turn a source into a loaded library: from the cache, or by the compiler."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from halocline.errors import CompileError
from halocline.jit.cache import SUFFIX, Cache, SourceLike, key, open_cache
from halocline.jit.library import CompiledLibrary, LoadError, load, seal
from halocline.jit.toolchain import abi_number, find_toolchain

if TYPE_CHECKING:
    from halocline.jit.toolchain import Toolchain

_SHOWN_LINES = 12


def build(
    source: SourceLike, toolchain: Toolchain | None = None, cache: Cache | None = None
) -> CompiledLibrary:
    """Return the library of a source, compiled unless the cache has it.

    Any number of processes may do this at once. To compile only once, let one call this and then
    the others, who find the result, if their 'key' is the same.

    Raises:
        CompileError: There is no compiler, or it refused the source.
    """
    chain = toolchain or find_toolchain()
    store = cache or open_cache()
    name = key(source, chain)
    abi = abi_number(chain.include)
    try:
        return load(store.path(name), source.entries, abi)
    except LoadError:
        store.evict(name)
    published = store.publish(_compile(source, chain, store.folder, name), name)
    try:
        return load(published, source.entries, abi)
    except LoadError as error:
        store.evict(name)
        message = f"The library just built is of no use: {error}"
        raise CompileError(message, hint="Is the cache's file system full?") from error


def _compile(source: SourceLike, chain: Toolchain, folder: Path, name: str) -> Path:
    text = folder / f"{name}.cpp"
    _write(text, source.text)
    number, output = tempfile.mkstemp(suffix=SUFFIX, prefix="unfinished-", dir=folder)
    os.close(number)
    built = Path(output)
    command = (*chain.command, *chain.flags, f"-I{chain.include}", str(text), "-o", output)
    try:
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise _refusal(run.stderr, command, text)
        seal(built)
    except OSError as error:
        built.unlink(missing_ok=True)
        message = f"The compiler '{chain.command[0]}' could not be run: {error}."
        raise CompileError(message, hint="Set 'HALOCLINE_CXX'.") from error
    except BaseException:
        built.unlink(missing_ok=True)
        raise
    built.chmod(0o755)
    return built


def _write(path: Path, text: str) -> None:
    """Write a whole file or none, since other processes may compile the same text."""
    number, name = tempfile.mkstemp(prefix="unfinished-", dir=path.parent)
    with os.fdopen(number, "w", encoding="utf-8") as file:
        file.write(text)
    Path(name).replace(path)


def _refusal(messages: str, command: tuple[str, ...], text: Path) -> CompileError:
    lines = [line for line in messages.splitlines() if line.strip()]
    errors = next((i for i, line in enumerate(lines) if "error" in line), 0)
    shown = "\n".join(f"  {line}" for line in lines[errors : errors + _SHOWN_LINES])
    return CompileError(
        f"The compiler refused the generated code:\n{shown}\n"
        f"The source is kept in '{text}'; the command was\n  {' '.join(command)}\n",
        hint="Check that 'HALOCLINE_CXX' names a working C++17 compiler.",
    )
