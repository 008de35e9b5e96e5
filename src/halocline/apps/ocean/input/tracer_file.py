"""Files of Python that define passive tracers, for the command line."""

from __future__ import annotations

import runpy
from traceback import extract_tb
from typing import TYPE_CHECKING, Any

from halocline.apps.ocean.setup.tracers import Tracer
from halocline.errors import CaseError, HaloclineError, described

if TYPE_CHECKING:
    from pathlib import Path


def read_tracers(path: Path) -> tuple[Tracer, ...]:
    """Run a Python file; return what it calls 'tracers', a list or tuple of 'Tracer'.

    Raises:
        CaseError: There is no such file, it fails, or its 'tracers' are something else.
    """
    what = f"The tracer file '{path}'"
    if path.suffix != ".py" or not path.is_file():
        raise CaseError(f"{what} was given; expected a Python file that defines 'tracers'.")
    try:
        defined = runpy.run_path(str(path))
    except HaloclineError:
        raise
    except Exception as error:  # the file is a program of the user, which may raise anything
        raise CaseError(f"{what} failed{_line(path, error)}: {error!r}.") from error
    tracers: Any = defined.get("tracers")
    is_list = isinstance(tracers, list | tuple) and len(tracers) > 0
    if not is_list or not all(isinstance(tracer, Tracer) for tracer in tracers):
        found = described(tracers) if "tracers" in defined else "nothing"
        raise CaseError(
            f"{what} has {found} as 'tracers'; expected a list of ocean.Tracer.",
            hint='Write tracers = [ocean.Tracer("dye", 1.0)].',
        )
    return tuple(tracers)


def _line(path: Path, error: Exception) -> str:
    """Return where in the file an error was raised; '' if nowhere."""
    lines = [at.lineno for at in extract_tb(error.__traceback__) if at.filename == str(path)]
    return f" in line {lines[-1]}" if lines else ""
