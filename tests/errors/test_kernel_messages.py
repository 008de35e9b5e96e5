"""Kernels that are none, and what a user is told."""

from __future__ import annotations

import math

import pytest
from errors.telling import told, traced

import halocline as hc
from halocline.errors import GridError, KernelError
from halocline.plan.pipeline import plan_for


def test_wrong_offset_rank(T, out):
    def function(T, out):
        out[0, 0] = T[1, 0, 0]

    assert traced(function, T, out) == (
        "'T' was used with 3 offsets (1, 0, 0); expected 2, one for each axis of the grid. "
        "Write T[0, 0] for the cell itself."
    )


def test_the_message_names_the_line_of_the_users_function(T, out):
    def function(T, out):
        out[0, 0] = T[1]

    with pytest.raises(KernelError) as caught:
        hc.kernel(function)(T, out)
    assert caught.value.place == f"{__file__}:{function.__code__.co_firstlineno + 1}"


def test_offset_that_is_no_whole_number(T, out):
    def function(T, out):
        out[0, 0] = T[0.5, 0]

    assert traced(function, T, out) == (
        "'T' was read at (0.5, 0); expected whole numbers relative to the cell."
    )


def test_field_of_another_grid(T):
    def function(T, out):
        out[0, 0] = T

    other = hc.Grid((4, 4)).field("other")
    assert told(GridError, lambda: hc.kernel(function)(T, other)) == (
        "Kernel 'function' was given 'T' of grid (8, 6) and 'other' of another grid (4, 4); "
        "expected fields of one grid. Declare both with the same Grid object, or with grids "
        "made of it by 'coarsen' and 'refine'."
    )


def test_kernel_on_the_fields_of_another_grid_in_a_simulation(grid):
    def function(a, b):
        b[0, 0] = a

    other = hc.Grid((4, 4))
    step = hc.kernel(function)(other.field("a"), other.field("b"))
    assert told(GridError, lambda: plan_for(grid, [step])) == (
        "A step with kernel 'function' uses the field 'a' of another grid (4, 4); expected fields "
        "of the simulation's grid (8, 6). Declare all fields of a simulation with one Grid object, "
        "or with grids made of it by 'coarsen' and 'refine'."
    )


def test_reading_at_an_offset_what_the_same_statement_assigns(T):
    def function(T):
        T[0, 0] = T[1, 0]

    assert traced(function, T) == (
        "Kernel 'function' reads 'T' at the offset (1, 0) in the statement that assigns it; the "
        "neighbour's value would be old or new by chance. Assign to a second field and swap the "
        "two, assign where you read, or only in cells that do not read each other: in a layer, or "
        "those of one colour, as hc.where((hc.index('x') + …) % 2 == 0, …, T[…])."
    )


def test_reading_along_a_side_what_the_same_statement_assigns(T):
    def function(T):
        T[0, 0] = T[1, 0]

    message = told(KernelError, lambda: hc.kernel(function)(T, on="y-"))
    assert message.startswith("Kernel 'function' reads 'T' at the offset (1, 0)")


def test_reading_elsewhere_what_is_assigned_to_a_neighbour(T):
    def function(T):
        T[1, 0] = 2.0 * T

    assert traced(function, T).startswith(
        "Kernel 'function' reads 'T' at the offset (0, 0) in the statement that assigns it at "
        "(1, 0); the neighbour's value would be old or new by chance."
    )


def test_using_what_an_earlier_statement_has_assigned_in_all_cells(T, out):
    def function(T, out):
        east = T[1, 0]
        T[0, 0] = 0.0
        out[0, 0] = east

    assert traced(function, T, out) == (
        "Kernel 'function' uses 'T' at the offset (1, 0) as it was before an earlier statement, "
        "which has assigned it in all cells by then. Put this statement before that one, or assign "
        "to a second field."
    )


def test_kernel_that_assigns_nothing(T):
    def function(T):
        T[0, 0] + 1.0

    assert traced(function, T) == (
        "Kernel 'function' assigns nothing. Assign to a field: field[0, 0, 0] = …."
    )


_IF = (
    "'if', 'and', 'or' or 'not' was applied to a value that differs from cell to cell. Write "
    "hc.where(condition, a, b), '&', '|' and '~' instead."
)


def test_if_on_a_value_of_a_cell(T, out):
    def function(T, out):
        out[0, 0] = 1.0 if T > 0 else 2.0

    assert traced(function, T, out) == _IF


def test_if_on_a_field(T, out):
    def function(T, out):
        out[0, 0] = T or 1.0

    assert traced(function, T, out) == _IF


def test_float_of_a_value_of_a_cell(T, out):
    def function(T, out):
        out[0, 0] = math.sin(T[0, 0])

    assert traced(function, T, out) == (
        "A function of plain numbers was applied to a value that differs from cell to cell. Use "
        "Halocline's own functions: hc.sqrt, hc.exp, hc.sin, …"
    )


def test_float_of_a_field(T, out):
    def function(T, out):
        out[0, 0] = math.sqrt(T)

    assert traced(function, T, out).startswith("A function of plain numbers was applied")


