"""Wrong programs and what a user is told."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import halocline as hc
from halocline.errors import DivergedError, GridError, HaloclineError, KernelError, PlanError
from halocline.pipeline import plan_for, source_for


def told(kind: type[HaloclineError], action) -> str:
    """Return the message of an error, without the place where it happened."""
    with pytest.raises(kind) as caught:
        action()
    return re.sub(r"^\S+\.py:\d+: ", "", str(caught.value))


def traced(function, *fields, **scalars) -> str:
    """Return what is said when a kernel is called with fields."""
    return told(KernelError, lambda: hc.kernel(function)(*fields, **scalars))


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
        "expected fields of one grid. Declare both with the same Grid object."
    )


def test_kernel_on_the_fields_of_another_grid_in_a_simulation(grid):
    def function(a, b):
        b[0, 0] = a

    other = hc.Grid((4, 4))
    step = hc.kernel(function)(other.field("a"), other.field("b"))
    assert told(GridError, lambda: plan_for(grid, [step])) == (
        "A step with kernel 'function' uses the field 'a' of another grid (4, 4); expected fields "
        "of the simulation's grid (8, 6). Declare all fields of a simulation with one Grid object."
    )


def test_reading_at_an_offset_what_the_same_statement_assigns(T):
    def function(T):
        T[0, 0] = T[1, 0]

    assert traced(function, T) == (
        "Kernel 'function' reads 'T' at the offset (1, 0) in the statement that assigns it; the "
        "neighbour's value would be old or new by chance. Assign to a second field and swap the "
        "two, or assign where you read."
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


def test_power_that_has_no_product(T, out):
    def function(T, out):
        out[0, 0] = T**1.7

    assert traced(function, T, out) == (
        "The power 1.7 was used; expected a whole or half number from -16 to 16. Write "
        "hc.exp(p * hc.log(x)) for other powers of what is greater than zero."
    )


def test_power_that_differs_from_cell_to_cell(T, out):
    def function(T, out):
        out[0, 0] = 2.0**T

    assert traced(function, T, out).startswith(
        "A power that is known only at run time was used; expected a whole or half number"
    )


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


def test_parameter_used_in_the_body_of_a_kernel(T):
    def function(T):
        T[0, 0] = 2.0 * hc.step

    assert traced(function, T) == (
        "The parameter 'step' was used in an expression itself. Pass it to the kernel by keyword: "
        "kernel(…, step=step)."
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


@pytest.mark.parametrize(
    ("extent", "shown"), [((8, 0), "(8, 0)"), ((2, 2, 2, 2), "(2, 2, 2, 2)"), ((1.5,), "(1.5,)")]
)
def test_impossible_extent(extent, shown):
    assert told(GridError, lambda: hc.Grid(extent)) == (
        f"A grid of extent {shown} was asked for; expected one to three positive whole numbers. "
        "Write, for example, Grid((64, 64, 32))."
    )


def test_wrong_number_of_periodic_axes():
    assert told(GridError, lambda: hc.Grid((8, 8), periodic=(True,))) == (
        "'periodic' has 1 entries; expected one or 2, the number of the grid's axes."
    )


def test_spacing_that_is_not_positive():
    assert told(GridError, lambda: hc.Grid((8,), spacing=0.0)) == (
        "A grid spacing of (0.0,) was given; expected positive numbers."
    )


def test_unknown_option_of_a_field(grid):
    assert told(GridError, lambda: grid.field("T", component=3)) == (
        "Field 'T' was given an unknown option 'component'. Did you mean 'components'?"
    )


def test_unknown_dtype_of_a_field(grid):
    assert told(GridError, lambda: grid.field("T", dtype="float46")) == (
        "Field 'T' has the unknown dtype 'float46'. Did you mean 'float64'?"
    )


def test_unknown_layout_of_a_field(grid):
    assert told(GridError, lambda: grid.field("T", components=3, layout="AOS")) == (
        "Field 'T' has the unknown layout 'AOS'. Known are: aos, soa."
    )


@pytest.mark.parametrize("alignment", [100, 4, 512, "64"])
def test_alignment_that_no_field_has(grid, alignment):
    assert told(GridError, lambda: grid.field("T", alignment=alignment)) == (
        f"Field 'T' was given the alignment {alignment!r}; expected a power of two from 8, one "
        "number, to 256 bytes."
    )


def test_unknown_location_of_a_field(grid):
    assert told(GridError, lambda: grid.field("T", location="xface")) == (
        "Field 'T' has the unknown location 'xface'. Did you mean 'x_face'?"
    )


def test_field_without_components(grid):
    assert told(GridError, lambda: grid.field("T", components=0)) == (
        "Field 'T' was given 0 components."
    )


def test_field_name_used_twice(grid, T):
    assert told(GridError, lambda: grid.field("T")) == (
        "The field name 'T' is taken on this grid. Choose another name."
    )


def test_field_name_that_is_no_identifier(grid):
    assert told(GridError, lambda: grid.field("T new")) == (
        "The field name 'T new' is not an identifier. Choose another name."
    )


def test_unknown_side(T):
    assert told(GridError, lambda: T.boundary("z-", hc.Neumann())) == (
        "There is no side 'z-'. Known are: x+, x-, y+, y-."
    )


def test_kernel_on_an_unknown_side(T):
    def function(T):
        T[0, 0] = 1.0

    message = told(GridError, lambda: hc.kernel(function)(T, on="top"))
    assert message == "There is no side 'top'. Known are: x+, x-, y+, y-."


def test_boundary_on_a_periodic_side(T):
    assert told(GridError, lambda: T.boundary("x-", hc.Neumann())) == (
        "Field 'T' was given a boundary on side 'x-', but the grid is periodic in x. Make the grid "
        "non-periodic on that axis or drop the boundary."
    )


def left_neighbour(T, out):
    out[0] = T[-1]


def closed():
    grid = hc.Grid((8,))
    return grid, grid.field("T"), grid.field("out")


def test_boundary_missing_on_a_side():
    grid, T, out = closed()
    step = hc.kernel(left_neighbour)(T, out)
    assert told(PlanError, lambda: plan_for(grid, [step])) == (
        "Kernel 'left_neighbour' reads 'T' beyond side 'x-' of the domain, where no boundary is "
        "given. Write T.boundary('x-', …), make the grid periodic there, or restrict the kernel to "
        "a box."
    )


def test_boundary_with_the_wrong_number_of_values():
    _, T, _ = closed()
    assert told(GridError, lambda: T.boundary("x-", hc.Dirichlet((1.0, 2.0)))) == (
        "The boundary of 'T' on side 'x-' was given (1.0, 2.0); expected a number or an "
        "hc.Parameter. A value that changes with time is a parameter; for one that changes from "
        "place to place give a kernel that runs on the layer."
    )


def test_own_boundary_kernel_where_two_layers_are_read():
    grid, T, out = closed()

    @hc.kernel
    def zero(T):
        T[0] = 0.0

    @hc.kernel
    def far(T, out):
        out[0] = T[-2]

    T.boundary("x-", zero)
    assert told(GridError, lambda: plan_for(grid, [far(T, out)])) == (
        "The kernel given as boundary of 'T' on side 'x-' fills one layer, but 2 are read. Use "
        "hc.Dirichlet or hc.Neumann, or read no further than one cell."
    )


def test_kernel_on_a_box_outside_the_grid(T):
    def function(T):
        T[0, 0] = 1.0

    message = told(GridError, lambda: hc.kernel(function)(T, on=hc.Box((0, 0), (9, 6))))
    assert message == (
        "Kernel 'function' was told to run on [0,9) x [0,6); expected a box of cells within "
        "[0,8) x [0,6)."
    )


def test_halo_wider_than_a_block():
    grid = hc.Grid((8,), periodic=True)
    a, b = grid.field("a"), grid.field("b")

    @hc.kernel
    def far(a, b):
        b[0] = a[-3]

    assert told(PlanError, lambda: plan_for(grid, [far(a, b)], ranks=4)) == (
        "Field 'a' needs a halo of 3 cells along x, but block (3,) is only 2 wide there. Use fewer "
        "ranks or another decomposition, so that every block is at least as wide as the halo."
    )


def test_halo_wider_than_a_periodic_grid():
    grid = hc.Grid((2, 8), periodic=True)
    a, b = grid.field("a"), grid.field("b")

    @hc.kernel
    def far(a, b):
        b[0, 0] = a[-3, 0]

    assert told(PlanError, lambda: plan_for(grid, [far(a, b)])) == (
        "Field 'a' needs a halo of 3 cells along x, but the periodic grid is only 2 wide there. "
        "Use a wider grid or a smaller depth."
    )


def test_more_ranks_than_cells(grid):
    assert told(PlanError, lambda: plan_for(grid, [], ranks=50)) == (
        "50 ranks with 1 block(s) each were asked to share 48 cells; expected at least one cell a "
        "block. Use at most 48 ranks."
    )


def test_more_blocks_along_an_axis_than_cells(grid):
    assert told(PlanError, lambda: plan_for(grid, [], ranks=9, decomposition=(9, 1))) == (
        "The decomposition cuts x into 9 blocks, but there are only 8 cells. Use fewer ranks or "
        "another decomposition."
    )


def test_number_of_blocks_that_does_not_fit_the_grid(grid):
    assert told(PlanError, lambda: plan_for(grid, [], ranks=7, decomposition="rows")) == (
        "7 blocks cannot be cut from a grid of 8x6 cells along y. Use another number of ranks or "
        "another decomposition."
    )


def test_decomposition_for_another_number_of_ranks(grid):
    assert told(PlanError, lambda: plan_for(grid, [], ranks=4, decomposition=(3, 1))) == (
        "The decomposition 3x1 was asked for on 4 ranks and a grid of 2 axes; expected 2 positive "
        "numbers whose product is a multiple of 4."
    )


def test_decomposition_of_another_grid(grid):
    other = hc.Decomposition(((0, 2, 4), (0, 6)), (True, True), 2)
    assert told(PlanError, lambda: plan_for(grid, [], ranks=2, decomposition=other)) == (
        "The decomposition is for 2 ranks and (4, 6) cells; the simulation has 2 ranks and (8, 6) "
        "cells."
    )


def test_decomposition_with_an_empty_block():
    assert told(PlanError, lambda: hc.Decomposition(((0, 4, 4, 8),), (True,), 3)) == (
        "The cuts ((0, 4, 4, 8),) leave a block without cells."
    )


def test_decomposition_with_more_ranks_than_blocks():
    assert told(PlanError, lambda: hc.Decomposition(((0, 4, 8),), (True,), 3)) == (
        "2 blocks were given to 3 ranks; expected at least one block a rank. Use fewer ranks or "
        "more blocks."
    )


def test_unknown_decomposition(grid):
    assert told(PlanError, lambda: plan_for(grid, [], ranks=2, decomposition="pencil")) == (
        "There is no decomposition 'pencil'. Did you mean 'pencils'?"
    )


def test_plan_of_a_rank_that_does_not_exist(grid):
    assert told(PlanError, lambda: plan_for(grid, [], ranks=2, rank=2)) == (
        "The plan of rank 2 was asked for; there are ranks 0 to 1."
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"neighbours": "dirct"},
            "'neighbours' was given 'dirct'; expected one of: direct, staged.",
        ),
        ({"width": "ful"}, "'width' was given 'ful'; expected one of: minimal, full."),
        (
            {"messages": "fields"},
            "'messages' was given 'fields'; expected one of: neighbour, field.",
        ),
        (
            {"transport": "pigeon"},
            "'transport' was given 'pigeon'; expected one of: auto, shared, shared-push, "
            "two-sided, persistent, datatype, put, get, peer, from-device, via-host, box-copies.",
        ),
        (
            {"overlap": "corefirst"},
            "'overlap' was given 'corefirst'; expected one of: core-first, rim-first, "
            "postponed, none.",
        ),
        ({"wait": "some"}, "'wait' was given 'some'; expected one of: all, any."),
        ({"tiles": 0}, "'tiles' was given 0; expected a whole number of at least 1."),
        ({"depth": 0}, "'depth' was given 0; expected a whole number of at least 1."),
    ],
)
def test_unknown_choice_of_a_strategy(options, message):
    assert told(PlanError, lambda: hc.Strategy(**options)) == message


def test_unknown_target(grid):
    assert told(PlanError, lambda: hc.Simulation(grid, [lambda: None], target="numpi")) == (
        "There is no target 'numpi'. Did you mean 'numpy'?"
    )


def test_a_target_of_a_device_is_not_chosen_by_itself(grid):
    assert told(PlanError, lambda: hc.Simulation(grid, [lambda: None], target="cuda")) == (
        "The target 'cuda' was asked for; expected c++ or numpy, and the text for a device follows "
        "from 'device'. Write device='cuda'; 'halocline show code CASE --target cuda' prints the "
        "kernels."
    )


@pytest.mark.parametrize(
    ("device", "message"),
    [
        (
            "emulate",
            "There is no device 'emulate'; expected cpu, cuda, auto or emulated. "
            "Did you mean 'emulated'?",
        ),
        (
            "gpu:1",
            "There is no device 'gpu:1'; expected cpu, cuda, auto or emulated. "
            "Did you mean 'cuda'?",
        ),
        (
            "cpu:1",
            "The device 'cpu:1' was asked for; only 'cuda' and 'emulated' take a number.",
        ),
        ("cuda:x", "The device 'cuda:x' has the number 'x'; expected 0, 1, 2, …"),
    ],
)
def test_unknown_devices(grid, device, message):
    assert told(PlanError, lambda: hc.Simulation(grid, [lambda: None], device=device)) == message


def test_a_target_without_text_is_not_shown(grid):
    assert told(PlanError, lambda: source_for(grid, [], "numpy")) == (
        "There is no text for the target 'numpy'. Known are: c++, cuda."
    )


def test_swap_of_different_types(grid, T):
    other = grid.field("f", components=2, dtype="float32")
    assert told(GridError, lambda: hc.swap(T, other)) == (
        "'swap' was given 'T' (float64, 1 components, soa) and 'f' (float32, 2 components, soa); "
        "expected fields of one type."
    )


def test_steps_with_a_kernel_that_was_not_called(grid):
    @hc.kernel
    def heat(T):
        T[0, 0] = 1.0

    message = told(PlanError, lambda: hc.Simulation(grid, [heat]))
    assert message.endswith(
        "stands in the list of steps; expected a called kernel, swap, repeat, every, a reduction "
        "or a function. Call the kernel with its fields: heat(T, T_new, a=0.1)."
    )


@pytest.mark.parametrize("count", [0, 1.5])
def test_repeat_of_an_impossible_number(count):
    assert told(PlanError, lambda: hc.repeat(count)) == (
        f"'repeat' was given {count!r}; expected a whole number of at least 1."
    )


@pytest.mark.parametrize(
    ("name", "value", "least"),
    [
        ("check_every", -1, 0),
        ("check_every", 2.5, 0),
        ("blocks", None, 1),
        ("ranks_per_node", 0, 1),
    ],
)
def test_an_option_that_is_no_whole_number(grid, T, name, value, least):
    assert told(PlanError, lambda: hc.Simulation(grid, [lambda: None], **{name: value})) == (
        f"'{name}' was given {value!r}; expected a whole number of at least {least}."
    )


@pytest.mark.parametrize("dt", [None, "0.1", [0.1]])
def test_a_time_step_that_is_no_number(grid, dt):
    assert told(PlanError, lambda: hc.Simulation(grid, [lambda: None], dt=dt)) == (
        f"'dt' was given {dt!r}; expected a finite number."
    )


def test_a_time_step_that_is_not_finite(grid):
    assert told(PlanError, lambda: hc.Simulation(grid, [lambda: None], dt=math.nan)) == (
        "'dt' was given nan; expected a finite number."
    )


@pytest.mark.parametrize("steps", [-3, 2.5, "10", None])
def test_a_run_of_an_impossible_number_of_steps(grid, T, steps):
    simulation = hc.Simulation(grid, [lambda: None], target="numpy")
    assert told(PlanError, lambda: simulation.run(steps)) == (
        f"'run' was given {steps!r}; expected a whole number of at least 0."
    )
    assert T.storage is None


@pytest.mark.parametrize("value", ["abc", "1.0", None, [1.0, 2.0], 1j])
def test_a_parameter_that_is_given_no_number(value):
    parameter = hc.Parameter(1.0, "a")

    def give() -> None:
        parameter.value = value

    assert told(KernelError, give) == f"The parameter 'a' was given {value!r}; expected a number."
    assert told(KernelError, lambda: hc.Parameter(value, "a")).startswith("The parameter 'a'")
    assert parameter.value == 1.0


def simulated(grid, *steps, **options):
    steps = steps or (lambda: None,)
    simulation = hc.Simulation(grid, steps, target="numpy", threads=1, **options)
    simulation.run(0, progress=False)
    return simulation


def test_values_of_the_wrong_shape(grid, T):
    simulated(grid)
    assert told(GridError, lambda: T.set(np.zeros((6, 8)))) == (
        "Field 'T' was given values of shape (6, 8); expected (8, 6). The component comes first, "
        "then x, y, z."
    )


def test_values_of_a_field_before_there_is_a_simulation(T):
    assert told(GridError, T.gather) == (
        "Field 'T' is not stored yet: that is done when its simulation first runs. Make a "
        "Simulation of its grid, and run it."
    )


def test_grid_used_by_two_simulations(grid, T):
    simulated(grid)
    assert told(PlanError, lambda: simulated(grid)) == (
        "The grid's fields already belong to another simulation. Make a new Grid with its own "
        "fields for each simulation."
    )


def test_reduction_of_a_field_of_another_grid(grid, T):
    other = hc.Grid((4, 4)).field("other")
    assert told(GridError, lambda: plan_for(grid, [hc.sum(other)])) == (
        "The reduction 'sum' uses the field 'other', which is not on the simulation's grid."
    )


def test_steps_done_once_that_read_further_than_fields_are_stored(grid, T, out):
    @hc.kernel
    def left(T, out):
        out[0, 0] = T[-1, 0]

    simulation = simulated(grid)
    assert told(PlanError, lambda: simulation.execute(left(T, out))) == (
        "Field 'T' would need a halo of 1 cells, but is stored with 0. Put the kernel into the "
        "steps of the simulation, then its halo is known."
    )


@pytest.mark.parametrize("components", [1, 2])
def test_a_value_that_is_no_number_names_field_cell_and_step(components):
    grid = hc.Grid((8, 6), periodic=True)
    f = grid.field("f", components=components)

    @hc.kernel
    def grow(f, *, s):
        last = f[components - 1] if components > 1 else f
        cell = hc.where((hc.index("x") == 3) & (hc.index("y") == 4), 1.0, 0.0)
        value = last[0, 0] + hc.sqrt(2.5 - cell * s)
        if components > 1:
            f[components - 1] = value
        else:
            f[0, 0] = value

    simulation = hc.Simulation(grid, [grow(f, s=hc.step)], target="numpy", threads=1, check_every=1)
    which = " component 1" if components > 1 else ""
    assert told(DivergedError, lambda: simulation.run(10, progress=False)) == (
        f"Field 'f'{which} is not a number in cell (3, 4) at step 4. The computation has become "
        "unstable: use a smaller time step, a finer grid or a larger viscosity."
    )


def test_reduction_of_a_comparison_of_whole_fields(T):
    assert told(KernelError, lambda: hc.sum(T == 1.0)) == (
        "'hc.sum' was given False; expected a field or an expression of fields. To compare, name "
        "the cell: hc.sum(T[0, 0] == 1.0)."
    )


def test_negative_number_of_overlapped_kernels():
    assert told(PlanError, lambda: hc.Strategy(overlapped=-1)) == (
        "'overlapped' was given -1; expected a whole number of at least 0."
    )
