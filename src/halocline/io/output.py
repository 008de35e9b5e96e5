"""Where results go: a directory of their own, and what happens when it cannot be written.

Only rank 0 writes. What fails there is told to all ranks, so that all of them end with the same
message and none waits for the others.
"""

from __future__ import annotations

import errno
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
# How many entries of a directory a message names.
_SHOWN = 3


def interval_of(what: str, steps: int, name: str = "every") -> int:
    """Return an interval that an output was given [steps].

    Raises:
        CaseError: It is no whole number of at least 1.
    """
    return whole_number(f"'{name}' of '{what}'", steps, Range(least=1), CaseError)


class Attempt:
    """Writing on rank 0 between calls that all ranks make: a failure waits until all can hear it.

    Args:
        path: What is written.
        job: The ranks.
    """

    def __init__(self, path: Path, job: Job) -> None:
        self.path = path
        self.job = job
        self._failure: HaloclineError | None = None

    def do(self, action: Callable[[], object]) -> None:
        """Do something on rank 0, unless something before it has failed."""
        if self.job.rank > 0 or self._failure is not None:
            return
        try:
            with writing(self.path):
                action()
        except Exception as error:  # a run is worth more than what it writes on its way
            self._failure = _not_written(self.path, error)

    def finish(self) -> None:
        """Let all ranks know how it went; collective.

        Raises:
            OutputError: Something could not be written.
        """
        self.job.on_first(self._tell)

    def _tell(self) -> None:
        if self._failure is not None:
            raise self._failure


def _not_written(what: str | Path, error: Exception) -> HaloclineError:
    """Return what a user hears of a failure to write, be it a mistake in the program."""
    if isinstance(error, HaloclineError):
        return error
    return OutputError(f"Could not write '{what}': {type(error).__name__}: {error}.")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn a failure to write into an OutputError that names the path and says what to do."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            hint = f"Free some space or choose {ELSEWHERE}."
        else:
            hint = f"Choose {ELSEWHERE} that can be written."
        reason = error.strerror or str(error)
        raise OutputError(f"Could not write '{path}': {reason}.", hint=hint) from error


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
