"""Compile and run the hand-written yardstick: what this machine's memory gives to such loops.

Usage: python bench/yardstick.py [--cells 128] [--threads 2] [--repetitions 7] [--small-pages]
Prints JSON with GB/s (bytes read plus bytes written) as minimum, median and maximum.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import tempfile
from pathlib import Path

FLAGS = ("-std=c++17", "-O3", "-march=native", "-fopenmp")


def compile_yardstick(folder: Path) -> Path:
    """Return the program, compiled into a folder."""
    compiler = os.environ.get("HALOCLINE_CXX") or os.environ.get("CXX") or "g++"
    program = folder / "yardstick"
    source = Path(__file__).with_name("yardstick.cpp")
    subprocess.run([*shlex.split(compiler), *FLAGS, str(source), "-o", str(program)], check=True)
    return program


def run_yardstick(
    program: Path, *, cells: int, threads: int, repetitions: int = 7, huge_pages: bool = True
) -> dict:
    """Return what the program prints for a cube with 'cells' cells a side."""
    arguments = [str(cells**3), str(repetitions), str(int(huge_pages)), "5"]
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    run = subprocess.run(
        [str(program), *arguments], capture_output=True, text=True, check=True, env=environment
    )
    result = json.loads(run.stdout)
    wrong = [
        name for name, loop in result.items() if isinstance(loop, dict) and not loop["verified"]
    ]
    if wrong:
        message = f"The yardstick's result is wrong: {', '.join(wrong)}."
        raise RuntimeError(message)
    return result


def main() -> None:
    """Parse arguments, compile, run, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=128)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--small-pages", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = run_yardstick(
            compile_yardstick(Path(folder)),
            cells=given.cells,
            threads=given.threads,
            repetitions=given.repetitions,
            huge_pages=not given.small_pages,
        )
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
