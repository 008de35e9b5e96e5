"""Probe of a node: copies, packing, what launching kernels costs, and arithmetic."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from functools import partial
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.analysis.cost import cost
from halocline.bench.board import (
    Cell,
    add_kernel,
    address_of,
    block_box,
    exchange,
    increase,
    kernel_of,
)
from halocline.bench.memory import worker_counts
from halocline.bench.overlap import update
from halocline.bench.times import sample
from halocline.bench.yardstick import LOOPS, Yardstick
from halocline.runtime import _core
from halocline.tune.machine import CopyRate, Overheads, Packing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from halocline.bench.settings import Settings
    from halocline.runtime._core import Operation
    from halocline.runtime.job import Job

# What a thread goes through: from the nearest cache to far beyond the last.
_WORKING_SETS = (1 << 15, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26)
_FEWER_SETS = (1 << 15, 1 << 20, 1 << 26)
# Loops of which the faster one counts: the runtime chooses between them by size.
_COPIES = {
    2: ("copy_1_plain", "copy_1_streamed"),
    38: ("copy_19_plain", "copy_19_streamed_by_rows"),
}
# More than caches hold [bytes].
_FAR_BYTES = 1 << 26
# Edges of layers of single values; cells of a row and rows of the other layers.
_COLUMNS = (32, 64, 96, 128)
_ROW_CELLS = (16, 64, 256)
_ROWS = (16, 64, 256)
_MANY = 64
_ROW = 512
# Cells of each of so many rows: together enough that threads share them.
_SHARED_CELLS = 64


@dataclass(frozen=True, slots=True)
class NodeProbe:
    """What was found without messages.

    Attributes:
        copies: Copy rates.
        packing: Copying boxes whose values are in cache.
        packing_residuals: Predicted by measured time of each box, minus one.
        far_packing: Copying boxes whose values are in memory.
        far_residuals: The same of these.
        overheads: Launching.
        flops_per_s: Arithmetic of a thread [1/s].
    """

    copies: tuple[CopyRate, ...]
    packing: Packing
    packing_residuals: tuple[float, ...]
    far_packing: Packing
    far_residuals: tuple[float, ...]
    overheads: Overheads
    flops_per_s: float


def measure(job: Job, settings: Settings) -> NodeProbe:
    """Measure all of it in one process."""
    packing, residuals = _packing(settings, _Blocks)
    far_packing, far_residuals = _packing(settings, partial(_FarBlocks, _Sweep(job)))
    return NodeProbe(
        copies=tuple(_copies(settings)),
        packing=packing,
        packing_residuals=residuals,
        far_packing=far_packing,
        far_residuals=far_residuals,
        overheads=_overheads(job, settings),
        flops_per_s=_flops(job, settings),
    )


def _copies(settings: Settings) -> list[CopyRate]:
    sets = _WORKING_SETS if settings.largest_bytes is None else _FEWER_SETS
    return [
        _copy_rate(settings, threads, streams, size)
        for threads in worker_counts(len(os.sched_getaffinity(0)))
        for streams in _COPIES
        for size in sets
    ]


def _copy_rate(settings: Settings, threads: int, streams: int, size: int) -> CopyRate:
    """Return the rate of the faster of two loops; 'size' is what a thread goes through [bytes]."""
    rates = []
    for name in _COPIES[streams]:
        cells = threads * size // LOOPS[name].bytes_per_cell
        with Yardstick(name, cells, threads) as yardstick:
            times = yardstick.sample(settings.repetitions, settings.budget_s)
            rates.append((yardstick.bytes / times.min_s, yardstick.bytes / threads))
    rate, used = max(rates)
    return CopyRate(threads, streams, used, rate)


class _Blocks:
    """Two blocks of one process; a layer of one is copied into the halo of the other."""

    def __init__(self, extent: Cell, axis: int) -> None:
        self.runtime = _core.Runtime(1)
        start, step = (0, 0, 0), _only(axis, extent[axis])
        space = self.runtime.add_space()
        for lower in (start, step):
            self.runtime.add_block(space, _core.Box(lower, _plus(lower, extent)))
        halo = _only(axis, 1)
        slot = self.runtime.add_field(_core.Field("values", "float64", 1, halo, halo))
        last = _only(axis, extent[axis] - 1)
        layer = _plus(extent, _only(axis, 1 - extent[axis]))
        copy = _core.Copy(slot, 0, 0, last, 1, last, layer)
        number = self.runtime.add_exchange(_core.Exchange("copy", copies=[copy]))
        self.runtime.connect()
        self.runtime.set_program("step", exchange(number))

    def least_s(self, settings: Settings) -> float:
        """Return the least time of a copy [s]."""
        return sample(self.run, settings.repetitions, settings.budget_s).min_s

    def run(self, steps: int) -> float:
        """Copy so often; return the time of a copy [s]."""
        started = time.perf_counter()
        self.runtime.advance(["step"], steps)
        return (time.perf_counter() - started) / steps


class _Kernel:
    """A kernel with a runtime and a field of its own.

    Args:
        job: This process.
        kernel: What updates the field.
        extent: Cells of the field.
        threads: OpenMP threads.
    """

    def __init__(self, job: Job, kernel: Any, extent: Cell, threads: int = 1) -> None:
        self.runtime = _core.Runtime(threads)
        self.runtime.add_block(self.runtime.add_space(), _core.Box((0, 0, 0), extent))
        slot = self.runtime.add_field(_core.Field("values", "float64", 1, (0, 0, 0), (0, 0, 0)))
        address = address_of(job, kernel, "float64")
        self.number = add_kernel(self.runtime, "kernel", address, slot)
        self.runtime.connect()

    def on(self, *extents: Cell) -> Operation:
        """Return the operation that runs it on boxes, each from the first cell on."""
        boxes = [block_box((0, 0, 0), extent) for extent in extents]
        return _core.Run(self.number, "kernel", boxes)

    def time(self, operation: Operation, settings: Settings) -> float:
        """Return the time of an operation [s]."""
        self.runtime.set_program("step", [operation])

        def run(steps: int) -> float:
            started = time.perf_counter()
            self.runtime.advance(["step"], steps)
            return (time.perf_counter() - started) / steps

        return sample(run, settings.repetitions, settings.budget_s).min_s


class _Sweep:
    """Goes through more memory than caches hold."""

    def __init__(self, job: Job) -> None:
        extent = (_FAR_BYTES // 8, 1, 1)
        kernel = _Kernel(job, increase, extent)
        self.runtime = kernel.runtime
        self.runtime.set_program("sweep", [kernel.on(extent)])

    def run(self) -> None:
        """Drive other things out of the caches."""
        self.runtime.advance(["sweep"], 1)


class _FarBlocks(_Blocks):
    """The same, with everything gone to memory before each copy, as where fields are large."""

    def __init__(self, sweep: _Sweep, extent: Cell, axis: int) -> None:
        super().__init__(extent, axis)
        self.sweep = sweep

    def least_s(self, settings: Settings) -> float:
        """Return the least time of a copy [s]."""
        times = []
        for _ in range(1 + settings.repetitions):
            self.sweep.run()
            times.append(self.run(1))
        return min(times[1:])


def _only(axis: int, value: int) -> Cell:
    return _cell(value if n == axis else 0 for n in range(3))


def _plus(a: Cell, b: Cell) -> Cell:
    return _cell(i + j for i, j in zip(a, b, strict=True))


def _cell(values: Iterable[int]) -> Cell:
    x, y, z = values
    return x, y, z


def _packing(
    settings: Settings, blocks: Callable[[Cell, int], _Blocks]
) -> tuple[Packing, tuple[float, ...]]:
    """Fit copies of layers, with relative residuals: t = t0 + 2 values v + rows r + bytes b.

    A layer across x is strided on both ends here, in a message only on one: hence 2 v.
    """
    from scipy.optimize import nnls

    terms, times = [], []
    for n in _COLUMNS:
        terms.append((1, 2 * n * n, 0, 0))
        times.append(blocks((_ROW_CELLS[1], n, n), 0).least_s(settings))
    for cells, rows in product(_ROW_CELLS, _ROWS):
        terms.append((1, 0, rows, 8 * rows * cells))
        times.append(blocks((cells, rows, 2), 2).least_s(settings))
    weighted = np.array(terms) / np.array(times)[:, None]
    unit = np.linalg.norm(weighted, axis=0)
    found = nnls(weighted / unit, np.ones(len(times)))[0] / unit
    residuals = tuple(float(r) for r in weighted @ found - 1)
    return Packing(float(found[1]), float(found[2]), float(found[3])), residuals


def _overheads(job: Job, settings: Settings) -> Overheads:
    one = _Launches(job, settings, threads=1)
    row_s = (one.time([(1, _MANY)]) - one.time([(1, 1)])) / (_MANY - 1)
    box_s = (one.time([(1, 1)] * _MANY) - one.time([(1, 1)])) / (_MANY - 1) - row_s
    launch_s = one.time([(1, 1)]) - box_s - row_s
    cores = len(os.sched_getaffinity(0))
    parallel_s = 0.0
    if cores > 1:
        all_cores = _Launches(job, settings, threads=cores)
        large = [(_SHARED_CELLS, _MANY)]
        parallel_s = all_cores.time(large) - launch_s - (one.time(large) - launch_s) / cores
    return Overheads(*(max(0.0, t) for t in (launch_s, box_s, row_s, parallel_s)))


class _Launches:
    """A small kernel on boxes of so many cells in so many rows."""

    def __init__(self, job: Job, settings: Settings, threads: int) -> None:
        self.settings = settings
        self.kernel = _Kernel(job, increase, (_ROW, _MANY, 1), threads)

    def time(self, boxes: list[tuple[int, int]]) -> float:
        """Return the time of an operation that runs the kernel on boxes [s]."""
        run = self.kernel.on(*((cells, rows, 1) for cells, rows in boxes))
        return self.kernel.time(run, self.settings)


def _flops(job: Job, settings: Settings) -> float:
    """Return what one thread computes on cells in the nearest cache [1/s]."""
    extent = (_ROW, 1, 1)
    kernel = _Kernel(job, update, extent)
    seconds = kernel.time(kernel.on(extent), settings)
    return cost(kernel_of(job, update, "float64")).flops * prod(extent) / seconds
