"""The command 'halocline'.

Coarray programs are built and run by a program of its own, which starts at once; so this module
stands outside the package, whose imports take longer than such a start.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path


def main() -> None:
    """Do what the words of the command line say."""
    if sys.argv[1:2] == ["caf"]:
        run_caf(sys.argv[2:])
    from halocline.cli.main import main as run_halocline

    run_halocline()


def run_caf(words: Sequence[str]) -> None:
    """Become the program that builds and runs coarray programs; ends this one in any case."""
    program = caf_program()
    if not program.exists():
        sys.exit(f"Halocline was installed without coarrays: there is no {program}.")
    os.execv(program, [program.name, *words])


def caf_program() -> Path:
    """Return where the program that builds and runs coarray programs lies."""
    spec = find_spec("halocline")
    folder = Path(spec.origin).parent if spec is not None and spec.origin else Path()
    return folder / "caf" / "bin" / "halocline-caf"
