"""Call compiled kernels on NumPy arrays, as the runtime would."""

from __future__ import annotations

import ctypes
import random
from itertools import product

import numpy as np
from msgspec import Struct

from halocline.analysis.threads import THREADS, threads_for
from halocline.codegen.call import (
    ActiveRun,
    Call,
    FieldArgument,
    KernelFunction,
    Layer,
)

HALO = 3
# Global index of the first cell of a block, and after how many cells indices wrap.
ORIGIN = ((0, 0, 0), (0, 0, 0))


class BoxArgument(ctypes.Structure):
    """Which cells a CUDA kernel computes, its first parameter: 'Box'.

    Then come a 'FieldArgument' for each field and a double for each scalar. If it is batched, a
    table has the boxes with their fields, and another one the blocks of threads.
    """

    _fields_ = (
        ("lower", ctypes.c_int64 * 3),
        ("upper", ctypes.c_int64 * 3),
        ("origin", ctypes.c_int64 * 3),
        ("period", ctypes.c_int64 * 3),
        ("wrap", ctypes.c_int64),
        ("active_runs", ctypes.POINTER(ActiveRun)),
        ("active_run_count", ctypes.c_int64),
        ("layers", ctypes.POINTER(Layer)),
        ("free_of_inlined", Layer),
    )


class BlockArgument(ctypes.Structure):
    """How many threads a block has along x, y and z, as powers of two: between box and fields."""

    _fields_ = (("logs", ctypes.c_int64 * 3),)


class TileArgument(ctypes.Structure):
    """The first cell of a block of threads in a box of a batch: 'Tile'."""

    _fields_ = (("piece", ctypes.c_int32), ("first", ctypes.c_int32 * 3))


class Block(Struct):
    """Fields of one block: arrays by name (components, x, y, z), rows aligned."""

    arrays: dict[str, np.ndarray]
    arguments: ctypes.Array
    kept: list


def make_block(kernel, extent, seed) -> Block:
    """Return a block of the kernel's fields with random values, a halo of HALO cells included.

    An axis that a field lacks has one cell and no halo.
    """
    chance = np.random.default_rng(seed)
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
            array[...] = chance.integers(-64, 64, array.shape) / 16
        else:
            array[...] = chance.integers(0, 4, array.shape)
        first = array[(0, *(slice(h, None) for h in halo))].ctypes.data
        strides = [stride // dtype.itemsize for stride in array.strides]
        arguments[number] = FieldArgument(first, *strides)
        block.arrays[field.name] = array
        block.kept.append(raw)
    return block


def make_layers(boxes) -> ctypes.Array:
    """Return where inlined kernels run: boxes in cells of the block, or None."""
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
    free_of_inlined=None,
) -> None:
    """Run an emulated CUDA kernel over a box, or over runs in it, in blocks of threads."""
    cells = BoxArgument(*box, *where, wrap)
    if layers:
        cells.layers = made = make_layers(layers)
        cells.free_of_inlined = _make_layer(free_of_inlined)
        block.kept.append(made)
    extent = _threads_wanted(kernel, box)
    if runs is not None:
        cells.active_runs, cells.active_run_count = make_active_runs(runs), len(runs)
        extent = [sum(upper - lower for lower, upper, _, _ in runs), 1, 1]
    numbers = [ctypes.c_double(scalars[name]) for name in kernel.scalars]
    given = [cells, *list(block.arguments)[: len(kernel.fields)], *numbers]
    parameters = (ctypes.c_void_p * len(given))(*map(ctypes.addressof, given))
    grid = (-(-e // t) for e, t in zip(extent, threads))
    _launch(address, parameters, grid, threads, seed)


def launch_batch(address, kernel, block, pieces, *, scalars, where, seed, wrap=0) -> None:
    """Run a batched CUDA kernel once over boxes, each with the shape (of 128) of its threads.

    Args:
        address: Of its function.
        kernel: It.
        block: The fields, of all boxes the same.
        pieces: Boxes, the shape of a block of threads in each, and the runs to compute, or None.
        scalars: By name.
        where: See ORIGIN.
        seed: Of the order of threads; blocks of threads are in the table in another one.
        wrap: See 'launch_kernel'.
    """
    count = len(kernel.fields)
    Piece = type(
        "Piece",
        (ctypes.Structure,),
        {
            "_fields_": [
                ("box", BoxArgument),
                ("block", BlockArgument),
                ("fields", FieldArgument * count),
            ]
        },
    )
    table = (Piece * len(pieces))()
    tiles = []
    for number, (box, threads, runs) in enumerate(pieces):
        one = table[number]
        one.box = BoxArgument(*box, *where, wrap)
        one.block.logs = tuple(size.bit_length() - 1 for size in threads)
        one.fields = (FieldArgument * count)(*block.arguments[:count])
        extent, each, lower = _threads_wanted(kernel, box), threads_for(kernel).cells, box[0]
        if runs is not None:
            one.box.active_runs, one.box.active_run_count = make_active_runs(runs), len(runs)
            extent = [sum(upper - lower for lower, upper, _, _ in runs), 1, 1]
            each, lower = (1, 1, 1), (0, 0, 0)
        blocks = product(*(range(0, e, t) for e, t in zip(extent, threads)))
        tiles += [
            TileArgument(number, tuple(l + n * c for l, n, c in zip(lower, place, each)))
            for place in blocks
        ]
    if not tiles:
        return
    random.Random(seed).shuffle(tiles)
    numbers = [ctypes.c_double(scalars[name]) for name in kernel.scalars]
    tables = (TileArgument * len(tiles))(*tiles), table
    pointers = [ctypes.c_void_p(ctypes.addressof(one)) for one in tables]
    given = [*pointers, *numbers]
    parameters = (ctypes.c_void_p * len(given))(*map(ctypes.addressof, given))
    _launch(address, parameters, (len(tiles), 1, 1), (THREADS, 1, 1), seed)


def _threads_wanted(kernel, box) -> list[int]:
    """Return how many threads a box takes along each axis."""
    return [-(-(u - l) // each) for l, u, each in zip(*box, threads_for(kernel).cells)]


def _launch(address, parameters, grid, threads, seed) -> None:
    three = ctypes.c_uint32 * 3
    launch = ctypes.CFUNCTYPE(
        None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64
    )
    launch(address)(parameters, three(*grid), three(*threads), seed)
