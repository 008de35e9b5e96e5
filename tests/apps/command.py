"""The command 'halocline' in the process of the tests: starting one takes longer."""

from __future__ import annotations

import gc
import io
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

from launch import mpirun

from halocline.cli.main import main


def halocline(*arguments: str, folder: Path) -> subprocess.CompletedProcess:
    """Run the command in a folder; return its exit code and what it has said.

    A case with several ranks runs under a launcher, as if the command had started that.
    """
    command, *options = arguments
    ranks = int(options[options.index("--ranks") + 1]) if "--ranks" in options else 1
    if command == "run" and ranks > 1:
        return mpirun(ranks, "-m", "halocline.cli", *arguments, cwd=folder)
    out, err = io.StringIO(), io.StringIO()
    code = 0
    # What the tests hold already is not looked through at the end: that takes half a second.
    gc.freeze()
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
    # The files that the command has held are free, as when its process ends.
    gc.collect()
    gc.unfreeze()
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())
