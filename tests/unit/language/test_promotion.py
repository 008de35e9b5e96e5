"""Types of values: promoted as NumPy 2 does, computed in that type, converted by the assignment."""

import numpy as np
import pytest

import halocline as hc
from halocline.language.expressions.expr import Binary, Compare, Const, Read, Scalar, Where
from halocline.language.expressions.kernel import INTEGERS
from halocline.language.expressions.promotion import promoted, types_of

DTYPES = ("float64", "float32", *INTEGERS, "bool")
EXAMPLES = {"bool": True, "uint8": 7, "int32": -5, "int64": 3, "float32": 0.3, "float64": 0.7}


@pytest.mark.parametrize("first", DTYPES)
@pytest.mark.parametrize("second", DTYPES)
def test_two_fields_have_the_type_in_common_that_numpy_gives_them(first, second):
    assert promoted(first, second) == np.result_type(first, second).name


@pytest.mark.parametrize("first", DTYPES)
@pytest.mark.parametrize("second", DTYPES)
def test_the_quotient_of_two_fields_has_the_type_that_numpy_gives_it(first, second):
    node = Binary("div", Read("a", 0, (0,)), Read("b", 0, (0,)))
    expected = (np.ones(1, first) / np.ones(1, second)).dtype.name
    assert types_of(node, {"a": first, "b": second})[node] == expected


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("number", [2, 0.5])
def test_a_number_of_python_keeps_its_kind_and_takes_the_width_of_a_field(dtype, number):
    expected = (np.ones(1, dtype) + number).dtype.name
    assert promoted(type(number).__name__, dtype) == expected
    assert promoted(dtype, type(number).__name__) == expected


def test_numbers_alone_have_no_width():
    total = Binary("add", Scalar("s"), Const(1))
    assert types_of(total, {})[total] == "float"


def test_a_choice_between_numbers_has_the_width_that_numpy_gives_it():
    for true, false in ((1, -1), (1.0, 2), (True, False)):
        node = Where(Read("a", 0, (0,)), Const(true), Const(false))
        assert types_of(node, {"a": "bool"})[node] == np.where([True], true, false).dtype.name


def test_a_whole_number_is_compared_with_bytes_that_cannot_hold_it():
    node = Compare("lt", Read("a", 0, (0,)), Const(300))
    assert types_of(node, {"a": "uint8"})[node] == "bool"


def computed(target, given, function, dtypes):
    """Return what a kernel makes of fields filled with values, by both targets alike."""
    found = []
    for where in ("c++", "numpy"):
        grid = hc.Grid((40,))
        fields = [grid.field(f"f{n}", dtype=dtype) for n, dtype in enumerate(dtypes)]
        out = grid.field("out", dtype=target)
        for field, values in zip(fields, given, strict=True):
            field.set(np.resize(np.asarray(values, field.dtype), 40))
        call = hc.kernel(function)(*fields, out)
        hc.Simulation(grid, [call], target=where, threads=1).run(1, progress=False)
        found.append(out.gather())
    assert found[0].tobytes() == found[1].tobytes()
    return found[0]


def test_a_float_in_a_condition_on_integers_stays_one():
    def choose(r, out):
        out[0] = hc.where(r[0] * 1e-3 < 0.5, 1, -1)

    found = computed("int32", [[0, 499, 500, 2000]], choose, ["int64"])
    assert found[:4].tolist() == [1, 1, -1, -1]


def test_a_quotient_of_integers_is_a_float():
    def halve(i, out):
        out[0] = i[0] / 2

    assert computed("float64", [[1, 2, 3]], halve, ["int32"])[:3].tolist() == [0.5, 1.0, 1.5]


def test_bits_of_integers_are_turned_and_truth_values_are():
    def turn(a, out):
        out[0] = ~a[0]

    assert computed("uint8", [[0, 1, 255]], turn, ["uint8"])[:3].tolist() == [255, 254, 0]
    assert computed("int32", [[0, 5]], turn, ["int32"])[:2].tolist() == [-1, -6]
    assert computed("bool", [[True, False]], turn, ["bool"])[:2].tolist() == [False, True]


