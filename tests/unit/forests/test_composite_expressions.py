"""Expressions of a forest's fields outside of kernels: of all levels, and never of one alone."""

from __future__ import annotations

import numpy as np
import pytest

import halocline as hc
from halocline.errors import KernelError


@pytest.fixture(scope="module")
def fields():
    """A simulation and its fields: u = 10 x + y - 60, v = (-u, u^2)."""

    @hc.kernel
    def fill(u, v):
        v[0][0, 0] = -u[0, 0]
        v[1][0, 0] = u[0, 0] ** 2

    forest = hc.Forest((16, 16), block=8, refine=lambda x, y: x + y < 9, periodic=True)
    u, v = forest.field("u"), forest.field("v", components=2)
    simulation = hc.Simulation(forest, [fill(u, v)], target="numpy")
    u.set(lambda x, y: 10 * x + y - 60)
    simulation.run(1, progress=False)
    return simulation, u, v


def cells(u):
    """Return the values in all leaves, and the volumes of these cells in those of level 0."""
    share = 0.5**u.forest.dimensions
    values = [one.ravel() for field in u.levels for one in field.local()]
    volumes = [np.full(one.size, share**n) for n, f in enumerate(u.levels) for one in f.local()]
    return np.concatenate(values), np.concatenate(volumes)


# An expression, and the same of NumPy's arrays.
EXPRESSIONS = {
    "abs": (lambda u, v: abs(v[0]), abs),
    "difference": (lambda u, v: u - v[0], lambda u: 2 * u),
    "reflected": (lambda u, v: 3.0 - 2 * u, lambda u: 3.0 - 2 * u),
    "function": (lambda u, v: hc.sqrt(v[1]), lambda u: np.sqrt(u**2)),
    "choice": (lambda u, v: hc.where(u > v[0], u, 0.5), lambda u: np.where(u > -u, u, 0.5)),
    "of NumPy": (lambda u, v: np.maximum(u, 3) + np.square(u), lambda u: np.maximum(u, 3) + u**2),
    "parameter": (lambda u, v: hc.Parameter(2.0, "two") * u, lambda u: 2 * u),
    "of one component": (lambda u, v: u[0] + 1, lambda u: u + 1),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_reductions_combine_expressions_on_all_levels(fields, name):
    simulation, u, v = fields
    expression, plain = EXPRESSIONS[name]
    values, volumes = cells(u)
    right = plain(values)
    assert simulation.reduce(hc.max(expression(u, v))) == right.max()
    assert simulation.reduce(hc.min(expression(u, v))) == right.min()
    assert simulation.reduce(hc.sum(expression(u, v))) == pytest.approx((right * volumes).sum())


def test_loops_go_on_until_an_expression_of_all_levels_is_small():
    @hc.kernel
    def halve(T):
        T[0] = 0.5 * T[0]

    forest = hc.Forest((16,), block=8, refine=lambda x: x < 4, periodic=True)
    T = forest.field("T")
    loop = hc.until(hc.max(abs(T)) < 0.1, halve(T))
    simulation = hc.Simulation(forest, [loop], target="numpy")
    T.set(lambda x: np.where(x < 4, -1.0, 0.5))
    simulation.run(1, progress=False)
    assert loop.iterations.value == 4


@pytest.mark.parametrize("call", ["gather", "local", "on_device", "to_xarray"])
def test_arrays_of_all_levels_together_are_refused(fields, call):
    _, u, _ = fields
    with pytest.raises(
        hc.HaloclineError, match=f"'{call}' was called for field 'u' of a forest, w"
    ):
        getattr(u, call)()


REFUSED = {
    "a slice": (lambda u, v: u[...], "Field 'u' of a forest was given the subscript Ellipsis"),
    "an offset": (lambda u, v: u[1, 0], r"was given the subscript \(1, 0\); expected the number"),
    "a component": (lambda u, v: v[2], "Component 2 of 'v' was used; it has components 0 to 1"),
    "next door": (lambda u, v: (u + 1)[1, 0], "beside a cell there may be another level's"),
    "hc.at": (
        lambda u, v: hc.max(hc.at(u, x=1)),
        "all levels of a forest reads 'u' of a neighbour",
    ),
    "a derivative": (lambda u, v: hc.max(hc.d(u, "x")), "given an expression with a derivative"),
    "one level": (lambda u, v: hc.max(u + u.level(1)), "reads 'u_level1' of one level alone"),
    "along axes": (lambda u, v: hc.sum(u, over="x", into=v), "'hc.sum' over axes was given fields"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_meaning_on_all_levels_is_refused(fields, name):
    _, u, v = fields
    expression, message = REFUSED[name]
    with pytest.raises(hc.HaloclineError, match=message):
        expression(u, v)


@pytest.mark.parametrize("width", ["minimal", "full"])
def test_expressions_count_cells_of_leaves_alone(width):
    @hc.kernel
    def spread(T, T_new):
        T_new[0] = 0.5 * (T[-1] + T[1])

    forest = hc.Forest((16,), block=4, refine=lambda x: x < 8, periodic=True)
    T, T_new = forest.field("T"), forest.field("T_new")
    strategy = hc.Strategy(poison=True, width=width)
    steps = [spread(T, T_new), hc.swap(T, T_new)]
    simulation = hc.Simulation(forest, steps, strategy=strategy, target="numpy")
    T.set(lambda x: x - 8)
    simulation.run(2, progress=False)
    values, volumes = cells(T)
    right = (abs(values) * volumes).sum()
    assert simulation.reduce(hc.sum(abs(T))) == pytest.approx(right, rel=1e-14)


def test_expressions_count_cells_of_leaves_alone_where_multigrid_solves():
    forest = hc.Forest((8, 8), block=4, refine=lambda x, y: x + y < 6, periodic=True)
    u, f = forest.field("u"), forest.field("f")
    f.set(lambda x, y: np.where(x < 4, 1.0, -1.0) + 0 * y)
    poisson = hc.Multigrid(lambda u: -hc.laplacian(u), u, f)
    simulation = hc.Simulation(forest, poisson.cycle, target="numpy")
    simulation.run(1, progress=False)
    values, volumes = cells(f)
    right = (abs(values) * volumes).sum()
    assert simulation.reduce(hc.sum(abs(f))) == pytest.approx(right, rel=1e-14)


def test_reductions_of_one_level_stay_in_the_cell(fields):
    simulation, u, _ = fields
    with pytest.raises(hc.HaloclineError, match=r"on a forest combines levels \[0, 1\]; expected"):
        simulation.reduce(hc.sum(u.level(0) * u.level(1)))
    with pytest.raises(hc.HaloclineError, match="on a forest reads 'u_level1' of a neighbour; exp"):
        simulation.reduce(hc.sum(u.level(1)[1, 0] + 1))


def test_a_kernel_takes_no_expression_of_all_levels(fields):
    _, u, v = fields

    @hc.kernel
    def scale(v, *, by):
        v[0][0, 0] = by * v[0][0, 0]

    with pytest.raises(KernelError, match="something that differs from cell to cell for 'by'"):
        scale(v, by=abs(u))
