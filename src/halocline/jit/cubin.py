"""Turn CUDA text into machine code for a device ('cubin'): from the cache, or by NVRTC."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from halocline.errors import CompileError
from halocline.jit.cache import digest, header_texts, open_cache
from halocline.jit.library import LoadError, read_sealed, seal
from halocline.jit.nvrtc import FLAGS, compile_cuda, nvrtc_version
from halocline.jit.toolchain import include_folder

if TYPE_CHECKING:
    from halocline.jit.cache import Cache, SourceLike

SUFFIX = ".cubin"


def build_cubin(source: SourceLike, architecture: str, cache: Cache | None = None) -> bytes:
    """Return the machine code of a CUDA source, compiled unless the cache has it.

    Any number of processes may do this at once, as for 'build'.

    Raises:
        CompileError: There is no NVRTC, it refused the source, or the cache cannot be written.
    """
    store = cache or open_cache(SUFFIX)
    name = cubin_key(source, architecture)
    try:
        return read_sealed(store.path(name))
    except LoadError:
        store.evict(name)
    image = compile_cuda(source, architecture).image
    try:
        store.publish(_write(image, store.folder), name)
    except OSError as error:
        message = f"Machine code cannot be written into the cache '{store.folder}': {error}."
        raise CompileError(message, hint="Is its file system full?") from error
    return image


def cubin_key(source: SourceLike, architecture: str) -> str:
    """Return the digest of everything the machine code depends on."""
    return digest(
        source.language,
        source.text,
        *source.entries,
        *FLAGS,
        architecture,
        nvrtc_version(),
        *header_texts(str(include_folder())),
    )


def _write(image: bytes, folder: Path) -> Path:
    """Write a finished file that 'publish' can move to its name."""
    number, name = tempfile.mkstemp(suffix=SUFFIX, prefix="unfinished-", dir=folder)
    path = Path(name)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(image)
        seal(path)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    path.chmod(0o644)
    return path
