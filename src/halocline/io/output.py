"""Where results go: a directory of their own, and what happens when it cannot be written.

Rank 0 writes all but the parts of checkpoints. What fails on a rank is told to all, so that all of
them end with the same message and none waits for the others.
"""

from __future__ import annotations

import errno
import platform
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from halocline.errors import CaseError, HaloclineError, OutputError
from halocline.language.numbers import Range, whole_number

if TYPE_CHECKING:
    from halocline.runtime.job import Job

# What hints say of a directory: programs choose it by paths, commands by an option.
ELSEWHERE = "another directory ('halocline run': --output)"
# Errors of a file system that a node has lost, and perhaps finds again.
_AWAY = (
    errno.ENOENT,
    errno.EIO,
    errno.ESTALE,
    errno.ENOTCONN,
    errno.ETIMEDOUT,
    errno.EHOSTDOWN,
    errno.EHOSTUNREACH,
)
# How many entries of a directory a message names.
_SHOWN = 3


def interval_of(what: str, steps: int, name: str = "every") -> int:
    """Return an interval that an output was given [steps].

    Raises:
        CaseError: It is no whole number of at least 1.
    """
    return whole_number(f"'{name}' of '{what}'", steps, Range(least=1), CaseError)


class Attempt:
    """Writing between calls that all ranks make: a failure waits until all can hear it.

    Args:
        path: What is written.
        job: The ranks.
        assurance: A sentence for the message of a failure that says what is not lost.
    """

    def __init__(self, path: Path, job: Job, assurance: str = "") -> None:
        self.path = path
        self.job = job
        self._assurance = assurance
        self._failure: HaloclineError | None = None

    def do(self, action: Callable[[], object]) -> None:
        """Do something on rank 0, unless something before it has failed."""
        if self.job.rank == 0:
            self.do_on_each(self.path, action)

    def do_on_each(self, path: Path, action: Callable[[], object]) -> None:
        """Do something on every rank, unless something before it has failed there.

        Args:
            path: What this rank writes.
            action: Writes it.
        """
        if self._failure is not None:
            return
        try:
            with writing(path, self._where(), self._assurance):
                action()
        except Exception as error:  # a run is worth more than what it writes on its way
            self._failure = _not_written(path, error)

    def _where(self) -> str:
        return f" on rank {self.job.rank} ({platform.node()})" if self.job.rank else ""

    def finish(self) -> None:
        """Let all ranks know how it went; collective.

        Raises:
            OutputError: Something could not be written.
        """
        self.job.on_each(self._tell)

    def _tell(self) -> None:
        if self._failure is not None:
            raise self._failure


def _not_written(what: str | Path, error: Exception) -> HaloclineError:
    """Return what a user hears of a failure to write, be it a mistake in the program."""
    if isinstance(error, HaloclineError):
        return error
    return OutputError(f"Could not write '{what}': {type(error).__name__}: {error}.")


@contextmanager
def writing(path: Path, where: str = "", assurance: str = "") -> Iterator[None]:
    """Turn a failure to write into an OutputError that names the path and says what to do.

    Args:
        path: What is written.
        where: The rank and its node, as ' on rank 1 (node2)', if it is not rank 0.
        assurance: A sentence that says what is not lost.
    """
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            hint = f"Free some space or choose {ELSEWHERE}."
        elif error.errno in _AWAY:
            hint = f"Mount the file system of '{path.parent}' again, or choose {ELSEWHERE}."
        else:
            hint = f"Choose {ELSEWHERE} that can be written."
        reason = error.strerror or str(error)
        hint = f"{hint} {assurance}" if assurance else hint
        raise OutputError(f"Could not write '{path}'{where}: {reason}.", hint=hint) from error


def check_unused(path: Path) -> None:
    """Refuse a directory that holds anything, so that no results are lost or mixed with others.

    Raises:
        OutputError: It holds something; the message names a few.
    """
    with writing(path):
        entries = sorted(entry.name for entry in path.iterdir()) if path.exists() else []
    if entries:
        shown = ", ".join(entries[:_SHOWN]) + (", …" if len(entries) > _SHOWN else "")
        raise OutputError(
            f"The directory '{path}' is not empty ({shown}); expected a new one for the results.",
            hint="Choose another with --output, or delete this one.",
        )


def create_directory(path: Path, size_bytes: int = 0) -> Path:
    """Make a directory for results and try it out, before anything is computed.

    Args:
        path: The directory; it may exist.
        size_bytes: About how much will be written.

    Raises:
        OutputError: It cannot be made or written, or has less room than needed.
    """
    with writing(path):
        path.mkdir(parents=True, exist_ok=True)
        trial = path / ".halocline"
        trial.write_bytes(b"x")
        trial.unlink()
        free_bytes = shutil.disk_usage(path).free
    if free_bytes < size_bytes:
        raise OutputError(
            f"'{path}' has {free_bytes / 1e6:.1f} MB left, but the results need about "
            f"{size_bytes / 1e6:.1f} MB.",
            hint=f"Free some space or choose {ELSEWHERE}.",
        )
    return path


def write_text(path: Path, text: str) -> None:
    """Write a text file.

    Raises:
        OutputError: It cannot be written.
    """
    with writing(path):
        path.write_text(text if text.endswith("\n") else text + "\n", encoding="utf-8")


def replace_text(path: Path, text: str) -> None:
    """Write a text file in the place of an older one, which stays whole until then.

    Raises:
        OutputError: It cannot be written.
    """
    unfinished = path.with_name(path.name + ".unfinished")
    write_text(unfinished, text)
    with writing(path):
        unfinished.replace(path)


def write_all(tasks: dict[str, Callable[[], None]]) -> None:
    """Do every task, also when one before it fails, so that as little as possible is lost.

    Args:
        tasks: By the name of what they write.

    Raises:
        OutputError: One or more could not be written; the message names them all and what is safe.
    """
    failures: dict[str, HaloclineError] = {}
    for name, task in tasks.items():
        try:
            task()
        except Exception as error:  # what comes after it is worth as much
            failures[name] = _not_written(name, error)
    if failures:
        written = ", ".join(name for name in tasks if name not in failures) or "nothing"
        first = next(iter(failures.values()))
        lost = ", ".join(failures)
        raise OutputError(
            f"{first.message} Not written: {lost}. Written: {written}.", hint=first.hint
        ) from first
