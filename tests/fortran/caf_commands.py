"""Programs of coarrays: how they are compiled, and how they run on several images."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import halocline

FOLDER = Path(__file__).parent
# A variable may name another one while the library is being changed.
COMMAND = Path(
    os.environ.get("HALOCLINE_CAF", Path(halocline.__file__).parent / "caf/bin/halocline-caf")
)


def build(sources: Sequence[Path], folder: Path, *options: str) -> Path:
    """Compiles a program of these files; it has the name of the last one."""
    program = folder / sources[-1].stem
    command = [COMMAND, "build", *sources, *options, "-o", program]
    made = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    return program


def run(program: Path, images: int, timeout: float = 20.0) -> subprocess.CompletedProcess[str]:
    command = [COMMAND, "run", "-n", str(images), program]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
