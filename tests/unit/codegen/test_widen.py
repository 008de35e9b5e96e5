from __future__ import annotations

import pytest
from driver import HALO, ORIGIN, call_kernel, make_block

from halocline.codegen.cpp import print_source
from halocline.codegen.lower import lower
from halocline.codegen.numpy_target import evaluate
from halocline.codegen.widen import row_copies
from halocline.geometry import Box
from halocline.jit.build import build
from halocline.language.expressions.expr import Binary, Compare, Const, Index, Read, Where
from halocline.language.expressions.kernel import FieldType, Kernel, Statement


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
        found = row_copies(lower(_kernel([(0, 0), (1, 0)], target=dtype)))
        assert found == {("mask", 1, (0,)): dtype}


def test_a_byte_assigned_to_a_half_is_widened_to_a_number_with_a_sign():
    fields = (FieldType("f", "float16", 1), FieldType("m", "int8", 1))
    kernel = Kernel("halves", 2, fields, (), (Statement("f", 0, Read("m", 0, (0, 0)), (0, 0)),))
    assert row_copies(lower(kernel)) == {("m", 0, (0,)): "int16"}


def test_wider_integers_are_left_alone():
    assert row_copies(lower(_kernel([(0, 0)], mask="int32"))) == {}


def test_bytes_are_left_alone_where_bytes_are_stored():
    assert row_copies(lower(_kernel([(0, 0)], target="uint8"))) == {}


def test_a_byte_read_as_two_types_is_left_alone():
    fields = tuple(
        FieldType(*f) for f in (("a", "float64", 1), ("b", "float32", 1), ("m", "uint8", 1))
    )
    here = (0, 0)
    statements = tuple(Statement(name, 0, Read("m", 0, here), here) for name in "ab")
    assert row_copies(lower(Kernel("two", 2, fields, (), statements))) == {}


def _relaxed(dtype="float64"):
    """Assign the mean of the neighbours in x and y in cells of one colour, in place."""
    around = [Read("u", 0, offset) for offset in ((-1, 0), (1, 0), (0, -1), (0, 1))]
    total = around[0]
    for one in around[1:]:
        total = Binary("add", total, one)
    colour = Binary("and", Binary("add", Index(0, 0), Index(1, 0)), Const(1))
    own = Read("u", 0, (0, 0))
    value = Where(Compare("eq", colour, Const(0)), Binary("mul", Const(0.25), total), own)
    fields = (FieldType("u", dtype, 1),)
    return Kernel("relax", 2, fields, (), (Statement("u", 0, value, (0, 0)),))


def test_a_row_read_beside_what_is_assigned_in_it_is_copied():
    assert row_copies(lower(_relaxed())) == {("u", 0, (0,)): "float64"}


def _differing(kernel, library, entry, cells, *, stream=0, threads=1):
    """Return the fields that generated code and NumPy leave different in some cells of rows."""
    lower_x, upper_x = cells
    block = make_block(kernel, (2100, 5, 1), seed=1)
    expected = {name: array[..., 0].copy() for name, array in block.arrays.items()}
    inner = Box((lower_x + HALO, HALO), (upper_x + HALO, 5 + HALO))
    evaluate(kernel, expected, {}, inner, (-HALO, -HALO))
    given = {"scalars": {}, "where": ORIGIN, "threads": threads, "stream": stream}
    box = ((lower_x, 0, 0), (upper_x, 5, 1))
    call_kernel(library.address(entry), kernel, block, box, **given)
    found = {name: array[..., 0] for name, array in block.arrays.items()}
    return [name for name in expected if found[name].tobytes() != expected[name].tobytes()]


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_copied_rows_give_the_same_bits_across_strips_and_at_their_ends(dtype):
    kernel = _relaxed(dtype)
    source = print_source([kernel])
    library = build(source)
    for cells in ((0, 2100), (0, 1024), (1023, 1026), (5, 5), (-1, 2101)):
        assert _differing(kernel, library, source.entries[0], cells) == []


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_widened_rows_give_the_same_bits_across_strips_and_at_their_ends(dtype):
    kernel = _kernel([(0, 0), (-2, 1), (2, 1), (1, -1)], target=dtype)
    source = print_source([kernel])
    library = build(source)
    for cells in ((0, 2100), (0, 1024), (1023, 1026), (5, 5), (-1, 2101)):
        for stream, threads in ((0, 1), (1, 1), (1, 2)):
            how = {"stream": stream, "threads": threads}
            assert _differing(kernel, library, source.entries[0], cells, **how) == []


def test_a_half_that_the_kernel_uses_again_is_rounded_first():
    here = (0, 0)
    third = Binary("mul", Read("f", 0, here), Const(1 / 3))
    again = Binary("sub", Read("f", 0, here), Read("h", 0, here, 1))
    statements = (Statement("h", 0, third, here), Statement("g", 0, again, here))
    fields = tuple(FieldType(name, "float16" if name == "h" else "float32", 1) for name in "fgh")
    kernel = Kernel("rounded", 2, fields, (), statements)
    source = print_source([kernel])
    library = build(source)
    for cells in ((0, 100), (3, 8)):
        assert _differing(kernel, library, source.entries[0], cells) == []


@pytest.mark.parametrize("count", [1, 8])
def test_halves_of_many_components_give_the_same_bits_past_the_cache_and_in_place(count):
    total = Read("f", 0, (1, 0))
    for i in range(1, count):
        total = Binary("add", total, Read("f", i, (i % 3 - 1, i // 3 - 1)))
    scaled = [Binary("mul", total, Const(0.3 + 0.1 * i)) for i in range(count)]
    statements = [Statement("g", i, value, (0, 0)) for i, value in enumerate(scaled)]
    statements.append(Statement("h", 0, Read("h", 0, (1, 0)), (1, 0)))
    fields = tuple(FieldType(name, "float16", count) for name in "fgh")
    kernel = Kernel("many", 2, fields, (), tuple(statements))
    source = print_source([kernel])
    assert ("sched-pressure" in source.text) == (count == 8)
    library = build(source)
    for cells in ((0, 2100), (3, 44), (8, 9)):
        for stream in (0, 1):
            assert _differing(kernel, library, source.entries[0], cells, stream=stream) == []
