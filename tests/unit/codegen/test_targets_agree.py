"""The compiled kernel and the NumPy interpreter give the same bits."""

from __future__ import annotations

import ctypes

import pytest
from agreement import KERNELS, SCALARS, assert_same, cases, expected, expected_around
from driver import HALO, ORIGIN, call_kernel, make_block
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from halocline.codegen.cpp import print_source
from halocline.codegen.numpy_target import callback
from halocline.jit.build import build

# Cells and rows; none.
TILES = st.sampled_from([(0, 0), (64, 1), (7, 2), (1000, 3)])


@pytest.fixture(scope="module")
def library():
    source = print_source(KERNELS)
    return build(source)


@settings(max_examples=250, deadline=None)
@given(cases(), st.sampled_from([1, 2, 3]), st.booleans(), TILES)
def test_compiled_and_interpreted_give_the_same_bits(library, case, threads, stream, tile):
    number, extent, box, where, seed = case
    kernel = KERNELS[number]
    block = make_block(kernel, extent, seed)
    arrays = expected(kernel, block, [box], where)
    call_kernel(
        library.address(library.entries[number]),
        kernel,
        block,
        box,
        scalars=SCALARS,
        where=where,
        threads=threads,
        stream=int(stream),
        tile=tile,
    )
    assert_same(kernel, block, arrays)


@settings(max_examples=60, deadline=None)
@given(cases())
def test_callback_writes_what_evaluate_writes(case):
    number, extent, box, where, seed = case
    kernel = KERNELS[number]
    block = make_block(kernel, extent, seed)
    arrays = expected(kernel, block, [box], where)
    function = callback(kernel)
    address = ctypes.cast(function, ctypes.c_void_p).value
    call_kernel(address, kernel, block, box, scalars=SCALARS, where=where)
    assert_same(kernel, block, arrays)


@settings(max_examples=120, deadline=None)
@given(cases(), st.sampled_from([1, 2, 3]), st.booleans())
def test_rows_around_the_grid_go_on_at_their_other_end(library, case, threads, is_compiled):
    number, extent, box, where, seed = case
    assume(extent[0] >= HALO)
    kernel = KERNELS[number]
    block = make_block(kernel, extent, seed)
    arrays = expected_around(kernel, extent, seed, box, where)
    function = callback(kernel)
    address = ctypes.cast(function, ctypes.c_void_p).value
    if is_compiled:
        address = library.address(library.entries[number])
    given = {"scalars": SCALARS, "where": where, "threads": threads}
    call_kernel(address, kernel, block, box, wrap=extent[0], **given)
    assert_same(kernel, block, arrays, beyond=HALO)


def test_every_kernel_agrees_on_a_box_of_many_chunks(library):
    for number, kernel in enumerate(KERNELS):
        extent = tuple(e if axis < kernel.dimensions else 1 for axis, e in enumerate((1100, 3, 3)))
        box = ((1, 0, 0), (1099, *extent[1:]))
        results = []
        for stream, threads in ((0, 1), (1, 1), (1, 2)):
            block = make_block(kernel, extent, number)
            arrays = expected(kernel, block, [box], ((7, 8, 9), (0, 0, 0)))
            call_kernel(
                library.address(library.entries[number]),
                kernel,
                block,
                box,
                scalars=SCALARS,
                where=((7, 8, 9), (0, 0, 0)),
                threads=threads,
                stream=stream,
            )
            assert_same(kernel, block, arrays)
            results.append({name: array.tobytes() for name, array in block.arrays.items()})
        assert results[0] == results[1] == results[2]


def test_splitting_a_box_changes_no_bit(library):
    for number, kernel in enumerate(KERNELS[:20]):
        extent = tuple(e if axis < kernel.dimensions else 1 for axis, e in enumerate((133, 2, 2)))
        whole = make_block(kernel, extent, number)
        parts = make_block(kernel, extent, number)
        given = {"scalars": SCALARS, "where": ORIGIN}
        address = library.address(library.entries[number])
        call_kernel(address, kernel, whole, ((0, 0, 0), extent), **given)
        for low, high in ((0, 1), (1, 9), (9, 70), (70, 133)):
            call_kernel(
                address, kernel, parts, ((low, 0, 0), (high, *extent[1:])), stream=1, **given
            )
        for name in whole.arrays:
            assert whole.arrays[name].tobytes() == parts.arrays[name].tobytes()
