"""Keep built libraries on disk: one file per key, published whole or not at all."""

from __future__ import annotations

import hashlib
import os
import pwd
import stat
import tempfile
import warnings
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from halocline.errors import CompileError
from halocline.frozen import Frozen
from halocline.jit.toolchain import headers
from halocline.jit.trust import distrust
from halocline.launched import number_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from halocline.jit.toolchain import Toolchain

SUFFIX = ".so"
TEXT = ".cpp"
FULL = "Make room there, or set 'HALOCLINE_CACHE' to a folder with room."
# What can be built again.
_BUILT = (SUFFIX, TEXT, ".kernel", ".kernels", ".cubin")
_SHARED = "HALOCLINE_SHARED_CACHE"


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
    return digest(source.language, source.text, *source.entries, toolchain_digest(toolchain))


@cache
def toolchain_digest(toolchain: Toolchain) -> str:
    """Return the digest of everything but the source that a library depends on."""
    return digest(
        *toolchain.command[1:],
        toolchain.version,
        *toolchain.flags,
        *toolchain.libraries,
        toolchain.processor,
        *header_texts(toolchain.include),
    )


def header_texts(include: str) -> tuple[str, ...]:
    """Return what a source may include as parts of a digest."""
    return tuple(part for header in headers(include).items() for part in header)


@cache
def package_digest() -> str:
    """Return a digest that differs where any module of this package does."""
    files = sorted(_modules(Path(__file__).parents[1]))
    return digest(repr(files))


