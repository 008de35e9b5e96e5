"""Call compiled kernels on NumPy arrays, as the runtime would."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np

from halocline.analysis.threads import threads_for
from halocline.codegen.call import (
    ActiveRun,
    BoxArgument,
    Call,
    FieldArgument,
    KernelFunction,
    Layer,
)

HALO = 3
# Global index of the first cell of a block, and after how many cells indices wrap.
ORIGIN = ((0, 0, 0), (0, 0, 0))


@dataclass
class Block:
    """Fields of one block: arrays by name (components, x, y, z), rows aligned."""

    arrays: dict[str, np.ndarray]
    arguments: ctypes.Array
    kept: list


def make_block(kernel, extent, seed) -> Block:
    """Return a block of the kernel's fields with random values, a halo of HALO cells included.

    An axis that a field lacks has one cell and no halo.
    """
    random = np.random.default_rng(seed)
    arguments = (FieldArgument * max(1, len(kernel.fields)))()
    block = Block({}, arguments, [])
    for number, field in enumerate(kernel.fields):
        ratio = [field.ratio_along(axis) for axis in range(kernel.dimensions)]
        halo = [*(HALO * r for r in ratio), 0, 0][:3]
        whole = [max(1, r * e) + 2 * h for r, e, h in zip((*ratio, 1, 1), extent, halo)]
        dtype = np.dtype(field.dtype)
        line = 64 // dtype.itemsize
        row = -(-(whole[0] * field.x_step + line) // line) * line
        arrays = field.components // field.x_step
        count = arrays * whole[2] * whole[1] * row
        raw = np.zeros(count * dtype.itemsize + 128, np.uint8)
        start = -(raw.ctypes.data + halo[0] * field.x_step * dtype.itemsize) % 64
        data = raw[start : start + count * dtype.itemsize].view(dtype)
        rows = data.reshape(arrays, whole[2], whole[1], row)
        cells = rows[..., : whole[0] * field.x_step]
        apart = cells.reshape(arrays, whole[2], whole[1], whole[0], field.x_step)
        array = apart.transpose(0, 4, 3, 2, 1).reshape(field.components, *whole)
        assert np.shares_memory(array, raw)
        if dtype.kind == "f":
            array[...] = random.integers(-64, 64, array.shape) / 16
        else:
            array[...] = random.integers(0, 4, array.shape)
        first = array[(0, *(slice(h, None) for h in halo))].ctypes.data
        strides = [stride // dtype.itemsize for stride in array.strides]
        arguments[number] = FieldArgument(first, *strides)
        block.arrays[field.name] = array
        block.kept.append(raw)
    return block


def make_layers(boxes) -> ctypes.Array:
    """Return where producers run: boxes in cells of the block, or None."""
    return (Layer * len(boxes))(*map(_make_layer, boxes))


def _make_layer(box) -> Layer:
    if box is None:
        return Layer()
    missing = 3 - len(box.lower)
    return Layer((*box.lower, *(0,) * missing), (*box.upper, *(1,) * missing))


def call_kernel(
    address,
    kernel,
    block,
    box,
    *,
    scalars,
    where,
    wrap=0,
    tile=(0, 0),
    threads=1,
    stream=0,
    layers=(),
) -> None:
    """Run a kernel with the C interface over a box in cells of the block, given in 3-D."""
    numbers = (ctypes.c_double * max(1, len(kernel.scalars)))(
        *(scalars[name] for name in kernel.scalars)
    )
    # What outgrows the caches is also what rows are fetched of.
    call = Call(block.arguments, numbers, *box, *where, wrap, tile, threads, stream, stream)
    if layers:
        call.layers = made = make_layers(layers)
        block.kept.append(made)
    KernelFunction(address)(ctypes.byref(call))


def make_active_runs(runs) -> ctypes.Array:
    """Return runs (lower, upper, y, z) as a call wants them."""
    made = (ActiveRun * max(1, len(runs)))()
    before = 0
    for number, (lower, upper, y, z) in enumerate(runs):
        made[number] = ActiveRun(lower, upper, y, z, before)
        before += upper - lower
    return made


def launch_kernel(
    address,
    kernel,
    block,
    box,
    *,
    scalars,
    where,
    threads,
    seed,
    wrap=0,
    runs=None,
    layers=(),
    free_of_producers=None,
) -> None:
    """Run an emulated CUDA kernel over a box, or over runs in it, in blocks of threads."""
    cells = BoxArgument(*box, *where, wrap)
    if layers:
        cells.layers = made = make_layers(layers)
        cells.free_of_producers = _make_layer(free_of_producers)
        block.kept.append(made)
    cells_each = threads_for(kernel).cells
    extent = [-(-(u - l) // each) for l, u, each in zip(*box, cells_each)]
    if runs is not None:
        cells.active_runs, cells.active_run_count = make_active_runs(runs), len(runs)
        extent = [sum(upper - lower for lower, upper, _, _ in runs), 1, 1]
    numbers = [ctypes.c_double(scalars[name]) for name in kernel.scalars]
    given = [cells, *list(block.arguments)[: len(kernel.fields)], *numbers]
    parameters = (ctypes.c_void_p * len(given))(*map(ctypes.addressof, given))
    grid = (-(-e // t) for e, t in zip(extent, threads))
    three = ctypes.c_uint32 * 3
    launch = ctypes.CFUNCTYPE(
        None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64
    )
    launch(address)(parameters, three(*grid), three(*threads), seed)
