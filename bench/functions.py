"""Elementary functions in a kernel beside calls of the C library, over an array in the cache.

'python bench/functions.py [name …]' prints a row for each function and type: nanoseconds a number
of both, how many times as fast, and the largest difference of results in units in the last place.
"""

from __future__ import annotations

import ctypes
import subprocess
import sys
import tempfile
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

import halocline as hc
from halocline.jit.toolchain import FLAGS
from halocline.language.expressions.operations import OPERATIONS

COUNT = 8192  # numbers, so that argument and result are in the second cache
RANGES = {
    "exp": (-80, 80), "exp2": (-120, 120), "expm1": (-80, 80), "log": (1e-3, 1e3),
    "log2": (1e-3, 1e3), "log10": (1e-3, 1e3), "log1p": (-0.9, 1e3), "asin": (-1, 1),
    "acos": (-1, 1), "sinh": (-80, 80), "cosh": (-80, 80), "tanh": (-3, 3), "erf": (-3, 3),
    "pow": (1e-3, 1e2),
}  # fmt: skip
_LOOP = """\
#include <cmath>
extern "C" void loop(const {kind}* x, const {kind}* y, {kind}* result, long count, long times) {{
    for (long n = 0; n < times; ++n) {{
        for (long i = 0; i < count; ++i) result[i] = std::{call};
        asm volatile("" ::: "memory");
    }}
}}
"""


def arguments(name: str, dtype: str) -> list[np.ndarray[Any, Any]]:
    """Return what the function is called with."""
    random = np.random.default_rng(1)
    x = random.uniform(*RANGES.get(name, (-100, 100)), COUNT).astype(dtype)
    return [x, random.uniform(-10, 10, COUNT).astype(dtype)][: OPERATIONS[name].arity]


def by_kernel(name: str, given: list[np.ndarray[Any, Any]], times: int) -> tuple[float, Any]:
    """Return seconds for a number and the results of a kernel."""
    grid = hc.Grid((COUNT,))
    fields = [grid.field(f"x{n}", dtype=array.dtype.name) for n, array in enumerate(given)]
    out = grid.field("out", dtype=given[0].dtype.name)
    function = getattr(hc, name)

    def one(x: Any, out: Any) -> None:
        out[0] = function(x[0])

    def two(x: Any, y: Any, out: Any) -> None:
        out[0] = function(x[0], y[0])

    kernel = hc.kernel(two if len(given) > 1 else one)
    simulation = hc.Simulation(grid, [kernel(*fields, out)], threads=1, check_every=0)
    for field, array in zip(fields, given, strict=True):
        field.set(array)
    return _best(lambda: simulation.run(times, progress=False), times), out.gather()


def by_library(name: str, given: list[np.ndarray[Any, Any]], times: int) -> tuple[float, Any]:
    """Return the same of a loop that calls the C library."""
    kind = "double" if given[0].dtype == np.float64 else "float"
    call = f"{name}(x[i], y[i])" if len(given) > 1 else f"{name}(x[i])"
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "loop.cpp"), Path(folder, "loop.so")
        source.write_text(_LOOP.format(kind=kind, call=call), encoding="utf-8")
        subprocess.run(["g++", *FLAGS, str(source), "-o", str(library)], check=True)
        loop = ctypes.CDLL(str(library)).loop
    result = np.empty_like(given[0])
    places = [ctypes.c_void_p(a.ctypes.data) for a in (given[0], given[-1], result)]
    return _best(lambda: loop(*places, ctypes.c_long(COUNT), ctypes.c_long(times)), times), result


def _best(run: Any, times: int) -> float:
    """Return the least processor time for a number, of several runs after one to warm up."""
    run()
    found = []
    for _ in range(5):
        start = process_time()
        run()
        found.append((process_time() - start) / times / COUNT)
    return min(found)


def main() -> None:
    """Print the table."""
    print("| function | type | C library [ns] | kernel [ns] | times as fast | difference [ulp] |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in sys.argv[1:] or [row.name for row in OPERATIONS.values() if row.is_elementary]:
        for dtype in ("float64", "float32"):
            given = arguments(name, dtype)
            library, wanted = by_library(name, given, 100)
            kernel, found = by_kernel(name, given, 400)
            with np.errstate(all="ignore"):
                units = np.abs(found - wanted) / np.spacing(np.abs(wanted))
            worst = float(np.max(units[np.isfinite(wanted) & (wanted != 0)]))
            times = f"{library * 1e9:.2f} | {kernel * 1e9:.2f} | {library / kernel:.1f}"
            print(f"| {name} | {dtype} | {times} | {worst:.0f} |", flush=True)


if __name__ == "__main__":
    main()
