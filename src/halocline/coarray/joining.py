"""How this process becomes an image, and how its end is told to the others."""

from __future__ import annotations

import atexit
import os
import sys
from typing import TYPE_CHECKING

from halocline import _pgas

if TYPE_CHECKING:
    from types import TracebackType

# By this the launcher 'halocline caf run' says which image a process is.
_PLACE = "HALOCLINE_IMAGE"


def join() -> None:
    """Make this process an image: of 'halocline caf run', of MPI's ranks, or the only one.

    Raises:
        CoarrayError: The memory that images share cannot be had, or MPI cannot be used.
    """
    _pgas.join()
    # Programs that this one starts are no images.
    os.environ.pop(_PLACE, None)
    _tell_end()


def _tell_end() -> None:
    """Let the others know when this image ends; an exception that nobody catches ends all."""
    process, before = os.getpid(), sys.excepthook
    is_ending = False

    def stop() -> None:
        # A copy of this process is no image; and where all end nobody is to miss one.
        if os.getpid() != process or is_ending:
            return
        try:
            # Another image may end all before Python does this.
            sys.stdout.flush()
        finally:
            _pgas.stop()

    def end_all(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        nonlocal is_ending
        image, images = _place()
        before(kind, error, trace)
        if os.getpid() != process or images == 1:
            return
        is_ending = True
        sys.stdout.flush()
        print(f"error on image {image}: {error}", file=sys.stderr, flush=True)
        _pgas.end_all(1)

    atexit.register(stop)
    sys.excepthook = end_all


def _place() -> tuple[int, int]:
    """Return which image of the initial team this is, and how many there are."""
    while _pgas.team_number() >= 0:
        _pgas.leave_team()
    return _pgas.this_image(), _pgas.num_images()
