"""Wrong grids, fields and boundaries, and what a user is told."""

from __future__ import annotations

import math

import numpy as np
import pytest
from errors.telling import told

import halocline as hc
from halocline.errors import GridError, PlanError
from halocline.plan.pipeline import plan_for


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
        "hc.Parameter. A value that changes with time is a parameter or a function of t; for one "
        "that depends on the field give a kernel that runs on the layer."
    )


def test_kernel_on_a_box_outside_the_grid(T):
    def function(T):
        T[0, 0] = 1.0

    message = told(GridError, lambda: hc.kernel(function)(T, on=hc.Box((0, 0), (9, 6))))
    assert message == (
        "Kernel 'function' was given on=[0,9) x [0,6); expected a box of cells within "
        "[0,8) x [0,6)."
    )


def test_values_of_a_field_before_there_is_a_simulation(T):
    assert told(GridError, T.gather) == (
        "Field 'T' is not stored yet: that is done when its simulation first runs. Make a "
        "Simulation of its grid, and run it."
    )


def one_by_one(x, y):
    return math.sin(x)


def chosen(x, y):
    return 1.0 if x > y else 0.0


@pytest.mark.parametrize("function", [one_by_one, chosen, max])
def test_a_function_of_single_numbers(T, function):
    text = told(GridError, lambda: T.set(function))
    assert text.startswith("Field 'T' was set to a function that takes one number at a time (")
    assert text.endswith(
        "expected one of arrays, the coordinates of many cells at once. Write np.sin(x) for "
        "math.sin(x), np.where(x > 0, a, b) for 'a if x > 0 else b', np.minimum(x, y) for "
        "min(x, y)."
    )


def test_a_part_of_a_side_by_a_function_of_single_numbers():
    T = hc.Grid((4, 4, 4)).field("T")
    part = {"where": lambda y, z: y > 1 and z > 1}
    text = told(GridError, lambda: T.boundary("x-", hc.Dirichlet(1.0), **part))
    assert text.startswith(
        "The boundary of 'T' on side 'x-' was given a function that takes one number at a time ("
    )


def test_components_come_first():
    u = hc.Grid((4, 3)).field("u", components=2)
    assert told(GridError, lambda: u.set(np.zeros((4, 3, 2)))) == (
        "Field 'u' was given values of shape (4, 3, 2); expected (2, 4, 3). The axes are "
        "component, x, y: the component comes first, np.moveaxis(values, -1, 0)."
    )
