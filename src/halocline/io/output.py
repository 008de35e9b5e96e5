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
from typing import TypeVar

from halocline.errors import HaloclineError, OutputError

Made = TypeVar("Made")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn a failure to write into an OutputError that names the path and says what to do."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            hint = "Free some space or choose another directory with --output."
        else:
            hint = "Choose a directory that can be written with --output."
        reason = error.strerror or str(error)
        raise OutputError(f"Could not write '{path}': {reason}.", hint=hint) from error


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
            hint="Free some space or choose another directory with --output.",
        )
    return path


def write_text(path: Path, text: str) -> None:
    """Write a text file.

    Raises:
        OutputError: It cannot be written.
    """
    with writing(path):
        path.write_text(text if text.endswith("\n") else text + "\n", encoding="utf-8")


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
        except HaloclineError as error:
            failures[name] = error
    if failures:
        written = ", ".join(name for name in tasks if name not in failures) or "nothing"
        first = next(iter(failures.values()))
        lost = ", ".join(failures)
        raise OutputError(
            f"{first.message} Not written: {lost}. Written: {written}.", hint=first.hint
        ) from first
