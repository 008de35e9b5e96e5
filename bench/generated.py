"""Measure generated kernels without the runtime, beside the hand-written yardstick.

Usage: python bench/generated.py [--kernel d3q19] [--dtype float64] [--cells 32 64 128] …
Prints, for each size, GB/s (bytes that must be read plus bytes that must be written) for plain
stores and for stores past the cache, and the fraction of the yardstick measured before and after.
"""

from __future__ import annotations

import argparse
import ctypes
import mmap
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from kernels import d3q19, heat
from yardstick import compile_yardstick, run_yardstick

from halocline.codegen.call import Call, FieldArgument, KernelFunction
from halocline.codegen.cpp import print_source
from halocline.jit.build import build
from halocline.jit.toolchain import FLAGS, find_toolchain

if TYPE_CHECKING:
    from halocline.language.kernel import Kernel

KERNELS = {"d3q19": d3q19, "heat": heat}
PAGE = 2 << 20
FEWEST = 5  # repetitions
Function = Callable[..., None]


@dataclass(frozen=True)
class Layout:
    """Strides in elements of a field with one layer of halo."""

    row: int
    plane: int
    component: int
    start: int
    elements: int


def layout(cells: int, components: int, size: int, padding: int) -> Layout:
    """Return strides: rows start on a cache line, components lie an odd number of lines apart.

    One line between rows holds the halo cell behind a row and the one before the next.
    """
    line = 64 // size
    row = -(-cells // line) * line + line
    plane = row * (cells + 2)
    lines = plane * (cells + 2) // line + 1
    component = (lines + padding + (lines + padding + 1) % 2) * line
    return Layout(row, plane, component, plane + row + line, component * components)


class Arrays:
    """Memory of the fields of a kernel on one block, with huge pages if asked."""

    def __init__(self, kernel: Kernel, cells: int, *, huge: bool, padding: int) -> None:
        self.fields = (FieldArgument * len(kernel.fields))()
        self.kept = []
        for i, field in enumerate(kernel.fields):
            dtype = np.dtype(field.dtype)
            shape = layout(cells, field.components, dtype.itemsize, padding)
            size = (shape.elements + shape.start) * dtype.itemsize
            memory = mmap.mmap(-1, size + 2 * PAGE)
            if huge:
                memory.madvise(mmap.MADV_HUGEPAGE)
            raw = np.frombuffer(memory, np.uint8)
            # Fields start some lines apart, so that they do not share sets of the caches.
            skip = -raw.ctypes.data % PAGE + 64 * 7 * i
            data = raw[skip : skip + size].view(dtype)
            data[:] = 1.0
            self.kept.append((memory, data))
            address = data.ctypes.data + shape.start * dtype.itemsize
            self.fields[i] = FieldArgument(address, shape.component, shape.row, shape.plane)


def measure(function: Function, calls: list[Call], seconds: float) -> list[list[float]]:
    """Return sorted times of single runs [s] for each of the calls, taken in turn."""
    times: list[list[float]] = [[] for _ in calls]
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times[0]) < FEWEST:
        for call, list_ in zip(calls, times, strict=True):
            function(ctypes.byref(call))  # brings the caches into the state this call leaves
            start = time.perf_counter()
            function(ctypes.byref(call))
            list_.append(time.perf_counter() - start)
    return [sorted(list_) for list_ in times]


def report(
    given: argparse.Namespace, function: Function, kernel: Kernel, cells: int, program: Path
) -> None:
    """Measure one size and print a line for each way of storing."""
    traffic = sum(f.components * np.dtype(f.dtype).itemsize for f in kernel.fields)
    arrays = Arrays(kernel, cells, huge=not given.small_pages, padding=given.padding)
    scalars = (ctypes.c_double * 1)(0.1)
    calls = [
        Call(arrays.fields, scalars, (0, 0, 0), (cells,) * 3, (0, 0, 0), given.threads, stream)
        for stream in (0, 1)
    ]
    before = run_yardstick(program, cells=given.yardstick, threads=given.threads, repetitions=5)
    measured = measure(function, calls, given.seconds)
    after = run_yardstick(program, cells=given.yardstick, threads=given.threads, repetitions=5)
    yardstick = max(run["copy_19_streamed"]["median"] for run in (before, after))
    for stream, times in enumerate(measured):
        median, best = (traffic * cells**3 / t / 1e9 for t in (statistics.median(times), times[0]))
        print(
            f"{kernel.name} {given.dtype} {cells}^3 {traffic * cells**3 / 1e6:.0f} MB "
            f"stream={stream}: median {median:.1f} best {best:.1f} GB/s "
            f"({median * 1e3 / traffic:.0f} best {best * 1e3 / traffic:.0f} MLUPS), "
            f"{100 * median / yardstick:.0f} % best {100 * best / yardstick:.0f} % of "
            f"{yardstick:.1f} GB/s",
            flush=True,
        )


def main() -> None:
    """Parse arguments, build, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernel", choices=KERNELS, default="d3q19")
    parser.add_argument("--dtype", default="float64")
    parser.add_argument("--cells", type=int, nargs="+", default=[32, 64, 96, 128])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--padding", type=int, default=5)
    parser.add_argument("--yardstick", type=int, default=128, help="cells a side of the yardstick")
    parser.add_argument("--small-pages", action="store_true")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--flags", default="")
    given = parser.parse_args()
    kernel = KERNELS[given.kernel](given.dtype)
    start = time.perf_counter()
    source = print_source([kernel])
    library = build(source, find_toolchain((*FLAGS, *given.flags.split())))
    print(f"built in {time.perf_counter() - start:.2f} s")
    function = KernelFunction(library.address(source.entries[0]))
    with tempfile.TemporaryDirectory() as folder:
        program = compile_yardstick(Path(folder))
        for cells in given.cells:
            report(given, function, kernel, cells, program)


if __name__ == "__main__":
    main()
