"""Values that do not fit together, and what a user is told."""

import operator

import numpy as np
import pytest
from errors.telling import told

import halocline as hc
from halocline.errors import GridError, KernelError


def refused(function, *dtypes) -> str:
    grid = hc.Grid((8,))
    fields = [grid.field(name, dtype=dtype) for name, dtype in zip("abc", dtypes, strict=False)]
    return told(KernelError, lambda: hc.kernel(function)(*fields))


def test_a_float_assigned_to_a_field_of_integers():
    def function(a, b):
        b[0] = a[0] / 2

    assert refused(function, "int64", "int32") == (
        "A value of type float64 was assigned to 'b', a field of type int32; expected an integer. "
        "To drop the fraction, write value.astype('int32')."
    )


def test_a_scalar_assigned_to_a_field_of_integers():
    def function(a, *, p=0.5):
        a[0] = a[0] * p

    assert refused(function, "int64").startswith(
        "A value of type float64 was assigned to 'a', a field of type int64; expected an integer."
    )


def test_a_number_assigned_to_a_field_of_truth_values():
    def function(a, b):
        b[0] = a[0]

    assert refused(function, "uint8", "bool") == (
        "A value of type uint8 was assigned to 'b', a field of type bool; expected a truth value. "
        "Compare it, or write value.astype('bool')."
    )


def test_bits_of_floats():
    def function(a, b):
        b[0] = hc.where((a[0] > 0) & a[0], 1.0, 2.0)

    assert refused(function, "float64", "float64") == (
        "'&' was applied to bool and float64; expected truth values or integers. Compare first: "
        "(a > 0) & (b > 0)."
    )


def test_a_difference_of_truth_values():
    def function(a, b):
        b[0] = (a[0] > 0) - (a[0] < 0)

    assert refused(function, "float64", "float64") == (
        "'-' was applied to truth values; expected numbers. Write '^' or '~' for these, or "
        "value.astype('int32')."
    )


def test_a_number_beyond_the_integers_that_it_meets():
    def function(a):
        a[0] = a[0] + 300

    assert refused(function, "uint8") == (
        "The number 300 does not fit into the integers of type uint8. Use a wider type: "
        "value.astype('int64'), or a float."
    )


def test_a_number_beyond_all_integers():
    def function(a):
        a[0] = 2**63

    assert refused(function, "int64").startswith(
        "The number 9223372036854775808 does not fit into the integers of type int64."
    )


def test_an_unknown_type():
    def function(a):
        a[0] = a[0].astype("int12")

    assert refused(function, "int64").startswith(
        "A value was to become of type 'int12'. Did you mean 'int"
    )


@pytest.mark.parametrize("sign", ["<<", ">>"])
def test_shifts_of_floats_and_of_truth_values(sign):
    def function(a, b):
        b[0] = a[0] << 1 if sign == "<<" else a[0] >> 1

    assert refused(function, "float32", "float32") == (
        f"'{sign}' was applied to float32 and int; expected integers. Write value.astype('int32')."
    )

    def of_truths(a, b):
        b[0] = (a[0] > 0) << (b[0] > 0) if sign == "<<" else (a[0] > 0) >> (b[0] > 0)

    assert refused(of_truths, "int32", "int32") == (
        f"'{sign}' was applied to bool and bool; expected integers. Write value.astype('int32')."
    )


@pytest.mark.parametrize("operation", [operator.floordiv, operator.mod])
def test_division_of_truth_values(operation):
    def function(a, b):
        b[0] = operation(a[0] > 0, b[0] > 0)

    sign = {operator.floordiv: "//", operator.mod: "%"}[operation]
    assert refused(function, "int32", "int32") == (
        f"'{sign}' was applied to truth values; expected numbers. Write value.astype('int32')."
    )


def test_bits_of_integers_that_no_type_of_integers_holds():
    def function(a, b):
        b[0] = a[0] & b[0]

    assert refused(function, "int64", "uint64") == (
        "'&' was applied to int64 and uint64; expected one type. Write value.astype('uint64'), or "
        "'int64', of one of them."
    )


@pytest.mark.parametrize(("dtype", "number"), [("int8", 128), ("uint16", -1), ("uint32", 2**32)])
def test_numbers_beyond_a_type(dtype, number):
    def function(a):
        a[0] = a[0] % number

    assert refused(function, dtype).startswith(
        f"The number {number} does not fit into the integers of type {dtype}."
    )


def test_a_reduction_of_types_that_do_not_fit():
    grid = hc.Grid((8,))
    a = grid.field("a")
    message = told(KernelError, lambda: hc.Simulation(grid, [hc.sum(~a[0])]).run(1))
    assert message == (
        "'~' was applied to float64; expected truth values or integers. Compare first: "
        "(a > 0) & (b > 0)."
    )


@pytest.mark.parametrize(
    ("dtype", "given", "shown"),
    [("int32", 0.5, "0.5"), ("uint8", 300, "300"), ("uint8", -1, "-1"), ("int64", np.nan, "nan")],
)
def test_values_that_the_type_of_a_field_does_not_hold(dtype, given, shown):
    field = hc.Grid((4,)).field("n", dtype=dtype)
    message = told(GridError, lambda: field.set(np.full(4, given)))
    assert message == (
        f"Field 'n' of type {dtype} was set to {shown}, which that type does not hold. Round the "
        "values, or give the field another dtype."
    )


@pytest.mark.parametrize(("given", "kind"), [("warm", "<U4"), (1j, "complex128"), (None, "object")])
def test_values_that_are_no_numbers(given, kind):
    field = hc.Grid((4,)).field("T")
    assert told(GridError, lambda: field.set(given)) == (
        f"Field 'T' was set to values of type {kind}; expected numbers."
    )


def test_a_boundary_that_a_field_of_integers_cannot_hold():
    field = hc.Grid((4,)).field("n", dtype="int32")
    assert told(GridError, lambda: field.boundary("x-", hc.Dirichlet(0.5))).startswith(
        "The boundary of 'n' on side 'x-' was given 0.5; expected a whole number"
    )


@pytest.mark.parametrize("name", ["fmod", "sign"])
def test_functions_of_numbers_applied_to_truth_values(name):
    def function(a, b):
        arguments = [a[0], a[0]] if name == "fmod" else [a[0]]
        b[0] = getattr(hc, name)(*arguments)

    assert refused(function, "bool", "float64") == (
        f"'hc.{name}' was applied to truth values; expected numbers. Write value.astype('int32')."
    )


def test_a_whole_number_to_a_varying_power():
    def function(a, b, c):
        c[0] = a[0] ** b[0]

    assert refused(function, "int32", "int64", "float64") == (
        "A value of type int32 was raised to a power of type int64; expected a float in one of the "
        "two. Whole numbers have the powers -16 to 16, written in the kernel: n**3. Write "
        "n.astype('float64') ** k for others."
    )


def test_rounding_to_digits():
    def function(a, b):
        b[0] = round(a[0], 2)

    assert refused(function, "float64", "float64") == (
        "A value was to be rounded to 2 digits; expected whole numbers. Write round(100 * value) "
        "/ 100."
    )
