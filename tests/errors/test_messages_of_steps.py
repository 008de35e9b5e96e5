"""What is said of steps, points and series that cannot be."""

import numpy as np
import pytest
from errors.telling import told

import halocline as hc
from halocline.errors import GridError, KernelError, PlanError


@pytest.fixture
def u():
    return hc.Grid((6, 4), periodic=True).field("u")


@hc.kernel
def scale(u, *, by):
    u[0, 0] = by * u


@pytest.mark.parametrize(("what", "loop"), [("repeat", hc.repeat), ("every", hc.every)])
def test_a_loop_of_nothing(what, loop):
    assert told(PlanError, lambda: loop(2)) == (
        f"'{what}' was given 2 and no steps; expected at least one. Write hc.{what}(2, step, …)."
    )


def test_a_function_that_needs_arguments(u):
    def tell(place):
        print(place)

    assert told(PlanError, lambda: hc.Simulation(u.grid, [scale(u, by=2.0), tell])) == (
        "The function 'tell' stands in the list of steps; expected one that is called with "
        "nothing, but it says missing a required argument: 'place'. Write a function without "
        "arguments around it: lambda: …"
    )


def test_a_number_given_by_position(u):
    assert told(KernelError, lambda: scale(u, 2.0)) == (
        "Kernel 'scale' was called with 2 fields; expected 1: u. Numbers are given by keyword: by=…"
    )


def test_a_series_that_is_assigned():
    series = hc.Series([0, 1], [1, 2], name="air")
    assert told(PlanError, lambda: hc.assign(series, 3.0)).startswith(
        "'assign' was to change 'air', a series; expected an hc.Parameter of your own."
    )


def test_a_parameter_as_a_number_of_python():
    p = hc.Parameter(2.5, "p")
    assert told(KernelError, lambda: float(p)).startswith(
        "'p', a number that may change while steps are done, was used as one of Python's. Its "
        "present value is its attribute 'value'"
    )
    assert f"{p:.2f} {2 * p:g}" == "2.50 5"


@pytest.mark.parametrize("solver", [hc.conjugate_gradients, hc.bicgstab])
def test_a_solver_of_what_is_no_operator(u, solver):
    b = u.grid.field("b")
    assert told(PlanError, lambda: solver(scale(u, by=2.0), u, b)).endswith(
        "for A; expected a kernel that is not called yet, or a function of two fields p and q that "
        f"returns what computes q = A p. Write hc.{solver.__name__}(apply, x, b), or lambda p, q: "
        "apply(p, q, k) where it needs more fields."
    )


def test_dates_are_no_times():
    dates = np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]")
    assert told(KernelError, lambda: hc.Series(dates, [1, 2])) == (
        "The series 'series': its times are an array of datetime64[D] with the shape (2,); "
        "expected numbers, of dates as (dates - dates[0]) / np.timedelta64(1, 's')."
    )


def test_points_and_amounts_that_are_no_real_numbers(u):
    for given in (np.array([[1j, 1.0]]), [["1", "2"]]):
        message = told(GridError, lambda given=given: hc.Points(given))
        assert message.endswith("expected their coordinates: (points, dimensions).")
    points = hc.Points([(1.0, 1.0)])
    assert told(KernelError, lambda: points.inject(1.0, into=u, scale="2")).startswith(
        "'inject' was given '2' as 'scale'; expected a number"
    )


def test_integers_at_points():
    k = hc.Grid((6, 4), periodic=True).field("k", dtype="int32")
    assert told(GridError, lambda: hc.Points([(1.0, 1.0)]).record(k)) == (
        "Field 'k' of int32 was to be interpolated; expected float64 or float32. Of integers a "
        "kernel makes a field of floats: real[0, 0] = whole."
    )


def test_an_expression_where_a_field_was_expected(u):
    points = hc.Points([(1.0, 1.0)])
    for value, text in (
        (2 * u[1, 0], "<2 * u[1, 0] in each cell>"),
        (hc.at(u, x=1), "<u[1, 0] in each cell>"),
        ((u[1, 0] + 1)[0, -2], "<u[1, -2] + 1 in each cell>"),
        (hc.d(u, "x"), "<d(u[0, 0], 'x', order=1) in each cell>"),
        (hc.coordinate("y"), "<coordinate('y') in each cell>"),
    ):
        assert repr(value) == text
    assert "<u[0, 0] + 1 in each cell>" in told(GridError, lambda: points.record(u + 1))
