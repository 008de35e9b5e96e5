"""What is said of boundaries and of layers at sides that cannot be."""

from __future__ import annotations

import numpy as np
import pytest
from telling import told

import halocline as hc
from halocline.errors import GridError, KernelError


@pytest.fixture
def u():
    return hc.Grid((12, 8)).field("u")


@hc.kernel
def mirrored(u):
    u[0, 0] = u[1, 0]


CONDITIONS = (
    "expected hc.Dirichlet(value), hc.Neumann(gradient), hc.Robin(a, b, c) or a kernel of one "
    "field."
)


def test_a_condition_that_is_a_class_or_a_plain_function(u):
    assert told(GridError, lambda: u.boundary("x-", hc.Neumann)) == (
        "Field 'u' was given the class 'Neumann' as boundary on side 'x-'; "
        f"{CONDITIONS} Write Neumann(…)."
    )
    assert told(GridError, lambda: u.boundary("x-", mirrored.function)) == (
        "Field 'u' was given the function 'mirrored' as boundary on side 'x-'; "
        f"{CONDITIONS} Write @hc.kernel before a function that is one."
    )


def test_numbers_for_a_condition_that_is_no_kernel(u):
    assert told(GridError, lambda: u.boundary("x-", hc.Neumann(0.0), speed=1.0)) == (
        "The boundary of 'u' on side 'x-' was given speed= beside Neumann(gradient=0.0); only a "
        "kernel takes numbers by keyword."
    )


@pytest.mark.parametrize(
    ("where", "shown"),
    [
        (3, "3"),
        (np.ones(12, bool), "an array of bool with the shape (12,)"),
        (lambda x: x > 3.0, "the function '<lambda>'"),
        (lambda y: y, "the function '<lambda>'"),
        (hc.Box((2,), (4,)), "Box(lower=(2,), upper=(4,))"),
        (hc.Box((0, 2), (1, 9)), "Box(lower=(0,... upper=(1, 9))"),
    ],
)
def test_what_is_no_part_of_a_side(u, where, shown):
    message = told(GridError, lambda: u.boundary("x-", hc.Dirichlet(0.0), where=where))
    assert message == (
        f"The boundary of 'u' on side 'x-' was given for {shown}; expected an hc.Box of 2 axes "
        "within the side along y, truth values of shape (8,), a function of y that "
        "returns such, or a field without the axis x."
    )


def test_a_tridiagonal_system_without_columns():
    for field, axis in (
        (hc.Grid(8).field("u"), "x"),
        (hc.Grid((4, 4, 8), periodic=True).field("u", axes="z"), "z"),
    ):
        numbers = dict.fromkeys(("lower", "diagonal", "upper", "right"), 1.0)
        assert told(KernelError, lambda: hc.tridiagonal(axis, into=field, **numbers)) == (  # noqa: B023
            f"'hc.tridiagonal' was given the axis {axis} for 'u', which has no other axis; "
            "expected a field of columns, with another axis beside the solved one. Make a grid "
            "with one more axis of one cell: hc.Grid((n, 1))."
        )


def test_a_system_whose_unknowns_a_boundary_prescribes():
    levels = hc.Grid((4, 8), periodic=(True, False)).field("k", location="y_face")
    levels.boundary("y+", hc.Dirichlet(0.0))
    numbers = dict.fromkeys(("lower", "diagonal", "upper", "right"), 1.0)
    assert told(KernelError, lambda: hc.tridiagonal("y", into=levels, **numbers)) == (
        "'hc.tridiagonal' was given the axis y for 'k', whose values on side 'y+' its "
        "boundary prescribes; expected unknowns in all cells. Leave that boundary out, and write "
        "its equation into the rows of the side's cells: a diagonal of 1, and the value at the "
        "right."
    )


def test_an_axis_that_a_system_does_not_have(u):
    numbers = dict.fromkeys(("lower", "diagonal", "upper", "right"), 1.0)
    for axis in (1, "xy", "z"):
        assert told(KernelError, lambda: hc.tridiagonal(axis, into=u, **numbers)) == (  # noqa: B023
            f"'hc.tridiagonal' was given the axis {axis!r}; expected one of the axes 'xy' of 'u'."
        )
