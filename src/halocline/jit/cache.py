"""Keep built libraries on disk: one file per key, published whole or not at all."""

from __future__ import annotations

import hashlib
import os
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from halocline.jit.toolchain import headers

if TYPE_CHECKING:
    from halocline.jit.toolchain import Toolchain

SUFFIX = ".so"


class SourceLike(Protocol):
    """What the jit needs to know of a source; 'codegen.Source' is one."""

    @property
    def language(self) -> str:
        """Return 'c++' or 'cuda'."""

    @property
    def text(self) -> str:
        """Return the translation unit."""

    @property
    def entries(self) -> tuple[str, ...]:
        """Return the names of the entry points."""


def key(source: SourceLike, toolchain: Toolchain) -> str:
    """Return the digest of everything the library depends on."""
    return digest(
        source.language,
        source.text,
        *source.entries,
        *toolchain.command[1:],
        toolchain.version,
        *toolchain.flags,
        toolchain.processor,
        *header_texts(toolchain.include),
    )


def header_texts(include: str) -> tuple[str, ...]:
    """Return what a source may include as parts of a digest."""
    return tuple(part for header in headers(include).items() for part in header)


def digest(*parts: str) -> str:
    """Return the name under which what depends on some texts, and nothing else, is kept."""
    found = hashlib.sha256()
    for part in parts:
        data = part.encode()
        found.update(len(data).to_bytes(8, "little") + data)
    return found.hexdigest()


@dataclass(frozen=True, slots=True)
class Cache:
    """A folder of libraries, or of other files that were built.

    Attributes:
        folder: Where they are.
        suffix: How their names end.
    """

    folder: Path
    suffix: str = SUFFIX

    def path(self, key: str) -> Path:
        """Return where the library of a key is or would be."""
        return self.folder / f"{key}{self.suffix}"

    def publish(self, built: Path, key: str) -> Path:
        """Move a finished library, made inside the folder, to its final name in one step."""
        final = self.path(key)
        built.replace(final)
        return final

    def evict(self, key: str) -> None:
        """Forget a library that does not load."""
        self.path(key).unlink(missing_ok=True)


def open_cache(suffix: str = SUFFIX) -> Cache:
    """Return the cache in HALOCLINE_CACHE, XDG_CACHE_HOME/halocline or ~/.cache/halocline.

    Where that cannot be written, warn and return a private folder that the process leaves behind
    in the system's temporary folder.
    """
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        # The name is fixed per user, so that all ranks of a node agree and libraries are reused.
        user = os.getuid() if hasattr(os, "getuid") else 0
        fallback = Path(tempfile.gettempdir()) / f"halocline-cache-{user}"
        fallback.mkdir(mode=0o700, exist_ok=True)
        if hasattr(os, "getuid") and fallback.stat().st_uid != user:
            fallback = Path(tempfile.mkdtemp(prefix="halocline-cache-"))
        warnings.warn(
            f"The cache '{folder}' cannot be written ({error.strerror}); using '{fallback}'. "
            "Set 'HALOCLINE_CACHE' to a folder of yours.",
            stacklevel=2,
        )
        folder = fallback
    return Cache(folder, suffix)


def cache_folder() -> Path:
    """Return where the cache is to be; it need not exist."""
    if chosen := os.environ.get("HALOCLINE_CACHE"):
        return Path(chosen).expanduser()
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base) / "halocline"
    return Path("~/.cache/halocline").expanduser()
