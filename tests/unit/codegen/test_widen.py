from __future__ import annotations

import pytest
from driver import HALO, ORIGIN, call_kernel, make_block

from halocline.codegen.cpp import print_source
from halocline.codegen.lower import lower
from halocline.codegen.numpy_target import evaluate
from halocline.codegen.widen import widened
from halocline.geometry import Box
from halocline.jit.build import build
from halocline.jit.cache import Cache
from halocline.language.expr import Const, Read, Where
from halocline.language.kernel import FieldType, Kernel, Statement


def _kernel(reads, *, target="float64", mask="uint8"):
    """Choose where a mask is set, one statement for each offset it is read at."""
    fields = (FieldType("f", target, 1), FieldType("g", target, len(reads)))
    fields += (FieldType("mask", mask, 2),)
    here = (0, 0)
    statements = tuple(
        Statement("g", i, Where(Read("mask", 1, offset), Read("f", 0, here), Const(0.5)), here)
        for i, offset in enumerate(reads)
    )
    return Kernel("choose", 2, fields, (), statements)


def test_a_byte_read_beside_floats_is_widened_to_their_type():
    for dtype in ("float64", "float32"):
        assert widened(lower(_kernel([(0, 0), (1, 0)], target=dtype))) == {("mask", 1): dtype}


def test_wider_integers_are_left_alone():
    assert widened(lower(_kernel([(0, 0)], mask="int32"))) == {}


def test_bytes_are_left_alone_where_bytes_are_stored():
    assert widened(lower(_kernel([(0, 0)], target="uint8"))) == {}


def test_a_byte_read_as_two_types_is_left_alone():
    fields = tuple(
        FieldType(*f) for f in (("a", "float64", 1), ("b", "float32", 1), ("m", "uint8", 1))
    )
    here = (0, 0)
    statements = tuple(Statement(name, 0, Read("m", 0, here), here) for name in "ab")
    assert widened(lower(Kernel("two", 2, fields, (), statements))) == {}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_widened_rows_give_the_same_bits_across_strips_and_at_their_ends(dtype, tmp_path):
    kernel = _kernel([(0, 0), (-2, 1), (2, 1), (1, -1)], target=dtype)
    source = print_source([kernel])
    library = build(source, cache=Cache(tmp_path))
    extent = (2100, 5, 1)
    for lower_x, upper_x in ((0, 2100), (0, 1024), (1023, 1026), (5, 5), (-1, 2101)):
        box = ((lower_x, 0, 0), (upper_x, 5, 1))
        for stream, threads in ((0, 1), (1, 1), (1, 2)):
            block = make_block(kernel, extent, seed=1)
            expected = {name: array[..., 0].copy() for name, array in block.arrays.items()}
            inner = Box((lower_x + HALO, HALO), (upper_x + HALO, 5 + HALO))
            evaluate(kernel, expected, {}, inner, (0, 0))
            address = library.address(source.entries[0])
            given = {"scalars": {}, "where": ORIGIN, "threads": threads, "stream": stream}
            call_kernel(address, kernel, block, box, **given)
            for name, array in expected.items():
                assert block.arrays[name][..., 0].tobytes() == array.tobytes(), name
