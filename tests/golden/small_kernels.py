"""Small kernels whose generated text is kept."""

from __future__ import annotations

from functools import reduce

from halocline.language.expressions.expr import Binary, Compare, Const, Read, Scalar, Unary, Where
from halocline.language.expressions.kernel import FieldType, Kernel, Statement


def _add(a, b):
    return Binary("add", a, b)


def heat() -> Kernel:
    """Return an explicit step of heat conduction in three dimensions."""
    here = Read("T", 0, (0, 0, 0))
    around = [
        Read("T", 0, offset)
        for offset in ((-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1))
    ]
    laplacian = Binary("sub", reduce(_add, around), Binary("mul", Const(6.0), here))
    value = _add(here, Binary("mul", Scalar("a"), laplacian))
    fields = (FieldType("T", "float64", 1), FieldType("T_new", "float64", 1))
    return Kernel("heat", 3, fields, ("a",), (Statement("T_new", 0, value, (0, 0, 0)),))


def upwind() -> Kernel:
    """Return a choice between upwind differences of two components."""
    here = [Read("u", c, (0, 0)) for c in range(2)]
    statements = []
    for component, west, east in ((0, (-1, 0), (1, 0)), (1, (0, -1), (0, 1))):
        upwind = Where(
            Compare("gt", here[component], Const(0.0)),
            Binary("sub", here[component], Read("u", component, west)),
            Binary("sub", Read("u", component, east), here[component]),
        )
        flow = Binary("mul", Scalar("dt"), Binary("mul", here[component], upwind))
        statements.append(
            Statement("u_new", component, Binary("sub", here[component], flow), (0, 0))
        )
    # The mask sees the new value of the component just written.
    fast = Compare("gt", Unary("abs", Read("u_new", 0, (0, 0), 1)), Const(0.1))
    statements.append(Statement("mask", 0, fast, (0, 0)))
    fields = (
        FieldType("u", "float32", 2),
        FieldType("u_new", "float32", 2),
        FieldType("mask", "uint8", 1),
    )
    return Kernel("upwind", 2, fields, ("dt",), tuple(statements))


def average() -> Kernel:
    """Return the mean of the four children of a cell, weighted by what each column has."""
    children = [Read("fine", 0, (x, y)) for y in (0, 1) for x in (0, 1)]
    mean = Binary("mul", Const(0.25), reduce(_add, children))
    value = Binary("mul", mean, Read("weight", 0, (0, 0)))
    fields = (
        FieldType("fine", "float64", 1, ratio=(2, 2)),
        FieldType("weight", "float64", 1, ratio=(0, 1)),
        FieldType("coarse", "float64", 1),
    )
    return Kernel("average", 2, fields, (), (Statement("coarse", 0, value, (0, 0)),))


def weight_above() -> Kernel:
    """Return the sum of a density from the top of each column down."""
    here = (0, 0, 0)
    total = _add(Read("above", 0, here), Read("density", 0, here))
    statements = (
        Statement("weight", 0, total, here),
        Statement("above", 0, Read("weight", 0, here, 1), here),
    )
    fields = (
        FieldType("density", "float32", 1),
        FieldType("weight", "float32", 1),
        FieldType("above", "float32", 1, ratio=(1, 1, 0)),
    )
    return Kernel("weight_above", 3, fields, (), statements, sweep=(2, -1))


def running_sum() -> Kernel:
    """Return the sum of a density from the end of each row back."""
    here = (0, 0)
    total = _add(Read("behind", 0, here), Read("density", 0, here))
    statements = (
        Statement("weight", 0, total, here),
        Statement("behind", 0, Read("weight", 0, here, 1), here),
    )
    fields = (
        FieldType("density", "float64", 1),
        FieldType("weight", "float64", 1),
        FieldType("behind", "float64", 1, ratio=(0, 1)),
    )
    return Kernel("running_sum", 2, fields, (), statements, sweep=(0, -1))
