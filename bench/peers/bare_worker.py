"""By hand, in 'compare.py': CASE CELLS DTYPE; the best of some ways found in the first steps.

For a lattice that is a loop which does nothing but move its populations, the baseline of
'halocline bench memory'; its values say nothing.
"""

import ctypes
import os
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from turns import bump, places_of, serve

from halocline.bench.baseline import Baseline
from halocline.bench.lbm import YARDSTICKS

case, n, dtype = sys.argv[1], int(sys.argv[2]), sys.argv[3]


def stencil() -> None:
    """Step heat."""
    with tempfile.TemporaryDirectory() as folder:
        library = f"{folder}/bare.so"
        flags = ["-O3", "-march=native", "-ffp-contract=off", "-fopenmp", "-shared", "-fPIC"]
        source = str(Path(__file__).with_name("bare.cpp"))
        subprocess.run(["g++", *flags, source, "-o", library], check=True)
        loaded = ctypes.CDLL(library)
    make, row, run = (getattr(loaded, f"{name}_{dtype}") for name in ("make", "row", "run"))
    make.restype = row.restype = ctypes.c_void_p
    integer, pointer = ctypes.c_int64, ctypes.c_void_p
    make.argtypes, row.argtypes = [integer], [pointer, integer, integer]
    run.argtypes = [pointer, integer, integer, integer]
    grid = make(n)
    number = ctypes.c_float if dtype == "float32" else ctypes.c_double

    def row_of(y: int, z: int) -> Any:
        return np.ctypeslib.as_array((number * n).from_address(row(grid, y, z)))

    along = np.arange(n) + 0.5
    for z, y in product(range(n), range(n)):
        row_of(y, z)[:] = bump(n, along, y + 0.5, z + 0.5)

    def verify() -> list[float]:
        run(grid, 8, n, 0)
        return [float(row_of(y, z)[x]) for x, y, z in places_of(n)]

    found = verify()

    def seconds(way: tuple[int, int]) -> float:
        times = []
        for _ in range(3):
            start = time.perf_counter()
            run(grid, 4, *way)
            times.append(time.perf_counter() - start)
        return min(times)

    best = min(product((n, 256, 128, 64), (0, 8, 16, 32)), key=seconds)
    print(f"rows and lines ahead: {best}", file=sys.stderr)
    serve(lambda steps: run(grid, steps, *best), n**3, lambda: found)


def lattice() -> None:
    """Move populations."""
    loop, threads = YARDSTICKS[case.split(":")[1]], len(os.sched_getaffinity(0))
    # Of smaller numbers as many bytes are more cells.
    scale = np.dtype(dtype).itemsize / 8
    with Baseline(loop, round(n**3 * scale), threads) as baseline:
        serve(baseline.run, round(baseline.cells / scale), list)


stencil() if case == "heat" else lattice()
