"""What coarrays cost beside MPI and beside plain loads and stores, on two processes, in turns.

python bench/coarrays/compare.py [TURNS]
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from halocline_command.caf import caf_program

HERE = Path(__file__).parent
BIN = Path(sys.executable).parent


def build(folder: Path) -> tuple[list[str], list[str]]:
    """Return how the coarrays and what stands beside them are run."""
    caf, ours, beside = str(caf_program()), folder / "operations", folder / "beside"
    fortran = [caf, "build", "-O3", HERE / "operations.f90", "-J", folder, "-o", ours]
    subprocess.run(fortran, check=True)
    subprocess.run([BIN / "mpicc", "-O3", HERE / "beside.c", "-o", beside], check=True)
    return [caf, "run", "-n", "2", str(ours)], [str(BIN / "mpiexec"), "-n", "2", str(beside)]


def rows(command: list[str]) -> list[list[str]]:
    """Run a program and return its rows."""
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return list(csv.reader(done.stdout.splitlines()))


def start_up(command: list[str]) -> float:
    """Return how long two images take that do nothing, in microseconds."""
    begun = time.perf_counter()
    subprocess.run([*command[:-1], "true"], stderr=subprocess.DEVNULL, check=False)
    return (time.perf_counter() - begun) * 1e6


def main() -> None:
    """Measure in turns, and print the best of all."""
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    best: dict[tuple[str, str], float] = {}
    with tempfile.TemporaryDirectory() as folder:
        ours, beside = build(Path(folder))
        for _ in range(turns):
            found = [("coarrays", *row) for row in rows(ours)] + [tuple(r) for r in rows(beside)]
            found.append(("coarrays", "start of two processes", str(start_up(ours))))
            for who, name, value in found:
                key = name, who
                best[key] = min(float(value), best.get(key, float("inf")))
    names = dict.fromkeys(name for name, _ in best)
    print(f"{'operation [us]':30}{'coarrays':>10}{'MPI':>10}{'plain':>10}")
    for name in names:
        values = [best.get((name, who)) for who in ("coarrays", "MPI", "plain")]
        print(f"{name:30}" + "".join(f"{'' if v is None else f'{v:.3f}':>10}" for v in values))


main()
