"""The run log: a plain text file that grows by a line now and then, and the same on the screen."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TextIO

from halocline.errors import OutputError
from halocline.io.lock import hold
from halocline.io.output import writing

# How often a screen that keeps everything (a file, a batch system) gets a line.
QUIET_S = 10.0


class RunLog:
    """What happened during a run, line by line, in a file and on the screen.

    A run is worth more than its log: when a line cannot be written, say so once, go on computing,
    and raise the failure when the log is closed.

    Args:
        path: The file; None on ranks that write none.
        screen: Where lines are shown.
        clock: Seconds since some moment.
        goes_on: Whether lines are added to a file that is there.
    """

    def __init__(
        self,
        path: Path | None,
        screen: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
        *,
        goes_on: bool = False,
    ) -> None:
        self.path = path
        self.screen = screen or sys.stdout
        self.failure: OutputError | None = None
        self._clock = clock
        self._shown_s = -QUIET_S
        self._is_line_open = False
        self._last = ""
        self._file: TextIO | None = None
        if path is not None:
            hold(path, self)
            with writing(path):
                self._file = path.open("a" if goes_on else "w", encoding="utf-8", buffering=1)

    def note(self, text: str) -> None:
        """Write text to the file and show it."""
        self._write(text)
        self._show(text, keep=True)

    def progress(self, line: str) -> None:
        """Write a line to the file; on a terminal show it in the place of the last one."""
        self._write(line)
        self._show(line, keep=False)

    def _write(self, text: str) -> None:
        if self._file is None or self.path is None:
            return
        stamp = time.strftime("%Y-%m-%d %H:%M:%S")
        try:
            with writing(self.path):
                self._file.writelines(f"{stamp}  {line}\n" for line in text.splitlines())
        except OutputError as error:
            self.failure, self._file = error, None
            self._show(f"warning: {error} The run goes on without its log.", keep=True)

    def _show(self, text: str, *, keep: bool) -> None:
        if self.path is None:
            return
        is_terminal = self.screen.isatty()
        if not keep and not is_terminal:
            self._last = text
            if self._clock() - self._shown_s < QUIET_S:
                return
        self._shown_s, self._last = self._clock(), "" if not is_terminal else self._last
        start = "\r\x1b[K" if self._is_line_open else ""
        self._is_line_open = not keep and is_terminal
        self.screen.write(start + text + ("" if self._is_line_open else "\n"))
        self.screen.flush()

    def close(self) -> None:
        """Finish the file.

        Raises:
            OutputError: Something of the log could not be written.
        """
        if self._last:
            self._show(self._last, keep=True)
        if self._is_line_open:
            self.screen.write("\n")
            self._is_line_open = False
        if self._file is not None and self.path is not None:
            with writing(self.path):
                self._file.close()
            self._file = None
        if self.failure is not None:
            raise self.failure

    def __enter__(self) -> RunLog:
        """Return the log itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file, without hiding an error that is on its way."""
        if error is not None:
            self._write(f"ended by {type(error).__name__}: {error}")
        try:
            self.close()
        except OutputError:
            if kind is None:
                raise
