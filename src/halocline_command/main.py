"""The words of a command line go to the commands, or to the program for coarrays."""

from __future__ import annotations

import sys

from halocline_command.caf import run_caf


def main() -> None:
    """Do what the words of the command line say."""
    if sys.argv[1:2] == ["caf"]:
        run_caf(sys.argv[2:])
    from halocline.cli.main import main as run_halocline

    run_halocline()
