"""The hand-written yardstick: what this machine's memory gives to loops with D3Q19's traffic."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from halocline.errors import CompileError
from halocline.jit.toolchain import find_toolchain

_FLAGS = ("-std=c++17", "-O3", "-march=native", "-fopenmp")


def measure_memory(cells: int, threads: int, repetitions: int = 7) -> dict[str, Any]:
    """Compile and run the yardstick.

    Args:
        cells: Length of each of the 19 streams of doubles.
        threads: OpenMP threads.
        repetitions: How often each loop is timed.

    Returns:
        For each loop minimum, median and maximum [GB/s, bytes read plus bytes written].

    Raises:
        CompileError: The yardstick cannot be compiled, or its result is wrong.
    """
    with tempfile.TemporaryDirectory() as folder:
        program = _compile(Path(folder))
        environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
        run = subprocess.run(
            [str(program), str(cells), str(repetitions)],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
    result: dict[str, Any] = json.loads(run.stdout)
    wrong = [n for n, loop in result.items() if isinstance(loop, dict) and not loop["verified"]]
    if wrong:
        raise CompileError(f"The yardstick's result is wrong: {', '.join(wrong)}.")
    return result


def _compile(folder: Path) -> Path:
    program = folder / "yardstick"
    source = Path(__file__).with_name("yardstick.cpp")
    command = [*find_toolchain().command, *_FLAGS, str(source), "-o", str(program)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise CompileError(f"The yardstick cannot be compiled: {run.stderr[:500]}")
    return program
