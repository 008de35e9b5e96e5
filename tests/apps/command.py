"""The command 'halocline' in the process of the tests: starting one takes longer."""

from __future__ import annotations

import io
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

from halocline.cli.main import main


def halocline(*arguments: str, folder: Path) -> subprocess.CompletedProcess:
    """Run the command in a folder; return its exit code and what it has said.

    With ranks it becomes their launcher, so it gets a process of its own.
    """
    if "--ranks" in arguments:
        command = [sys.executable, "-m", "halocline.cli", *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=120, check=False, cwd=folder
        )
    out, err = io.StringIO(), io.StringIO()
    code = 0
    with (
        chdir(folder),
        redirect_stdout(out),
        redirect_stderr(err),
        patch.object(sys, "argv", ["halocline", *arguments]),
    ):
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())