def test_value_used_as_a_sequence(T, out):
    def function(T, out):
        first, second = T[0, 0]
        out[0, 0] = first + second

    assert traced(function, T, out) == "A single value was used as a sequence."


def test_something_that_is_no_number(T, out):
    def function(T, out):
        out[0, 0] = T + "1"

    assert traced(function, T, out) == (
        "A value of type 'str' was used in a kernel; expected a number or a value of a field."
    )


def test_unknown_axis_of_index(T):
    def function(T):
        T[0, 0] = hc.index("t")

    assert traced(function, T) == "There is no axis 't'."


def test_scalar_used_as_an_index(T, out):
    def function(T, out, *, n):
        out[0, 0] = sum((T[i, 0] for i in range(n)), 0.0)

    assert traced(function, T, out, n=2.0) == (
        "The scalar 'n' is known only at run time but was used as a whole number. Pass an int "
        "instead of a float, then it is known when the kernel is traced."
    )


def test_scalar_used_in_if(T, out):
    def function(T, out, *, a):
        out[0, 0] = T if a else 0.0

    assert traced(function, T, out, a=1.0) == (
        "The scalar 'a' is known only at run time but was used in 'if'. Use hc.where, or pass a "
        "bool, which is known when the kernel is traced."
    )


def test_field_used_without_being_given(T, out):
    def function(T):
        T[0, 0] = out[1, 0]

    assert traced(function, T) == (
        "Kernel 'function' reads the field 'out', which it was not given. Make it a parameter of "
        "the function and pass it by position."
    )


def test_index_along_an_axis_that_the_grid_lacks(T):
    def function(T):
        T[0, 0] = hc.index("z")

    assert traced(function, T) == (
        "Kernel 'function' uses the index along 'z' of a grid of 2 axes."
    )


def test_component_out_of_range(grid, out):
    def function(f, out):
        out[0, 0] = f[3][0, 0]

    assert traced(function, grid.field("f", components=3), out) == (
        "Component 3 of 'f' was used; it has components 0 to 2."
    )


def test_component_left_out(grid, out):
    def function(f, out):
        out[0, 0] = f[0, 1]

    assert traced(function, grid.field("f", components=3), out) == (
        "'f' has 3 components but was subscripted with (0, 1); expected a component first. Write "
        "f[component][offsets]."
    )


def function_of_two(T, out, *, a):
    out[0, 0] = a * T


def test_wrong_number_of_fields(T):
    assert traced(function_of_two, T, a=1.0) == (
        "Kernel 'function_of_two' was called with 1 fields; expected 2: T, out."
    )


def test_field_given_twice(T):
    assert traced(function_of_two, T, T, a=1.0) == (
        "Kernel 'function_of_two' was given the same field twice; expected different fields."
    )


def test_number_given_for_a_field(T):
    assert traced(function_of_two, T, 1.0, a=1.0) == (
        "Kernel 'function_of_two' was given float for 'out'; expected a field. Pass fields by "
        "position and scalars by keyword."
    )


def test_unknown_keyword_of_a_kernel(T, out):
    def function(T, out, *, alpha=1.0):
        out[0, 0] = alpha * T

    assert traced(function, T, out, alpa=2.0) == (
        "Kernel 'function' has no scalar 'alpa'. Did you mean 'alpha'?"
    )


def test_keyword_of_a_kernel_that_takes_none(T):
    def function(T):
        T[0, 0] = 1.0

    assert traced(function, T, a=1.0) == "Kernel 'function' has no scalar 'a'. It takes none."


def test_missing_keyword_of_a_kernel(T, out):
    assert traced(function_of_two, T, out) == (
        "Kernel 'function_of_two' needs a value for 'a'. Write function_of_two(…, a=…)."
    )


def test_reduction_of_a_comparison_of_whole_fields(T):
    assert told(KernelError, lambda: hc.sum(T == 1.0)) == (
        "'hc.sum' was given False; expected a field or an expression of fields. To compare, name "
        "the cell: hc.sum(T[0, 0] == 1.0)."
    )


def test_a_mask_of_several_components():
    grid = hc.Grid((4, 4))
    target, flags = grid.field("target"), grid.field("flags", components=2, dtype="bool")

    @hc.kernel
    def clear(target):
        target[0, 0] = 0

    assert told(KernelError, lambda: clear(target, on=flags)) == (
        "Kernel 'clear' was given on=Field('flags', bool, components=2), of which a cell has 2 "
        "values; expected a field of one. Let a kernel compute such a field."
    )


@pytest.mark.parametrize(
    ("function", "name", "value", "reason"),
    [(hc.sqrt, "sqrt", -1, "math domain error"), (hc.exp, "exp", 1e3, "math range error")],
)
def test_a_function_of_a_plain_number_that_has_no_value(function, name, value, reason):
    assert told(KernelError, lambda: function(value)) == (
        f"'hc.{name}' was given {value}: {reason}. NumPy's numbers, as np.float64(-1.0), give NaN "
        "or an infinity."
    )
