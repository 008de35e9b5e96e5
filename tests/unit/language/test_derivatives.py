"""Derivatives in kernels: which differences they become."""

from fractions import Fraction
from math import factorial

import pytest
from errors.telling import told

import halocline as hc
from halocline.errors import KernelError
from halocline.language.differences.fornberg import offsets, weights
from halocline.language.expressions.show import show

C8 = (-205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560)


def values(function, *fields, **scalars):
    """Return the lines of what a function assigns."""
    lines = show(hc.kernel(function)(*fields, **scalars).kernel).splitlines()
    return [line.strip() for line in lines if "=" in line]


@pytest.fixture
def grid():
    return hc.Grid((8, 6), periodic=True, spacing=(0.5, 0.25))


@pytest.fixture
def staggered(grid):
    p = grid.field("p")
    return p, grid.field("u", location="x_face"), grid.field("v", location="y_face")


@pytest.mark.parametrize("is_between", [False, True])
@pytest.mark.parametrize("accuracy", [2, 4, 6, 8])
@pytest.mark.parametrize("order", [0, 1, 2, 3, 4])
def test_weights_are_exact_for_polynomials_up_to_the_order_of_accuracy(order, accuracy, is_between):
    points = offsets(order, accuracy, is_between=is_between)
    found = weights(order, points)
    for power in range(order + accuracy):
        expected = factorial(order) if power == order else 0
        assert sum(w * p**power for w, p in zip(found, points, strict=True)) == expected
    # Values at the same place are their own average; else the next power tells the accuracy.
    if order or is_between:
        power = order + accuracy
        assert sum(w * p**power for w, p in zip(found, points, strict=True)) != 0
    assert all(isinstance(w, Fraction) for w in found)


def test_a_second_derivative_is_the_stencil_written_by_hand():
    grid = hc.Grid((16, 16, 16), periodic=True, spacing=0.5)
    u, out = grid.field("u"), grid.field("out")

    def derivative(u, out):
        out[0, 0, 0] = hc.d(u, "x", order=2, accuracy=8)

    def by_hand(u, out):
        c = [float(Fraction(c).limit_denominator(1000) / Fraction(1, 4)) for c in C8]
        total = c[4] * (u[-4, 0, 0] + u[4, 0, 0])
        total = total + c[3] * (u[-3, 0, 0] + u[3, 0, 0])
        total = total - -c[2] * (u[-2, 0, 0] + u[2, 0, 0])
        total = total + c[1] * (u[-1, 0, 0] + u[1, 0, 0])
        out[0, 0, 0] = total - -c[0] * u[0, 0, 0]

    calls = [hc.kernel(function)(u, out) for function in (derivative, by_hand)]
    (derived,), (written,) = (call.kernel.statements for call in calls)
    assert derived.value is written.value


def test_a_laplacian_adds_up_the_values_of_one_weight():
    grid = hc.Grid((8, 8), periodic=True)
    u, out = grid.field("u"), grid.field("out")

    def unit(u, out):
        out[0, 0] = hc.laplacian(u)

    assert values(unit, u, out) == [
        "out[0, 0] = ((((u[-1, 0] + u[1, 0]) + u[0, -1]) + u[0, 1]) - (4.0 * u[0, 0]))"
    ]


def test_a_derivative_of_an_expression_sees_it_from_both_cells(grid, staggered):
    p, out = staggered[0], grid.field("out")

    def function(p, out):
        out[0, 0] = hc.d(p * p, "y")

    assert values(function, p, out) == [
        "out[0, 0] = (2.0 * ((p[0, 1] * p[0, 1]) - (p[0, -1] * p[0, -1])))"
    ]


def test_differences_go_from_the_middle_of_cells_to_faces_and_back(staggered):
    def function(p, u, v):
        u[0, 0], v[0, 0] = hc.grad(p)

    def back(p, u, v):
        p[0, 0] = hc.div((u, v))

    assert values(function, *staggered) == [
        "u[0, 0] = (2.0 * (p[0, 0] - p[-1, 0]))",
        "v[0, 0] = (4.0 * (p[0, 0] - p[0, -1]))",
    ]
    assert values(back, *staggered) == [
        "p[0, 0] = ((2.0 * (u[1, 0] - u[0, 0])) + (4.0 * (v[0, 1] - v[0, 0])))"
    ]


