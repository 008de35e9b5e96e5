"""Turn CUDA text into machine code for a device ('cubin'): from the cache, or by NVRTC."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from halocline.jit.cache import digest, header_texts, open_cache
from halocline.jit.library import LoadError, read_sealed, sealed
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
    for place in store.places(name):
        with suppress(LoadError):
            return read_sealed(place)
    image = compile_cuda(source, architecture).image
    store.write(sealed(image), name)
    store.make_room()
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
