"""Runs of cells of a kernel with many streams, however its lines are stored and fetched."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from driver import HALO, make_active_runs, make_block

from halocline.codegen.call import Call, KernelFunction
from halocline.codegen.cpp import print_source
from halocline.jit.build import build
from halocline.language.expressions.expr import Binary, Const, Read
from halocline.language.expressions.kernel import FieldType, Kernel, Statement

COMPONENTS, LINE = 12, 16
EXTENT = (50, 6, 4)
# Of one cell, of a part of a line, of a line, of cells in two and in three lines.
LENGTHS = (1, 5, LINE, LINE + 3, 2 * LINE + 1)


def kernel() -> Kernel:
    """Take each component from next door, another way each."""
    fields = (FieldType("f", "float32", COMPONENTS), FieldType("g", "float32", COMPONENTS))
    ways = [(i % 3 - 1, i // 3 % 3 - 1, i % 2) for i in range(COMPONENTS)]
    statements = tuple(
        Statement("g", i, Binary("mul", Read("f", i, way), Const(2.0)), (0, 0, 0))
        for i, way in enumerate(ways)
    )
    return Kernel("pull", 3, fields, (), statements)


@pytest.fixture(scope="module")
def function():
    """Return the kernel as compiled."""
    library = build(print_source([kernel()]))
    return KernelFunction(library.address(library.entries[0])), library


@pytest.mark.parametrize("fetch", [0, 1, 8, 16])
@pytest.mark.parametrize("stream", [0, 1, 2])
def test_they_are_computed_and_nothing_else(function, stream, fetch):
    random = np.random.default_rng(stream)
    runs = []
    for z in range(EXTENT[2]):
        for y in range(EXTENT[1]):
            length = int(random.choice(LENGTHS))
            first = LINE if length == LINE else int(random.integers(0, EXTENT[0] - length + 1))
            runs.append((first, first + length, y, z))
    block, alone = (make_block(kernel(), EXTENT, 3) for _ in range(2))
    call = Call(block.arguments, None, (0, 0, 0), EXTENT)
    call.threads, call.stream, call.fetch = 1, stream, fetch
    call.active_runs, call.active_run_count = make_active_runs(runs), len(runs)
    function[0](ctypes.byref(call))
    source, expected = alone.arrays["f"], alone.arrays["g"]
    for lower, upper, y, z in runs:
        for statement in kernel().statements:
            i = statement.component
            dx, dy, dz = statement.value.left.offset
            row = source[i, :, HALO + y + dy, HALO + z + dz]
            target = expected[i, :, HALO + y, HALO + z]
            target[HALO + lower : HALO + upper] = 2 * row[HALO + lower + dx : HALO + upper + dx]
    assert np.array_equal(block.arrays["g"], expected)
