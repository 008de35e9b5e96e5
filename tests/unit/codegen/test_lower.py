from __future__ import annotations

import ctypes
import math

import numpy as np
import pytest
import related_kernels
from driver import ORIGIN, call_kernel, make_block
from random_kernels import random_kernel

from halocline.codegen.cpp import print_source
from halocline.codegen.lower import lower, place
from halocline.codegen.names import CPP_WORDS
from halocline.codegen.nest import Let, Store
from halocline.jit.build import build
from halocline.jit.toolchain import FLAGS, find_toolchain
from halocline.language.expressions.expr import Binary, Const, Read, Scalar
from halocline.language.expressions.kernel import FieldType, Kernel, Statement

HERE = (0,)


def assign(field, component, value):
    return Statement(field, component, value, HERE)


def _kernel(statements, dtype="float64", name="made", scalars=("s",)):
    fields = (FieldType("a", dtype, 2), FieldType("b", dtype, 1))
    return Kernel(name, 1, fields, scalars, tuple(statements))


def test_a_shared_value_becomes_one_let():
    total = Binary("add", Read("a", 0, (1,)), Const(1.0))
    nest = lower(_kernel([assign("b", 0, Binary("mul", total, total))]))
    assert [part.name for part in nest.body if isinstance(part, Let)] == ["v0"]


def test_a_shared_read_is_named_after_its_place():
    read = Read("a", 1, (-1,))
    nest = lower(_kernel([assign("b", 0, Binary("mul", read, read))]))
    assert [part.name for part in nest.body if isinstance(part, Let)] == ["a1_xm"]


def test_equal_values_of_two_statements_are_computed_once():
    root = Binary("mul", Read("a", 0, (1,)), Scalar("s"))
    nest = lower(_kernel([assign("a", 1, root), assign("b", 0, root)]))
    assert len([value for value in nest.values if getattr(value, "op", "") == "mul"]) == 1


def test_only_what_is_never_loaded_is_streamed():
    update = Binary("add", Read("a", 1, HERE), Const(1.0))
    nest = lower(_kernel([assign("a", 1, update), assign("b", 0, Read("a", 0, (2,)))]))
    assert nest.streamed == (("b", 0, ()),)


def test_a_read_of_what_was_just_assigned_loads_nothing():
    nest = lower(_kernel([assign("a", 0, Scalar("s")), assign("b", 0, Read("a", 0, HERE, 1))]))
    assert nest.loads == ()
    assert set(nest.streamed) == {("a", 0, ()), ("b", 0, ())}


def test_of_two_assignments_the_last_is_stored_and_the_first_is_seen_between():
    nest = lower(
        _kernel(
            [
                assign("a", 0, Const(1.0)),
                assign("b", 0, Read("a", 0, HERE, 1)),
                assign("a", 0, Const(2.0)),
            ]
        )
    )
    stored = {(s.field, s.component): nest.values[s.value].text for s in nest.stores}
    assert stored == {("b", 0): "1.0", ("a", 0): "2.0"}
    assert len([part for part in nest.body if isinstance(part, Store)]) == 2


def test_everything_is_loaded_before_what_is_overwritten_is_stored():
    old = [Read("a", c, HERE) for c in (0, 1)]
    nest = lower(_kernel([assign("a", 0, old[1]), assign("a", 1, old[0])]))
    kinds = [type(part) for part in nest.body]
    assert kinds == [Let, Let, Store, Store]
    assert nest.streamed == ()


def test_what_is_assigned_at_an_offset_is_stored_there():
    value = Read("b", 0, HERE)
    nest = lower(_kernel([Statement("a", 0, value, (1,)), Statement("a", 1, value, HERE)]))
    assert [store.offset for store in nest.stores] == [(1,), HERE]
    assert nest.streamed == (("a", 1, ()),), "a row that begins within a line cannot pass the cache"


def test_a_read_next_door_of_what_the_kernel_wrote_is_a_bug():
    with pytest.raises(AssertionError, match="not fused"):
        lower(_kernel([assign("a", 0, Const(1.0)), assign("b", 0, Read("a", 0, (1,), 1))]))


def test_places_are_short_words():
    assert [place("x", step) for step in (0, -1, 1, -2, 3)] == ["x0", "xm", "xp", "xm2", "xp3"]


NUMBERS = [
    0.1, -0.0, 1 / 3, 5e-324, 1.7976931348623157e308, math.inf, -math.inf, math.nan,
    2**53 + 1, 1e22, 1e23, -1e-5, 3, True, 16777217, 123456789.123456789,
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_printed_constants_are_exact(dtype):
    kernels = [
        _kernel([assign("b", 0, Const(number))], dtype, f"number_{i}", ())
        for i, number in enumerate(NUMBERS)
    ]
    source = print_source(kernels)
    library = build(source)
    for kernel, entry, number in zip(kernels, source.entries, NUMBERS, strict=True):
        block = make_block(kernel, (5, 1, 1), 0)
        box = ((0, 0, 0), (5, 1, 1))
        call_kernel(library.address(entry), kernel, block, box, scalars={}, where=ORIGIN)
        with np.errstate(over="ignore"):
            expected = np.dtype(dtype).type(float(number))
        found = block.arrays["b"][0, 4, 0, 0]
        if math.isnan(expected):
            assert math.isnan(found)
        else:
            assert found.tobytes() == expected.tobytes()


def test_names_that_mean_something_in_cpp_are_no_obstacle():
    names = (*sorted(CPP_WORDS), "x", "row", "call", "f", "f1", "period", "ω")
    fields = tuple(FieldType(name, "float64", 12) for name in names)
    total = Scalar("from")
    for name in names[:-1]:
        for component in (1, 11):
            read = Read(name, component, (1, 0))
            total = Binary("add", total, Binary("mul", read, Scalar("thread_local")))
    statements = [Statement("ω", c, Binary("mul", total, Scalar("x")), (0, 0)) for c in (0, 11)]
    kernel = Kernel("new", 2, fields, ("from", "x", "thread_local"), tuple(statements))
    source = print_source([kernel])
    library = build(source)
    assert library.address(source.entries[0]) != 0


def test_generated_code_has_no_warnings():
    flags = tuple(flag for flag in FLAGS if flag != "-O1")
    strict = (
        "-Wall",
        "-Wextra",
        "-Wshadow",
        "-Werror",
        "-Wno-bool-compare",
        "-Wno-tautological-compare",
    )
    makers = (random_kernel, related_kernels.random_kernel)
    source = print_source([make(seed) for make in makers for seed in range(15)])
    library = build(source, find_toolchain((*flags, *strict)))
    assert isinstance(library.handle, ctypes.CDLL)
