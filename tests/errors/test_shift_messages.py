"""Mistakes with sides that shift."""

from __future__ import annotations

import pytest
from errors.telling import told

import halocline as hc
from halocline.errors import HaloclineError


def twisted(shift, *, periodic=True, **more):
    return hc.Grid((8, 6), periodic=periodic, shift=shift, **more)


@hc.sweep("x+")
def along_x(before, u, v):
    v[0, 0] = before + u[0, 0]
    return before + u[0, 0]


@hc.kernel
def red(u):
    is_red = (hc.index("x") + hc.index("y")) % 2 == 0
    u[0, 0] = hc.where(is_red, u[1, 0], u[0, 0])


def swept():
    grid = twisted({"x": (0, 2)})
    return along_x(grid.field("u"), grid.field("v"), start=0.0)


def solved():
    grid = twisted({"x": (0, 2)})
    u, v = grid.field("u"), grid.field("v")
    return hc.tridiagonal("x", lower=1.0, diagonal=4.0, upper=1.0, right=u, into=v)


def sparse():
    import numpy as np

    grid = twisted({"x": (0, 2)})
    u, cells = grid.field("u"), np.ones((8, 6), bool)
    return hc.plan_for(grid, [red(u)], decomposition=hc.Sparse(cells, (4, 3)))


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (lambda: twisted(3), "'shift' was given 3"),
        (lambda: twisted({"z": (0, 1)}), "names the axis 'z'; expected one of 'xy'"),
        (lambda: twisted({"x": 3}), "expected 2 whole numbers of cells, one for each axis, and 0 "),
        (lambda: twisted({"x": (0, 1.5)}), "Write, for example, (0, 8)"),
        (lambda: twisted({"x": (2, 1)}), "and 0 for x itself"),
        (lambda: twisted({"x": (0, 1)}, periodic=(True, False)), "the grid is not periodic in y"),
        (lambda: twisted({"x": (0, 1)}, periodic=(False, True)), "the grid is not periodic in x"),
        (lambda: twisted({"x": (0, 1), "y": (1, 0)}), "and the other way round"),
        (
            lambda: twisted({"x": (0, 1)}, spacing=(1.0, [1, 2, 1, 2, 1, 2])),
            "along y, where cells differ in width",
        ),
        (lambda: twisted({"x": (0, 1)}).field("p", axes="y"), "shifts along y across x"),
        (lambda: twisted({"x": (0, 1)}).coarsen(2), "Shift by a multiple of 2"),
        (swept, "The sweep 'along_x' goes along x, but the grid shifts along y across x"),
        (solved, "'hc.tridiagonal' goes along x, but the grid shifts along y across x"),
        (lambda: red(twisted({"x": (0, 1)}).field("u")), "The colours do not fit"),
        (sparse, "A sparse decomposition was asked for on a grid with a shift"),
    ],
)
def test_mistakes_are_told(mistake, message):
    assert message in told(HaloclineError, mistake)


def test_what_fits_is_not_refused():
    grid = twisted({"x": (0, 2)})
    grid.field("across", axes="x")
    grid.coarsen(2)
    red(grid.field("u"))
