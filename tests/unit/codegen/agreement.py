"""What every target must agree on: random kernels, random boxes, and what the interpreter makes."""

from __future__ import annotations

import numpy as np
from driver import HALO, make_block
from hypothesis import strategies as st
from random_kernels import random_kernel

from halocline.codegen.numpy_target import evaluate
from halocline.geometry import Box

KERNELS = [random_kernel(seed) for seed in range(60)]
SCALARS = {"s": 0.3, "t": -1.75}


@st.composite
def cases(draw):
    """Return the number of a kernel, the extent of a block, a box in it, where it lies, a seed.

    Where it lies: its origin, and after how many cells indices wrap.
    """
    kernel = draw(st.integers(0, len(KERNELS) - 1))
    dimensions = KERNELS[kernel].dimensions
    extent = (draw(st.integers(1, 170)), *(draw(st.integers(1, 4)) for _ in range(2)))
    extent = tuple(e if axis < dimensions else 1 for axis, e in enumerate(extent))
    lower = tuple(draw(st.integers(0, e - 1)) for e in extent)
    upper = tuple(
        draw(st.integers(low, e)) if axis < dimensions else 1
        for axis, (low, e) in enumerate(zip(lower, extent, strict=True))
    )
    origin = tuple(draw(st.integers(-5, 1000)) for _ in range(3))
    period = tuple(draw(st.sampled_from((0, extent[axis], 200))) for axis in range(3))
    return kernel, extent, (lower, upper), (origin, period), draw(st.integers(0, 99))


def flat(kernel, array):
    """Return an array without the axes that the kernel's grid lacks."""
    return array[(..., *(0,) * (3 - kernel.dimensions))]


def expected(kernel, block, boxes, where, scalars=SCALARS):
    """Return the fields of a block after the kernel has run on some boxes of it."""
    origin, period = where
    arrays = {name: flat(kernel, array).copy() for name, array in block.arrays.items()}
    for lower, upper in boxes:
        cells = Box(lower[: kernel.dimensions], upper[: kernel.dimensions])
        inner = cells.shift((HALO,) * kernel.dimensions)
        evaluate(kernel, arrays, scalars, inner, [o - HALO for o in origin], period)
    return arrays


def expected_around(kernel, extent, seed, box, where):
    """Return the same where rows go on at their other end; halo cells along x mean nothing."""
    wrapped = make_block(kernel, extent, seed)
    for array in wrapped.arrays.values():
        array[:, :HALO] = array[:, -2 * HALO : -HALO]
        array[:, -HALO:] = array[:, HALO : 2 * HALO]
    arrays = expected(kernel, wrapped, [box], where)
    for s in kernel.statements:
        target = arrays[s.field][s.component]
        for x in range(box[0][0] + s.offset[0], box[1][0] + s.offset[0]):
            if not 0 <= x < extent[0]:
                others = [slice(HALO + l + o, HALO + u + o) for l, u, o in zip(*box, s.offset)][1:]
                target[x % extent[0] + HALO, *others] = target[x + HALO, *others]
    return arrays


def assert_same(kernel, block, arrays, *, beyond=0):
    """Compare all bits of a block's fields, but for so many cells at both ends of rows."""
    for name, array in arrays.items():
        rows = (slice(None), slice(beyond, array.shape[1] - beyond))
        found = flat(kernel, block.arrays[name])[rows]
        assert _bits(found) == _bits(array[rows]), (kernel, name)


def _bits(array):
    # Which of two operands a result that is not a number takes its sign from is left open by IEEE.
    array = np.ascontiguousarray(array)
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), np.nan, array)
    return array.tobytes()
