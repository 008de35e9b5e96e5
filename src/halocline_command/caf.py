"""The program that builds and runs coarray programs: where it lies, and how this one becomes it."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path


def run_caf(words: Sequence[str]) -> None:
    """Become the program that builds and runs coarray programs; ends this one in any case."""
    program = caf_program()
    if not program.exists():
        sys.exit(f"Halocline was installed without coarrays: there is no {program}.")
    # Images on several nodes are started as ranks are.
    beside = Path(sys.executable).with_name("mpiexec")
    if beside.exists():
        os.environ.setdefault("HALOCLINE_MPIEXEC", shlex.quote(str(beside)))
    os.execv(program, [program.name, *words])


def caf_program() -> Path:
    """Return where the program that builds and runs coarray programs lies."""
    spec = find_spec("halocline")
    folder = Path(spec.origin).parent if spec is not None and spec.origin else Path()
    return folder / "caf" / "bin" / "halocline-caf"
