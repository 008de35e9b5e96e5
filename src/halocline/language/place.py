"""Where in the user's own code we are."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType, TracebackType

_OURS = __name__.partition(".")[0]
# Python's own files, and commands of its environment, such as 'halocline'.
_PYTHONS = ("<frozen ", f"{Path(os.__file__).parent}/", f"{Path(sys.executable).parent}/")
_INSTALLED = "/site-packages/"


def user_place() -> str:
    """Return 'file:line' of the innermost frame outside the package, '' if there is none."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not _is_users(frame):
        frame = None if _is_main(frame) else frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame else ""


def place_of(trace: TracebackType | None) -> str:
    """Return 'file:line' of the innermost frame of a traceback outside the package, or ''."""
    place = ""
    while trace is not None:
        if _is_main(trace.tb_frame):
            place = ""
        if _is_users(trace.tb_frame):
            place = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


def _is_main(frame: FrameType) -> bool:
    """Return whether code is of the main program: what runs that is not the user's."""
    return frame.f_globals.get("__name__") == "__main__"


def _is_users(frame: FrameType) -> bool:
    """Return whether code is neither of this package, nor of another, nor Python's own."""
    package, file = frame.f_globals.get("__package__") or "", frame.f_code.co_filename
    if package.partition(".")[0] == _OURS:
        return False
    return not file.startswith(_PYTHONS) and _INSTALLED not in file
