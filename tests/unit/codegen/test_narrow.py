"""Boxes of one or two cells along x, of kernels between levels: they do what single cells say."""

from __future__ import annotations

import numpy as np
import pytest
from driver import call_kernel, make_block
from hypothesis import given, settings
from hypothesis import strategies as st
from related_kernels import describe, random_kernel, run_cell_by_cell

from halocline.codegen.cpp import print_source
from halocline.codegen.cpp_narrow import may_be_narrow
from halocline.codegen.lower import lower
from halocline.jit.build import build

KERNELS = [random_kernel(seed, is_plain=True) for seed in range(7)]
ORIGIN = (3, -2, 5)


@pytest.fixture(scope="module")
def compiled():
    return build(print_source(KERNELS))


@st.composite
def boxes(draw):
    lower = tuple(draw(st.integers(0, 2)) for _ in range(3))
    width, height, depth = (draw(st.integers(1, most)) for most in (3, 6, 6))
    return lower, (lower[0] + width, lower[1] + height, lower[2] + depth)


@settings(max_examples=60, deadline=None)
@given(
    number=st.integers(0, len(KERNELS) - 1),
    box=boxes(),
    seed=st.integers(0, 9),
    threads=st.sampled_from([1, 2, 3]),
)
def test_cells_along_any_axis_do_what_cells_do_one_by_one(compiled, number, box, seed, threads):
    kernel, (_, extent) = KERNELS[number], box
    expected, found = (make_block(kernel, extent, seed) for _ in range(2))
    run_cell_by_cell(kernel, expected.arrays, box, ORIGIN)
    call_kernel(
        compiled.address(compiled.entries[number]),
        kernel,
        found,
        box,
        scalars={},
        where=(ORIGIN, (0, 0, 0)),
        threads=threads,
    )
    for field in kernel.fields:
        same = np.array_equal(found.arrays[field.name], expected.arrays[field.name], equal_nan=True)
        assert same, (field.name, describe(kernel))


def test_kernels_between_levels_have_a_function_for_such_boxes():
    text = print_source(KERNELS).text
    between = [one.name for one in KERNELS if may_be_narrow(one, lower(one))]
    assert len(between) > len(KERNELS) // 2
    assert text.count("_narrow(const halocline_call& call, const Part& part) {") == len(between)