def _modules(folder: Path) -> Iterator[tuple[str, int, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _modules(Path(entry.path))
            elif entry.name.endswith(".py"):
                status = entry.stat()
                yield entry.path, status.st_size, status.st_mtime_ns


def digest(*parts: str) -> str:
    """Return the name under which what depends on some texts, and nothing else, is kept."""
    hasher = hashlib.sha256()
    for part in parts:
        data = part.encode()
        hasher.update(len(data).to_bytes(8, "little") + data)
    return hasher.hexdigest()


class Cache(Frozen):
    """A folder of libraries, or of other files that were built.

    Attributes:
        folder: Where they are.
        suffix: How their names end.
        shared: Folders of other users, in which they may be, too.
        limit: The files that were unused for longest leave a folder that holds more [bytes].
    """

    folder: Path
    suffix: str = SUFFIX
    shared: tuple[Path, ...] = ()
    limit: int = 1 << 29

    def path(self, key: str) -> Path:
        """Return where the library of a key is or would be."""
        return self.folder / f"{key}{self.suffix}"

    def places(self, key: str) -> tuple[Path, ...]:
        """Return where the library of a key may be: here, or in the folders of others."""
        return tuple(folder / f"{key}{self.suffix}" for folder in (self.folder, *self.shared))

    def write(self, content: bytes, key: str) -> Path:
        """Give a key a file, whole or not at all.

        Raises:
            CompileError: The folder cannot be written.
        """
        with self.writing():
            unfinished = self.unfinished()
            try:
                unfinished.write_bytes(content)
            except BaseException:
                unfinished.unlink(missing_ok=True)
                raise
        return self.publish(unfinished, key)

    def publish(self, built: Path, key: str) -> Path:
        """Move a finished file, made inside the folder, to its final name in one step.

        Raises:
            CompileError: The folder cannot be written.
        """
        final = self.path(key)
        with self.writing():
            # Whoever has the cache as a shared one reads it.
            built.chmod(0o755 if self.suffix == SUFFIX else 0o644)
            built.replace(final)
        return final

    def unfinished(self) -> Path:
        """Return a new empty file inside the folder."""
        number, name = tempfile.mkstemp(self.suffix, prefix="unfinished-", dir=self.folder)
        os.close(number)
        return Path(name)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Report what the system refuses within this as a cache that cannot be written."""
        try:
            yield
        except OSError as error:
            raise CompileError(
                f"The cache '{self.folder}' cannot be written: {error.strerror}.", hint=FULL
            ) from error

    def evict(self, key: str) -> None:
        """Forget a library that does not load."""
        self.path(key).unlink(missing_ok=True)

    def make_room(self) -> None:
        """Delete the files that were unused for longest until the folder is within its limit.

        Call this once for each build: it reads the whole folder.
        """
        files: list[tuple[float, int, str]] = []
        with suppress(OSError), os.scandir(self.folder) as entries:
            for entry in entries:
                if entry.name.endswith(_BUILT):
                    about = entry.stat(follow_symlinks=False)
                    files.append((about.st_mtime, about.st_size, entry.path))
        excess = sum(size for _, size, _ in files) - self.limit
        for _, size, path in sorted(files):
            if excess <= 0:
                break
            # Another process may have deleted it; one that has loaded it keeps it.
            Path(path).unlink(missing_ok=True)
            excess -= size


def open_cache(suffix: str = SUFFIX) -> Cache:
    """Return the cache in HALOCLINE_CACHE, XDG_CACHE_HOME/halocline or ~/.cache/halocline.

    Where that cannot be written, or other users could have changed it, warn and return a private
    folder that the process leaves behind in the system's temporary folder. Files are also read from
    a folder that cannot be written, and from the one that HALOCLINE_SHARED_CACHE names.

    Raises:
        CompileError: The private folder cannot be written or trusted, or the shared cache cannot be
            trusted.
    """
    folder, shared = cache_folder().absolute(), shared_folders()
    try:
        problem = _made_and_trusted(folder)
        hint = "Let nobody else write there (chmod go-w)"
    except OSError as error:
        problem, hint = f"cannot be written ({error.strerror})", "Make room, or let it be written"
        if folder.is_dir() and not distrust(folder.resolve()):
            shared = (folder.resolve(), *shared)
    if not problem:
        return Cache(folder.resolve(), suffix, shared)
    private = _private_folder()
    warnings.warn(
        f"The cache '{folder}' {problem}; using '{private}'. {hint}, or set 'HALOCLINE_CACHE' to "
        "a folder of yours.",
        stacklevel=2,
    )
    return Cache(private, suffix, shared)


def _made_and_trusted(folder: Path) -> str:
    """Make a folder that can be written, and return why it cannot be trusted, '' if it can."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    reason = distrust(folder.resolve())
    with tempfile.TemporaryFile(dir=folder):
        pass
    return f"cannot be trusted: {reason}" if reason else ""


def _private_folder() -> Path:
    """Return a folder of this user alone.

    Its name is fixed per user, so that all ranks of a node agree and libraries are reused, unless
    somebody else has taken it.

    Raises:
        CompileError: It cannot be written, or others can write to its parents.
    """
    user, folder = os.getuid(), _private_place()
    try:
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        about = folder.lstat()
        is_private = about.st_uid == user and stat.S_ISDIR(about.st_mode)
        if not is_private or about.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            folder = Path(tempfile.mkdtemp(prefix="halocline-cache-", dir=folder.parent))
        problem = distrust(folder)
    except OSError as error:
        problem = f"it cannot be made ({error.strerror})"
    if problem:
        raise CompileError(
            f"There is no folder for compiled kernels: neither '{cache_folder()}' nor "
            f"'{folder}' can be used; {problem}.",
            hint="Set 'HALOCLINE_CACHE' to a folder of yours.",
        )
    return folder


def shared_folders() -> tuple[Path, ...]:
    """Return the folder of HALOCLINE_SHARED_CACHE, written OWNER:FOLDER, if it is set.

    Raises:
        CompileError: It is written in another way, there is no such user or folder, or somebody
            else could have changed the folder.
    """
    said = os.environ.get(_SHARED, "")
    if not said:
        return ()
    name, _, path = said.partition(":")
    folder = Path(path).absolute().resolve()
    try:
        number = number_in(name)
        owner = pwd.getpwnam(name).pw_uid if number is None else number
        problem = distrust(folder, owner) if path else "expected OWNER:FOLDER"
    except KeyError:
        problem = f"expected OWNER:FOLDER, and there is no user '{name}'"
    except OSError as error:
        problem = f"'{path}' cannot be read ({error.strerror})"
    if problem:
        raise CompileError(
            f"The environment variable '{_SHARED}' is '{said}'; {problem}.",
            hint="Name the user who compiles for the group, and a folder that this user alone can "
            "write, as are its parents: alice:/shared/halocline.",
        )
    return (folder,)


def cache_folder() -> Path:
    """Return where the cache is to be; it need not exist."""
    if chosen := os.environ.get("HALOCLINE_CACHE"):
        return Path(os.path.expanduser(chosen))  # noqa: PTH111 (that of pathlib may raise)
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base) / "halocline"
    try:
        return Path("~/.cache/halocline").expanduser()
    except RuntimeError:  # a user of whom the system knows nothing but the number
        return _private_place()


def _private_place() -> Path:
    """Return where the private folder of this user is in the system's temporary folder."""
    return Path(tempfile.gettempdir()).resolve() / f"halocline-cache-{os.getuid()}"
