"""Where in the user's own code we are."""

from __future__ import annotations

import sys
from pathlib import Path

_OWN = str(Path(__file__).parent.parent)


def user_place() -> str:
    """Return 'file:line' of the innermost frame outside this package."""
    frame = sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename.startswith(_OWN):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
