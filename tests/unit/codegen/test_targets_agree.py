"""The compiled kernel and the NumPy interpreter give the same bits."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from driver import HALO, call_kernel, make_block
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from random_kernels import random_kernel

from halocline.codegen.cpp import print_source
from halocline.codegen.numpy_target import callback, evaluate
from halocline.geometry import Box
from halocline.jit.build import build
from halocline.jit.cache import Cache

KERNELS = [random_kernel(seed) for seed in range(60)]
SCALARS = {"s": 0.3, "t": -1.75}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    source = print_source(KERNELS)
    return build(source, cache=Cache(tmp_path_factory.mktemp("cache")))


def _bits(array):
    # Which of two operands a result that is not a number takes its sign from is left open by IEEE.
    array = np.ascontiguousarray(array)
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), np.nan, array)
    return array.tobytes()


def _expected(kernel, block, box, origin):
    flat = Box(box[0][: kernel.dimensions], box[1][: kernel.dimensions])
    arrays = {
        name: array[(..., *(0,) * (3 - kernel.dimensions))].copy()
        for name, array in block.arrays.items()
    }
    inner = flat.shift((HALO,) * kernel.dimensions)
    start = [o - HALO for o in origin]
    evaluate(kernel, arrays, SCALARS, inner, start)
    return arrays


@st.composite
def _cases(draw):
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
    return kernel, extent, (lower, upper), origin, draw(st.integers(0, 99))


@settings(max_examples=250, deadline=None)
@given(_cases(), st.sampled_from([1, 2, 3]), st.booleans())
def test_compiled_and_interpreted_give_the_same_bits(library, case, threads, stream):
    number, extent, box, origin, seed = case
    kernel = KERNELS[number]
    block = make_block(kernel, extent, seed)
    expected = _expected(kernel, block, box, origin)
    call_kernel(
        library.address(library.entries[number]),
        kernel,
        block,
        box,
        scalars=SCALARS,
        origin=origin,
        threads=threads,
        stream=int(stream),
    )
    for name, array in expected.items():
        found = block.arrays[name][(..., *(0,) * (3 - kernel.dimensions))]
        assert _bits(found) == _bits(array), name


@settings(max_examples=60, deadline=None)
@given(_cases())
def test_callback_writes_what_evaluate_writes(case):
    number, extent, box, origin, seed = case
    kernel = KERNELS[number]
    block = make_block(kernel, extent, seed)
    expected = _expected(kernel, block, box, origin)
    function = callback(kernel)
    address = ctypes.cast(function, ctypes.c_void_p).value
    call_kernel(address, kernel, block, box, scalars=SCALARS, origin=origin)
    for name, array in expected.items():
        found = block.arrays[name][(..., *(0,) * (3 - kernel.dimensions))]
        assert _bits(found) == _bits(array), name


@settings(max_examples=120, deadline=None)
@given(_cases(), st.sampled_from([1, 2, 3]), st.booleans())
def test_rows_around_the_grid_go_on_at_their_other_end(library, case, threads, is_compiled):
    number, extent, box, origin, seed = case
    assume(extent[0] >= HALO)
    kernel = KERNELS[number]
    block, wrapped = make_block(kernel, extent, seed), make_block(kernel, extent, seed)
    for array in wrapped.arrays.values():
        array[:, :HALO] = array[:, -2 * HALO : -HALO]
        array[:, -HALO:] = array[:, HALO : 2 * HALO]
    expected = _expected(kernel, wrapped, box, origin)
    for s in kernel.statements:
        target = expected[s.field][s.component]
        for x in range(box[0][0] + s.offset[0], box[1][0] + s.offset[0]):
            if not 0 <= x < extent[0]:
                others = [slice(HALO + l + o, HALO + u + o) for l, u, o in zip(*box, s.offset)][1:]
                target[x % extent[0] + HALO, *others] = target[x + HALO, *others]
    function = callback(kernel)
    address = ctypes.cast(function, ctypes.c_void_p).value
    if is_compiled:
        address = library.address(library.entries[number])
    given = {"scalars": SCALARS, "origin": origin, "threads": threads}
    call_kernel(address, kernel, block, box, turn=extent[0], **given)
    for name, array in expected.items():
        found = block.arrays[name][(..., *(0,) * (3 - kernel.dimensions))]
        rows = (slice(None), slice(HALO, -HALO))
        assert _bits(found[rows]) == _bits(array[rows]), name


def test_every_kernel_agrees_on_a_box_of_many_chunks(library):
    for number, kernel in enumerate(KERNELS):
        extent = tuple(e if axis < kernel.dimensions else 1 for axis, e in enumerate((1100, 3, 3)))
        box = ((1, 0, 0), (1099, *extent[1:]))
        results = []
        for stream, threads in ((0, 1), (1, 1), (1, 2)):
            block = make_block(kernel, extent, number)
            expected = _expected(kernel, block, box, (7, 8, 9))
            call_kernel(
                library.address(library.entries[number]),
                kernel,
                block,
                box,
                scalars=SCALARS,
                origin=(7, 8, 9),
                threads=threads,
                stream=stream,
            )
            for name, array in expected.items():
                found = block.arrays[name][(..., *(0,) * (3 - kernel.dimensions))]
                assert _bits(found) == _bits(array), (kernel, name)
            results.append({name: array.tobytes() for name, array in block.arrays.items()})
        assert results[0] == results[1] == results[2]


def test_splitting_a_box_changes_no_bit(library):
    for number, kernel in enumerate(KERNELS[:20]):
        extent = tuple(e if axis < kernel.dimensions else 1 for axis, e in enumerate((133, 2, 2)))
        whole = make_block(kernel, extent, number)
        parts = make_block(kernel, extent, number)
        given = {"scalars": SCALARS, "origin": (0, 0, 0)}
        address = library.address(library.entries[number])
        call_kernel(address, kernel, whole, ((0, 0, 0), extent), **given)
        for low, high in ((0, 1), (1, 9), (9, 70), (70, 133)):
            call_kernel(
                address, kernel, parts, ((low, 0, 0), (high, *extent[1:])), stream=1, **given
            )
        for name in whole.arrays:
            assert whole.arrays[name].tobytes() == parts.arrays[name].tobytes()