def test_derivatives_within_a_derivative_are_compact(grid, staggered):
    p, out = staggered[0], grid.field("out")

    def second(p, out):
        out[0, 0] = hc.d(hc.d(p, "x"), "x")

    def conservative(p, out):
        out[0, 0] = hc.d(hc.average(p, "x") * hc.d(p, "x"), "x")

    def beside_values(p, out):
        out[0, 0] = hc.d(p * hc.d(p, "x"), "x")

    assert values(second, p, out) == [
        "out[0, 0] = (2.0 * ((2.0 * (p[1, 0] - p[0, 0])) - (2.0 * (p[0, 0] - p[-1, 0]))))"
    ]
    assert values(conservative, p, out) == [
        "out[0, 0] = (2.0 * (((0.5 * (p[0, 0] + p[1, 0])) * (2.0 * (p[1, 0] - p[0, 0]))) - "
        "((0.5 * (p[-1, 0] + p[0, 0])) * (2.0 * (p[0, 0] - p[-1, 0])))))"
    ]
    # Beside 'p' it is taken where that is: in the middle of cells.
    assert values(beside_values, p, out) == [
        "out[0, 0] = ((p[1, 0] * (p[2, 0] - p[0, 0])) - (p[-1, 0] * (p[0, 0] - p[-2, 0])))"
    ]


def test_a_field_on_faces_says_where_what_is_beside_it_is_taken(staggered):
    def function(p, u, v):
        p[0, 0] = hc.d(u * hc.average(v, "y"), "y") + 0.0 * p

    p, u, v = staggered
    assert told(KernelError, lambda: hc.kernel(function)(p, u, v)) == (
        "Kernel 'function' takes a derivative along y of values in the middle of cells and of "
        "values on faces along x. Write hc.average(…, 'x') of one of them."
    )


def test_an_average_goes_half_a_cell_further(staggered):
    def function(p, u, v):
        v[0, 0] = hc.average(hc.average(u, "x"), "y")

    assert values(function, *staggered) == [
        "v[0, 0] = (0.5 * ((0.5 * (u[0, -1] + u[1, -1])) + (0.5 * (u[0, 0] + u[1, 0]))))"
    ]


def test_a_transverse_place_that_differs_is_refused(staggered):
    def function(p, u, v):
        v[0, 0] = hc.d(u, "y")

    assert told(KernelError, lambda: hc.kernel(function)(*staggered)) == (
        "Kernel 'function' takes a derivative along y for 'v' (y_face) of values half a cell from "
        "it along x; expected values in the middle of cells there. Write hc.average(…, 'x')."
    )


def test_coordinates_and_spacings_are_those_of_the_location(grid, staggered):
    def function(p, u, v):
        p[0, 0] = hc.coordinate("x") * hc.spacing("y")
        u[0, 0] = hc.coordinate("x")

    assert values(function, *staggered) == [
        "p[0, 0] = (((index_x + 0.5) * 0.5) * 0.25)",
        "u[0, 0] = (index_x * 0.5)",
    ]


def test_a_surface_has_the_laplacian_of_its_axes():
    grid = hc.Grid((8, 8, 4), periodic=True)
    h, out = grid.field("h", axes="xy"), grid.field("out", axes="xy")

    def function(h, out):
        out[0, 0] = hc.laplacian(h)

    def down(h, out):
        out[0, 0] = hc.d(h, "z")

    assert "4.0 * h[0, 0, 0]" in values(function, h, out)[0]
    assert told(KernelError, lambda: hc.kernel(down)(h, out)) == (
        "Kernel 'down' takes a derivative along z of what lacks this axis."
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            lambda p: hc.d(p, "z"),
            "'hc.d' was given the axis 'z'; expected one of x, y.",
        ),
        (
            lambda p: hc.d(p, "x", order=0),
            "A derivative of order 0 was asked for; expected a whole number from 1 to 8.",
        ),
        (
            lambda p: hc.d(p, "x", accuracy=3),
            "'hc.d' was asked for the accuracy 3; expected an even number: differences are "
            "central.",
        ),
        (
            lambda p: hc.d(3.0, "x"),
            "'hc.d' was given 3.0, which is read from no field; expected a field or an expression "
            "of fields.",
        ),
        (
            lambda p: hc.div((p,)),
            "'hc.div' was given 1 of them; expected a component for each of the grid's axes. Write "
            "hc.div((u, v, w)), or give a field of so many components.",
        ),
    ],
)
def test_what_has_no_derivative_is_refused(staggered, wrong, message):
    def function(p, u, v):
        u[0, 0] = wrong(p)

    assert told(KernelError, lambda: hc.kernel(function)(*staggered)) == message


def test_a_derivative_of_a_field_of_another_grid_is_refused(grid, staggered):
    coarse = grid.coarsen(2).field("coarse")

    def function(coarse, p):
        p[0, 0] = hc.d(coarse, "x")

    assert told(KernelError, lambda: hc.kernel(function)(coarse, staggered[0])) == (
        "Kernel 'function' takes a derivative along x of 'coarse', which has another grid of 4x3 "
        "cells. Bring it to the grid of what is assigned first, with hc.restrict or hc.prolong."
    )


def test_a_reduction_of_a_derivative_is_refused(staggered):
    assert told(KernelError, lambda: hc.sum(hc.d(staggered[0], "x"))) == (
        "'hc.sum' was given an expression with a derivative or a place; expected values of "
        "fields. Assign it to a field in a kernel, and combine that."
    )