def test_integers_wrap():
    def double(a, out):
        out[0] = a[0] + a[0]

    assert computed("uint8", [[200]], double, ["uint8"])[0] == 144
    assert computed("int32", [[2**30]], double, ["int32"])[0] == -(2**31)
    # The assignment converts what has been computed in its own type.
    assert computed("int64", [[200]], double, ["uint8"])[0] == 144


def test_products_of_floats_of_32_bits_are_rounded_to_32():
    def square(a, out):
        out[0] = a[0] * a[0]

    third = np.float32(1 / 3)
    assert computed("float64", [[third]], square, ["float32"])[0] == np.float64(third * third)


def test_a_number_of_numpy_has_a_width():
    def scale(a, out):
        out[0] = np.float64(0.1) * a[0]

    assert computed("float64", [[3.0]], scale, ["float32"])[0] == 0.1 * 3.0


def test_numbers_that_are_computed_at_run_time_are_those_of_python_until_they_meet_a_field():
    for target in ("c++", "numpy"):
        grid = hc.Grid((3,))
        a, out = grid.field("a", dtype="float32"), grid.field("out", dtype="float32")

        @hc.kernel
        def scale(a, out, *, s):
            out[0] = (1.0 / s) * a[0]

        a.set(1.0)
        hc.Simulation(grid, [scale(a, out, s=3.7)], target=target, threads=1).run(1, progress=False)
        assert out.gather()[0] == np.float32(1.0 / 3.7)


@pytest.mark.parametrize("dtype", ["float32", "int64", "int32", "uint8", "bool"])
def test_astype_converts_as_numpy_does(dtype):
    def convert(a, out):
        out[0] = a[0].astype(dtype)

    values = [0.0, 1.0, 2.75, 100.5]
    assert computed(dtype, [values], convert, ["float64"])[:4].tolist() == (
        np.array(values).astype(dtype).tolist()
    )


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_no_integer_is_a_negative_zero(dtype):
    def cut_off(a, out):
        out[0] = a[0].astype("int32")

    found = computed(dtype, [[-0.5, -0.0, -1.5]], cut_off, [dtype])[:3]
    assert found.tolist() == [0.0, 0.0, -1.0]
    assert not np.signbit(found[:2]).any()


def test_a_field_of_truth_values_holds_truth_values():
    grid = hc.Grid((4,))
    wet = grid.field("wet", dtype=bool)
    wet.set(np.array([0, 1, 2, 0]))
    hc.Simulation(grid, [lambda: None], threads=1).run(0)
    assert wet.gather().dtype == bool
    assert wet.gather().tolist() == [False, True, True, False]


@pytest.mark.parametrize("power", [0, 1, 3, 4, -1, -2, 0.5, 1.5, -0.5, -2.5])
def test_whole_and_half_powers(power):
    def raise_to(a, out):
        out[0] = a[0] ** power

    values = np.array([1.0, 2.5, 9.0])
    found = computed("float64", [values], raise_to, ["float64"])[:3]
    np.testing.assert_allclose(found, values**power, rtol=1e-15)


def test_numpys_functions_work_on_values_of_cells():
    def several(a, b, out):
        positive = np.logical_and(a[0] > 0, np.logical_not(b[0] == 2))
        out[0] = np.where(
            positive, np.sqrt(np.abs(a[0])), np.minimum(-b[0], np.float64(0.5) - a[0])
        )

    a, b = np.array([-1.0, 4.0, 9.0]), np.array([1.0, 2.0, 3.0])
    expected = np.where((a > 0) & (b != 2), np.sqrt(np.abs(a)), np.minimum(-b, 0.5 - a))
    found = computed("float64", [a, b], several, ["float64", "float64"])
    assert found[:3].tolist() == expected.tolist()
