"""Programs in Python and C++ on several images."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import halocline

FOLDER = Path(__file__).parent
# A variable may name another one while the library is being changed.
COMMAND = Path(
    os.environ.get("HALOCLINE_CAF", Path(halocline.__file__).parent / "caf/bin/halocline-caf")
)


def run(images: int, *command: object, timeout: float = 30.0) -> subprocess.CompletedProcess[str]:
    """Runs a command on images."""
    words = [COMMAND, "run", "-n", str(images), *map(str, command)]
    return subprocess.run(words, capture_output=True, text=True, timeout=timeout, check=False)


def run_script(images: int, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a script of this folder on images."""
    return run(images, sys.executable, FOLDER / script, *arguments)


def built(source: Path, folder: Path) -> Path:
    """Return a program, compiled as the example says."""
    compiler = shutil.which("g++") or pytest.skip("no g++")
    place = COMMAND.parent.parent
    program = folder / source.stem
    command = [compiler, "-std=c++20", "-Wall", "-Wextra", "-Wconversion", "-Werror"]
    command += ["-I", place / "include", source, "-L", place / "lib", "-lhalocline_pgas"]
    command += [f"-Wl,-rpath,{place / 'lib'}"]
    done = subprocess.run(
        [*command, "-o", program], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return program
