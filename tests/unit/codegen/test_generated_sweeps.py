"""Tridiagonal systems along each axis: two sweeps give what loops in plain NumPy give."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from driver import HALO, ORIGIN, call_kernel, launch_kernel, make_block

from halocline.analysis.threads import COLUMN, THREADS, Threads, threads_for
from halocline.codegen.cpp import print_source
from halocline.codegen.cuda import print_cuda
from halocline.codegen.emulation import emulated
from halocline.codegen.numpy_target import callback
from halocline.jit.build import build
from halocline.language.expressions.expr import Binary, Const, Read
from halocline.language.expressions.kernel import FieldType, Kernel, Statement

HERE = (0, 0, 0)
# Rows longer than what columns carry may be, many short ones, and hardly any.
EXTENTS = [(9000, 3, 2), (70, 40, 3), (1, 2, 130)]


def forward(axis, sign, dtype):
    """Return the sweep that eliminates; it carries two numbers."""

    def read(name, version=0):
        return Read(name, 0, HERE, version)

    pivot = Binary("sub", read("b"), Binary("mul", read("a"), read("p_before")))
    p = Binary("div", read("c"), pivot)
    q = Binary("div", Binary("sub", read("d"), Binary("mul", read("a"), read("q_before"))), pivot)
    return _sweep(
        "forward",
        (axis, sign),
        dtype,
        "abcdpq",
        {"p": p, "q": q, "p_before": read("p", 1), "q_before": read("q", 1)},
    )


def backward(axis, sign, dtype):
    """Return the sweep that substitutes; it carries one number."""
    step = tuple(sign * (a == axis) for a in range(3))
    x = Binary(
        "sub", Read("q", 0, HERE), Binary("mul", Read("p", 0, HERE), Read("x_before", 0, HERE))
    )
    # What is not assigned may be read anywhere.
    x = Binary("add", x, Binary("mul", Const(0.5), Read("p", 0, step)))
    return _sweep(
        "backward", (axis, sign), dtype, "pqx", {"x": x, "x_before": Read("x", 0, HERE, 1)}
    )


def _sweep(name, sweep, dtype, fields, values):
    missing = tuple(int(axis != sweep[0]) for axis in range(3))
    types = [FieldType(field, dtype, 1) for field in fields]
    carries = [field for field in values if field.endswith("_before")]
    types += [FieldType(field, dtype, 1, ratio=missing) for field in carries]
    statements = tuple(Statement(field, 0, value, HERE) for field, value in values.items())
    return Kernel(name, 3, tuple(types), (), statements, sweep=sweep)


SWEEPS = [
    (make, axis, sign, dtype)
    for make in (forward, backward)
    for axis in range(3)
    for sign in (1, -1)
    for dtype in ("float64", "float32")
]
KERNELS = [make(*rest) for make, *rest in SWEEPS]
NAMES = [f"{make.__name__}, {'xyz'[axis]}{'+-'[sign < 0]}, {t}" for make, axis, sign, t in SWEEPS]


@pytest.fixture(scope="module")
def libraries():
    device = build(emulated(print_cuda(KERNELS)))
    return build(print_source(KERNELS)), device


def _along(array, axis):
    """Return an array without its components, the axis first."""
    return np.moveaxis(array[0], axis, 0)


def _expect(number, arrays, box):
    """Do a sweep in arrays, with loops over the planes that it crosses."""
    make, axis, sign, _ = SWEEPS[number]
    cells = [slice(l + HALO, u + HALO) for l, u in zip(*box)]
    across = tuple(cells[a] for a in range(3) if a != axis)
    planes = range(box[0][axis] + HALO, box[1][axis] + HALO)[::sign]
    of = {name: _along(array, axis) for name, array in arrays.items()}
    for k in planes:
        at = (k, *across)
        if make is forward:
            p, q = (of[f"{name}_before"][0, *across] for name in "pq")
            pivot = of["b"][at] - of["a"][at] * p
            of["p"][at] = of["c"][at] / pivot
            of["q"][at] = (of["d"][at] - of["a"][at] * q) / pivot
            p[...], q[...] = of["p"][at], of["q"][at]
        else:
            before = of["x_before"][0, *across]
            beyond = of["p"][k + sign, *across]
            half = np.asarray(0.5, before.dtype)
            of["x"][at] = of["q"][at] - of["p"][at] * before + half * beyond
            before[...] = of["x"][at]


def _block(number, extent):
    block = make_block(KERNELS[number], extent, number)
    if "b" in block.arrays:
        block.arrays["b"][...] = 10 + np.abs(block.arrays["b"])
    return block


def _expected(number, extent, box):
    block = _block(number, extent)
    with np.errstate(all="ignore"):
        _expect(number, block.arrays, box)
    return block


def _assert_same(block, expected):
    for name, array in expected.arrays.items():
        assert np.array_equal(block.arrays[name], array, equal_nan=True), name


def _boxes(extent):
    return [((0, 0, 0), extent), (tuple(e // 3 for e in extent), tuple(e - e // 4 for e in extent))]


@pytest.mark.parametrize("extent", EXTENTS, ids=str)
@pytest.mark.parametrize("number", range(len(KERNELS)), ids=NAMES)
def test_compiled_sweeps(libraries, number, extent):
    address = libraries[0].address(libraries[0].entries[number])
    for box in _boxes(extent):
        expected = _expected(number, extent, box)
        for threads, stream in ((1, 0), (2, 1), (3, 0), (7, 1)):
            block = _block(number, extent)
            given = {"scalars": {}, "where": ORIGIN, "threads": threads, "stream": stream}
            call_kernel(address, KERNELS[number], block, box, **given)
            _assert_same(block, expected)


@pytest.mark.parametrize("number", range(len(KERNELS)), ids=NAMES)
def test_interpreted_sweeps(number):
    function = callback(KERNELS[number])
    address = ctypes.cast(function, ctypes.c_void_p).value
    for box in _boxes(EXTENTS[1]):
        block = _block(number, EXTENTS[1])
        call_kernel(address, KERNELS[number], block, box, scalars={}, where=ORIGIN)
        _assert_same(block, _expected(number, EXTENTS[1], box))


@pytest.mark.parametrize("number", range(len(KERNELS)), ids=NAMES)
def test_sweeps_on_a_device(libraries, number):
    address = libraries[1].address(libraries[1].entries[number])
    kernel = KERNELS[number]
    for seed, box in enumerate(_boxes(EXTENTS[1])):
        block = _block(number, EXTENTS[1])
        given = {"scalars": {}, "where": ORIGIN, "threads": threads_for(kernel).block}
        launch_kernel(address, kernel, block, box, seed=seed, **given)
        _assert_same(block, _expected(number, EXTENTS[1], box))


def test_a_thread_has_a_column_and_its_neighbours_are_neighbours_in_memory():
    found = [threads_for(forward(axis, 1, "float64")) for axis in range(3)]
    assert found == [
        Threads((1, THREADS, 1), (COLUMN, 1, 1)),
        Threads((THREADS, 1, 1), (1, COLUMN, 1)),
        Threads((THREADS, 1, 1), (1, 1, COLUMN)),
    ]
