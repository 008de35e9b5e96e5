"""Measure generated kernels without the runtime, beside the hand-written yardstick.

Usage: python bench/generated.py [--cells 32 64 128] [--dtype float64] [--kernel d3q19] …
Prints one line per size: million cell updates a second, GB/s (bytes that must be read plus bytes
that must be written) for plain stores and for stores past the cache.
"""

from __future__ import annotations

import argparse
import ctypes
import mmap
import statistics
import time
from dataclasses import dataclass

import numpy as np
from kernels import d3q19, heat

from halocline.codegen.call import Call, FieldArgument, KernelFunction
from halocline.codegen.cpp import print_source
from halocline.jit.build import build
from halocline.jit.toolchain import FLAGS, find_toolchain

KERNELS = {"d3q19": d3q19, "heat": heat}
PAGE = 2 << 20


@dataclass(frozen=True)
class Layout:
    """Strides in elements of a field with one layer of halo."""

    row: int
    plane: int
    component: int
    start: int
    elements: int


def layout(cells: int, components: int, size: int, padding: int) -> Layout:
    """Return strides: rows start on a cache line, components lie an odd number of lines apart."""
    line = 64 // size
    row = -(-(cells + 2 * line) // line) * line
    plane = row * (cells + 2)
    component = plane * (cells + 2)
    if padding >= 0:
        lines = component // line
        component = (lines + padding + (lines + padding + 1) % 2) * line
    return Layout(row, plane, component, plane + row + line, component * components)


class Arrays:
    """Memory of the fields of a kernel on one block, with huge pages if asked."""

    def __init__(self, kernel, cells: int, *, huge: bool, padding: int) -> None:
        self.fields = (FieldArgument * len(kernel.fields))()
        self.kept = []
        for i, field in enumerate(kernel.fields):
            dtype = np.dtype(field.dtype)
            shape = layout(cells, field.components, dtype.itemsize, padding)
            memory = mmap.mmap(-1, shape.elements * dtype.itemsize + 2 * PAGE)
            if huge:
                memory.madvise(mmap.MADV_HUGEPAGE)
            raw = np.frombuffer(memory, np.uint8)
            skip = -raw.ctypes.data % PAGE
            # Fields start some lines apart, so that they do not share sets of the caches.
            skip += 64 * 7 * i
            data = raw[skip : skip + shape.elements * dtype.itemsize].view(dtype)
            data[:] = 1.0
            self.kept.append((memory, data))
            address = data.ctypes.data + shape.start * dtype.itemsize
            self.fields[i] = FieldArgument(address, shape.component, shape.row, shape.plane)


def measure(function, call: Call, cells: int, seconds: float) -> list[float]:
    """Return sorted times of single calls [s]."""
    function(ctypes.byref(call))
    times = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 5:
        start = time.perf_counter()
        function(ctypes.byref(call))
        times.append(time.perf_counter() - start)
    return sorted(times)


def main() -> None:
    """Parse arguments, build, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernel", choices=KERNELS, default="d3q19")
    parser.add_argument("--dtype", default="float64")
    parser.add_argument("--cells", type=int, nargs="+", default=[32, 64, 96, 128])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--padding", type=int, default=5)
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
    size = np.dtype(given.dtype).itemsize
    traffic = sum(field.components for field in kernel.fields) * size
    scalars = (ctypes.c_double * 1)(0.1)
    for cells in given.cells:
        arrays = Arrays(kernel, cells, huge=not given.small_pages, padding=given.padding)
        for stream in (0, 1):
            call = Call(
                arrays.fields, scalars, (0, 0, 0), (cells,) * 3, (0, 0, 0), given.threads, stream
            )
            times = measure(function, call, cells, given.seconds)
            median, best = statistics.median(times), times[0]
            print(
                f"{given.kernel} {given.dtype} {cells}^3 {traffic * cells**3 / 1e6:.0f} MB "
                f"stream={stream}: median {cells**3 / median / 1e6:.1f} MLUPS "
                f"{traffic * cells**3 / median / 1e9:.1f} GB/s, best "
                f"{traffic * cells**3 / best / 1e9:.1f} GB/s"
            )


if __name__ == "__main__":
    main()
