"""Fields of related index spaces, and sweeps: all targets do what single cells say, in order."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from driver import HALO, call_kernel, launch_kernel, make_block
from hypothesis import given, settings
from hypothesis import strategies as st
from related_kernels import describe, random_kernel, run_cell_by_cell

from halocline.analysis.threads import threads_for
from halocline.codegen.cpp import print_source
from halocline.codegen.cuda import print_cuda
from halocline.codegen.emulation import emulated
from halocline.codegen.numpy_target import callback
from halocline.jit.build import build

KERNELS = [random_kernel(seed) for seed in range(70)]
EXTENTS = st.tuples(
    st.one_of(st.integers(1, 12), st.integers(20, 80)), st.integers(1, 5), st.integers(1, 4)
)


@pytest.fixture(scope="module")
def targets():
    """Return functions that run the kernel of a number in a box of a block."""
    compiled = build(print_source(KERNELS))
    device = build(emulated(print_cuda(KERNELS)))

    def cpp(number, block, box, wrap=0, **options):
        address = compiled.address(compiled.entries[number])
        given = {"scalars": {}, "where": WHERE, "wrap": wrap}
        call_kernel(address, KERNELS[number], block, box, **given, **options)

    def numpy(number, block, box, wrap=0, **_options):
        function = callback(KERNELS[number])
        address = ctypes.cast(function, ctypes.c_void_p).value
        given = {"scalars": {}, "where": WHERE, "wrap": wrap}
        call_kernel(address, KERNELS[number], block, box, **given)

    def cuda(number, block, box, wrap=0, threads=1, **_options):
        address = device.address(device.entries[number])
        shape = threads_for(KERNELS[number]).block if threads > 1 else (1, 1, 1)
        given = {"scalars": {}, "where": WHERE, "wrap": wrap, "threads": shape, "seed": threads}
        launch_kernel(address, KERNELS[number], block, box, **given)

    return {"c++": cpp, "numpy": numpy, "cuda": cuda}


WHERE = ((3, -2, 5), (0, 0, 0))


def _extent(kernel, extent):
    return tuple(e if axis < kernel.dimensions else 1 for axis, e in enumerate(extent))


def _box(draw, kernel, extent):
    lower = tuple(draw(st.integers(0, e - 1)) for e in extent)
    upper = tuple(draw(st.integers(low + 1, e)) for low, e in zip(lower, extent))
    return lower, upper


@st.composite
def cases(draw):
    number = draw(st.integers(0, len(KERNELS) - 1))
    extent = _extent(KERNELS[number], draw(EXTENTS))
    return number, extent, _box(draw, KERNELS[number], extent), draw(st.integers(0, 9))


def _assert_same(kernel, found, expected, *, inside=False):
    for field in kernel.fields:
        a, b = found.arrays[field.name], expected.arrays[field.name]
        if inside:
            beyond = HALO * field.ratio_along(0)
            a, b = (array[:, beyond : array.shape[1] - beyond] for array in (a, b))
        assert np.array_equal(a, b, equal_nan=True), (field.name, describe(kernel))


@settings(max_examples=75, deadline=None)
@given(case=cases(), threads=st.sampled_from([1, 2, 3]), stream=st.booleans())
def test_every_target_does_what_cells_do_one_by_one(targets, case, threads, stream):
    number, extent, box, seed = case
    kernel = KERNELS[number]
    expected = make_block(kernel, extent, seed)
    run_cell_by_cell(kernel, expected.arrays, box, WHERE[0])
    for run in targets.values():
        found = make_block(kernel, extent, seed)
        run(number, found, box, threads=threads, stream=int(stream))
        _assert_same(kernel, found, expected)


@settings(max_examples=40, deadline=None)
@given(case=cases(), threads=st.sampled_from([1, 2]), stream=st.booleans())
def test_rows_go_on_at_their_other_end(targets, case, threads, stream):
    number, extent, box, seed = case
    kernel = KERNELS[number]
    extent = (max(extent[0], HALO), *extent[1:])
    expected = make_block(kernel, extent, seed)
    run_cell_by_cell(kernel, expected.arrays, box, WHERE[0], wrap=extent[0])
    for run in targets.values():
        found = make_block(kernel, extent, seed)
        run(number, found, box, wrap=extent[0], threads=threads, stream=int(stream))
        _assert_same(kernel, found, expected, inside=True)


@settings(max_examples=100, deadline=None)
@given(case=cases(), at=st.floats(0, 1), axis=st.integers(0, 2), stream=st.booleans())
def test_pieces_of_a_box_give_the_same(targets, case, at, axis, stream):
    number, extent, _, seed = case
    kernel = KERNELS[number]
    if kernel.sweep is not None and kernel.sweep[0] == axis:
        axis = (axis + 1) % 3  # columns are whole
    cut = round(extent[axis] * at)
    parts = make_block(kernel, extent, seed)
    for low, high in ((cut, extent[axis]), (0, cut)):
        lower, upper = [0, 0, 0], list(extent)
        lower[axis], upper[axis] = low, high
        targets["c++"](number, parts, (tuple(lower), tuple(upper)), stream=int(stream))
    whole = make_block(kernel, extent, seed)
    targets["c++"](number, whole, ((0, 0, 0), extent), threads=2)
    _assert_same(kernel, parts, whole)
