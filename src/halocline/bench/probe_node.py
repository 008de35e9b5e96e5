"""Probe of a node: copies, packing, what launching kernels costs, and arithmetic."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from itertools import product
from math import prod
from typing import Any

import numpy as np

from halocline.analysis.cost import cost
from halocline.bench.baseline import LOOPS, Baseline
from halocline.bench.block_row import Cell, block_box, exchange, plus, with_axis
from halocline.bench.kernels import add_kernel, compute, increase, kernel_of
from halocline.bench.memory import worker_counts
from halocline.bench.settings import Settings
from halocline.bench.times import sample
from halocline.frozen import Frozen
from halocline.installation import need
from halocline.runtime import _core
from halocline.runtime.job import Job
from halocline.runtime.moves import rows_of_moves
from halocline.tune.machine import CopyRate, Overheads, Packing

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
# Edges of layers whose values are boxes of their own.
_BOXES = (8, 16, 32)
_ROW_CELLS = (16, 64, 256)
_ROWS = (16, 64, 256)
_MANY = 64
_ROW = 512
_ZERO = (0, 0, 0)
# Cells of each of so many rows: together enough that threads share them.
_SHARED_CELLS = 64


class NodeProbe(Frozen):
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
    sweep = _Kernel(job, increase, (_FAR_BYTES // 8, 1, 1))
    return NodeProbe(
        _copies(settings),
        *_packing(settings, None),
        *_packing(settings, sweep),
        _overheads(job, settings),
        _flops(job, settings),
    )


def _copies(settings: Settings) -> tuple[CopyRate, ...]:
    sets = _WORKING_SETS if settings.largest_bytes is None else _FEWER_SETS
    every = product(worker_counts(settings.cores), _COPIES, sets)
    return tuple(_copy_rate(settings, *point) for point in every)


def _copy_rate(settings: Settings, threads: int, streams: int, size: int) -> CopyRate:
    """Return the rate of the faster of two loops; 'size' is what a thread goes through [bytes]."""
    rates = []
    for name in _COPIES[streams]:
        cells = threads * size // LOOPS[name].bytes_per_cell
        with Baseline(name, cells, threads) as baseline:
            times = baseline.sample(settings.repetitions, settings.budget_s)
            rates.append((baseline.bytes / times.min_s, baseline.bytes / threads))
    rate, used = max(rates)
    return CopyRate(threads, streams, used, rate)


def _time(runtime: _core.Runtime, steps: int) -> float:
    """Do the steps of a runtime; return the time of one [s]."""
    started = time.perf_counter()
    runtime.advance(["step"], steps)
    return (time.perf_counter() - started) / steps


def _least_s(runtime: _core.Runtime, settings: Settings) -> float:
    return sample(partial(_time, runtime), settings.repetitions, settings.budget_s).min_s


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
        self.runtime.add_block(self.runtime.add_space(), _core.Box(_ZERO, extent))
        slot = self.runtime.add_field(_core.Field("values", "float64", 1, _ZERO, _ZERO))
        self.number = add_kernel(self.runtime, job, kernel, slot, "float64")
        self.runtime.connect()
        self.run_on(extent)

    def run_on(self, *extents: Cell) -> None:
        """Let a step run it on boxes of so many cells, each from the first cell on."""
        boxes = [block_box(_ZERO, extent) for extent in extents]
        self.runtime.set_program("step", [_core.Run(self.number, "kernel", boxes)])

    def least_s(self, settings: Settings, *extents: Cell) -> float:
        """Return the least time of an operation on boxes [s]."""
        self.run_on(*extents)
        return _least_s(self.runtime, settings)


def _copy_s(
    settings: Settings,
    sweep: _Kernel | None,
    extent: Cell,
    axis: int,
    *,
    is_by_rows: bool = False,
) -> float:
    """Return the least time in which a layer of a block is copied into the halo of the next [s].

    Args:
        settings: How to measure.
        sweep: What drives everything out of the caches before each copy; None for copies in cache.
        extent: Cells of a block.
        axis: Along which the two blocks stand.
        is_by_rows: Whether each row is a box of its own.
    """
    runtime = _core.Runtime(1)
    space = runtime.add_space()
    for lower in (_ZERO, with_axis(_ZERO, axis, extent[axis])):
        runtime.add_block(space, _core.Box(lower, plus(lower, extent)))
    halo, last = (with_axis(_ZERO, axis, n) for n in (1, extent[axis] - 1))
    slot = runtime.add_field(_core.Field("values", "float64", 1, halo, halo))
    layer = with_axis(extent, axis, 1)
    box = (layer[0], 1, 1) if is_by_rows else layer
    firsts = product((0,), range(0, layer[1], box[1]), range(0, layer[2], box[2]))
    cell = np.array([plus(last, first) for first in firsts]).T
    copies = rows_of_moves((slot, slot), 0, (0, *cell), (1, *cell), box)
    number = runtime.add_exchange(_core.Exchange("copy", copies=copies))
    runtime.connect()
    runtime.set_program("step", exchange(number))
    if sweep is None:
        return _least_s(runtime, settings)
    times = []
    for _ in range(1 + settings.repetitions):
        _time(sweep.runtime, 1)
        times.append(_time(runtime, 1))
    return min(times[1:])


def _packing(settings: Settings, sweep: _Kernel | None) -> tuple[Packing, tuple[float, ...]]:
    """Fit copies, with relative residuals: t = t0 + boxes x + 2 values v + rows r + bytes b.

    A layer across x is strided on both ends here, in a message only on one: hence 2 v.
    """
    need("probe", "scipy")
    from scipy.optimize import nnls

    terms, times = [], []
    for n in _COLUMNS:
        terms.append((1, 2 * n * n, 0, 0, 1))
        times.append(_copy_s(settings, sweep, (_ROW_CELLS[1], n, n), 0))
    for n in _BOXES:
        terms.append((1, 2 * n * n, 0, 0, n * n))
        times.append(_copy_s(settings, sweep, (_ROW_CELLS[1], n, n), 0, is_by_rows=True))
    for cells, rows in product(_ROW_CELLS, _ROWS):
        terms.append((1, 0, rows, 8 * rows * cells, 1))
        times.append(_copy_s(settings, sweep, (cells, rows, 2), 2))
    weighted = np.array(terms) / np.array(times)[:, None]
    unit = np.linalg.norm(weighted, axis=0)
    costs = nnls(weighted / unit, np.ones(len(times)))[0] / unit
    residuals = tuple(float(r) for r in weighted @ costs - 1)
    return Packing(*map(float, costs[1:])), residuals


def _overheads(job: Job, settings: Settings) -> Overheads:
    """Return what a small kernel on boxes of so many cells in so many rows tells."""

    def kernel(threads: int) -> Callable[..., float]:
        return partial(_Kernel(job, increase, (_ROW, _MANY, 1), threads).least_s, settings)

    serial, cell, large = kernel(1), (1, 1, 1), (_SHARED_CELLS, _MANY, 1)
    row_s = (serial((1, _MANY, 1)) - serial(cell)) / (_MANY - 1)
    box_s = (serial(*[cell] * _MANY) - serial(cell)) / (_MANY - 1) - row_s
    launch_s = serial(cell) - box_s - row_s
    cores, parallel_s = settings.cores, 0.0
    if cores > 1:
        parallel_s = kernel(cores)(large) - launch_s - (serial(large) - launch_s) / cores
    return Overheads(*(max(0.0, t) for t in (launch_s, box_s, row_s, parallel_s)))


def _flops(job: Job, settings: Settings) -> float:
    """Return what one thread computes on cells in the nearest cache [1/s]."""
    extent = (_ROW, 1, 1)
    seconds = _Kernel(job, compute, extent).least_s(settings, extent)
    return cost(kernel_of(job, compute, "float64")).flops * prod(extent) / seconds
