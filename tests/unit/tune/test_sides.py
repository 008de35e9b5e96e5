"""Prices of sides, and the process grid they lead to."""

import pytest
from toy import SHARED, heat, times, toy

import halocline as hc
from halocline.apps.cases import make_case
from halocline.language.steps.steps import check_steps
from halocline.plan.blocks.shapes import decompose
from halocline.plan.cells.strategy import Strategy
from halocline.plan.program.binding import bind
from halocline.tune.machine import Packing
from halocline.tune.sides import side_prices

MACHINE = toy(packing=Packing(1e-8, 0.0, 1e-10, 0.0))


def prices(extent, machine=MACHINE, **options):
    grid, steps = heat(extent, **options)
    return side_prices(bind(grid, check_steps(tuple(steps)), 0), Strategy(), machine)


def test_the_unit_stride_axis_is_dear():
    # Two layers of one value each, copied from place to place: two strided ends or one row.
    assert prices((16, 16, 16)) == pytest.approx((4e-8, 2 * 2 * 8e-10, 2 * 2 * 8e-10))


def test_messages_cost_their_bytes_too():
    grid, steps = heat((16, 16))
    program = bind(grid, check_steps(tuple(steps)), 0)
    machine = toy(SHARED, times(G=1e-8), packing=Packing(1e-8, 0.0, 1e-10, 0.0))
    found = side_prices(program, Strategy(), machine, is_same_node=False)
    assert found == pytest.approx((2 * (2e-8 + 8e-8), 2 * (16e-10 + 8e-8)))


def test_what_is_done_more_often_costs_more():
    assert prices((16, 16), repeat=5) == pytest.approx(tuple(5 * p for p in prices((16, 16))))


def test_an_axis_along_which_nothing_is_read_is_free():
    grid = hc.Grid((16, 16), periodic=True)
    a, b = grid.field("a"), grid.field("b")

    @hc.kernel
    def shift(a, b):
        b[0, 0] = a[0, 2] + a[0, -1]

    program = bind(grid, check_steps((shift(a, b), hc.swap(a, b))), 0)
    found = side_prices(program, Strategy(), MACHINE)
    assert found == pytest.approx((0.0, 3 * 2 * 8e-10))
    assert decompose((16, 16), (True, True), 4, prices=found).shape == (4, 1)


def test_a_lattice_sends_five_populations_each_way():
    problem = make_case("lid-cavity", {"cells": 64}).problem()
    # The convergence test reads other fields, but only now and then and only where they are.
    found = side_prices(bind(problem.grid, check_steps(problem.steps), 0), Strategy(), MACHINE)
    assert found == pytest.approx((2 * 5 * 2e-8, 2 * 5 * 2 * 8e-10, 2 * 5 * 2 * 8e-10))


@pytest.mark.parametrize(
    ("extent", "parts", "price", "shape"),
    [
        ((64, 64, 64), 64, (1.0, 1.0, 1.0), (4, 4, 4)),
        ((64, 64, 64), 8, (1.0, 1.0, 1.0), (1, 2, 4)),
        ((64, 64, 64), 8, (9.0, 1.0, 1.0), (1, 2, 4)),
        ((64, 64, 64), 8, (9.0, 1.0, 9.0), (1, 8, 1)),
        ((64, 64, 64), 16, (1.0, 0.1, 0.1), (1, 4, 4)),
        ((64, 8), 8, (1.0, 1.0), (8, 1)),
        ((64,), 8, (1.0,), (8,)),
        ((4, 64, 64), 7, (1.0, 1.0, 1.0), (1, 1, 7)),
    ],
)
def test_the_cheapest_shape(extent, parts, price, shape):
    periodic = (False,) * len(extent)
    assert decompose(extent, periodic, parts, prices=price).shape == shape
