"""Weights of users: stencils of neighbours, and derivatives with weights of one's own."""

from __future__ import annotations

import numpy as np
import pytest
from errors.telling import told, traced
from many_ranks import virtual

import halocline as hc
from halocline.errors import KernelError
from halocline.language.expressions.expr import Read, walk

FOURTH = (1 / 12, -2 / 3, 0, 2 / 3, -1 / 12)


def fields(**options):
    grid = hc.Grid((8, 6), periodic=True, spacing=(0.5, 0.25))
    return grid.field("u"), grid.field("out", **options)


def value(function, *given):
    (statement,) = hc.kernel(function)(*given).kernel.statements
    return statement.value


def test_a_stencil_is_the_sum_written_by_hand_in_the_order_of_its_weights():
    three = hc.stencil({(1, 0): 0.5, (0, 0): -2, (-3, 1): np.float32(0.25)})

    def made(u, out):
        out[0, 0] = three(u)

    def by_hand(u, out):
        out[0, 0] = u[1, 0] * 0.5 + u[0, 0] * -2 + u[-3, 1] * 0.25

    assert value(made, *fields()) is value(by_hand, *fields())


def test_a_stencil_of_an_expression_is_seen_from_neighbours():
    def made(u, out):
        out[0, 0] = hc.stencil({(1, 0): u, (0, -1): 2})(u * u)[0, 1]

    def by_hand(u, out):
        out[0, 0] = (u[1, 1] * u[1, 1]) * u[0, 1] + (u[0, 0] * u[0, 0]) * 2

    assert value(made, *fields()) is value(by_hand, *fields())


def test_what_has_the_weight_0_is_not_read():
    wide = hc.stencil({(4, 0): 0.0, (-1, 0): 1.0, (0, 2): 0, (0, -1): 1})

    def made(u, out):
        out[0, 0] = wide(u)

    read = {node.offset for node in walk(value(made, *fields())) if isinstance(node, Read)}
    assert read == {(-1, 0), (0, -1)}


def test_whole_weights_count_neighbours_of_integers():
    grid = hc.Grid((6, 5), periodic=True)
    alive, count = grid.field("alive", dtype="bool"), grid.field("count", dtype="int8")
    around = hc.stencil({(i, j): int((i, j) != (0, 0)) for i in (-1, 0, 1) for j in (-1, 0, 1)})

    @hc.kernel
    def neighbours(alive, count):
        count[0, 0] = around(alive)

    cells = np.random.default_rng(1).random((6, 5)) < 0.4
    alive.set(cells)
    hc.Simulation(grid, [neighbours(alive, count)], threads=1).run(1)
    ways = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
    expected = sum(np.roll(cells.astype(int), way, (0, 1)) for way in ways)
    assert np.array_equal(count.gather(), expected)


def random_stencils(seed):
    """Return whether a field after steps of a random stencil has the bits of NumPy's."""
    random = np.random.default_rng(seed)
    extent = (17, 12)
    grid = hc.Grid(extent, periodic=True)
    u, v = grid.field("u"), grid.field("v")
    first = random.random(extent)
    u.set(first)
    ways = {tuple(way): float(random.normal()) for way in random.integers(-3, 4, (5, 2)).tolist()}
    some = hc.stencil(ways)

    @hc.kernel
    def apply(u, v, *, a):
        v[0, 0] = a * some(u)

    hc.Simulation(grid, [apply(u, v, a=0.3), hc.swap(u, v)], threads=1).run(3)
    now = first
    for _ in range(3):
        terms = [np.roll(now, (-i, -j), (0, 1)) * w for (i, j), w in ways.items()]
        now = 0.3 * sum(terms[1:], start=terms[0])
    found = u.gather()
    return None if found is None else bool(np.array_equal(found, now))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("ranks", [virtual(1), virtual(3), virtual(4)], ids=str)
def test_random_stencils_have_the_bits_of_numpy_on_any_ranks(ranks, seed):
    assert ranks(random_stencils, seed)


@pytest.mark.parametrize(
    ("location", "weights"), [("center", (-0.5, 0.0, 0.5)), ("x_face", (-1.0, 1.0))]
)
def test_weights_of_the_usual_derivative_give_the_usual_derivative(location, weights):
    def given(u, out):
        out[0, 0] = hc.d(u, "x", weights=weights)

    def usual(u, out):
        out[0, 0] = hc.d(u, "x")

    assert value(given, *fields(location=location)) is value(usual, *fields(location=location))


def test_weights_are_those_of_cells_1_wide_whatever_the_width():
    n = 40
    grid = hc.Grid(n, periodic=True, spacing=2 * np.pi / n)
    u, out = grid.field("u"), grid.field("out")
    second = np.array([-1 / 12, 4 / 3, -5 / 2, 4 / 3, -1 / 12])

    @hc.kernel
    def differ(u, out):
        out[0] = hc.d(u, "x", weights=FOURTH) + hc.d(u, "x", order=2, weights=second)

    u.set(np.sin)
    hc.Simulation(grid, [differ(u, out)], threads=1).run(1)
    x = (np.arange(n) + 0.5) * 2 * np.pi / n
    assert np.abs(out.gather() - (np.cos(x) - np.sin(x))).max() < 3e-5


def test_weights_and_stencils_on_a_forest_know_the_cells_of_each_level():
    forest = hc.Forest(
        (16, 16), block=8, finest=1, refine=lambda x, y: np.where(x + y < 10, 1, 0), periodic=True
    )
    u, given, usual, summed = (forest.field(name) for name in ("u", "given", "usual", "summed"))
    difference = hc.stencil({(1, 0): 0.5, (-1, 0): -0.5})

    @hc.kernel
    def differ(u, given, usual, summed, *, width):
        given[0, 0] = hc.d(u, "x", weights=(-0.5, 0, 0.5))
        usual[0, 0] = hc.d(u, "x")
        summed[0, 0] = difference(u) * (1.0 / width)

    width = hc.PerLevel(lambda level: 0.5**level)
    simulation = hc.Simulation(forest, [differ(u, given, usual, summed, width=width)], threads=1)
    u.set(lambda x, y: np.sin(x) * y)
    simulation.run(1)
    for level in range(2):
        expected = usual.level(level).gather()
        assert np.isfinite(expected).any()
        assert np.array_equal(given.level(level).gather(), expected, equal_nan=True)
        assert np.allclose(summed.level(level).gather(), expected, equal_nan=True, rtol=1e-13)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (5, "'hc.d' was given the weights 5; expected a sequence of numbers."),
        ((), "'hc.d' was given the weights (); expected a sequence of numbers."),
        (("a", 0, 1), "A weight of 'hc.d' was given 'a'; expected a finite number."),
        (
            (0.0, 2 / 3, -1 / 12),
            "The 3 weights of 'hc.d' make 0.583333 of x**0, its derivative of order 1 at 0; "
            "expected 0. They are those of all values from the lowest up, for cells 1 wide. Other "
            "weighted sums are hc.stencil({(-1, 0): w, …})(u).",
        ),
        (
            (-1, 1),
            "Kernel 'differ' takes a derivative along x for 'out' (center) with 2 weights; "
            "expected an odd number, as its values are whole cells from there.",
        ),
    ],
)
def test_weights_that_are_no_derivative_are_refused(weights, message):
    def differ(u, out):
        out[0, 0] = hc.d(u, "x", weights=weights)

    assert traced(differ, *fields()) == message


def test_weights_along_a_stretched_axis_are_refused():
    grid = hc.Grid((4, 4), periodic=True, spacing=((1.0, 2.0, 2.0, 1.0), 1.0))

    def differ(u, out):
        out[0, 0] = hc.d(u, "x", weights=(-0.5, 0, 0.5))

    assert traced(differ, grid.field("u"), grid.field("out")) == (
        "Kernel 'differ' takes a derivative with weights along x, whose cells have widths of their "
        "own; expected one width, for which the weights are."
    )


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (
            [1, 2],
            "'hc.stencil' was given [1, 2]; expected a dictionary of weights, as "
            "{(-1, 0): 1.0, (0, 0): -1.0}.",
        ),
        ({(0, 0): 0}, "'hc.stencil' was given no weight but 0; expected some."),
        (
            {(1,): 1, (1, 0): 1},
            "'hc.stencil' was given neighbours along 1 and along 2 axes; expected one number of "
            "cells for each axis of a grid.",
        ),
        (
            {(1.5, 0): 1},
            "'hc.stencil' was given the neighbour (1.5, 0); expected whole numbers of cells, one "
            "an axis, as (-1, 0).",
        ),
        (
            {(1, 0): np.nan},
            "The weight of neighbour (1, 0) of 'hc.stencil' was given nan; expected a finite "
            "number.",
        ),
    ],
)
def test_what_no_stencil_can_be_made_of(weights, message):
    assert told(KernelError, lambda: hc.stencil(weights)) == message


@pytest.mark.parametrize(
    ("stencil", "operand", "message"),
    [
        (
            hc.stencil({(1, 0, 0): 1.0}),
            None,
            "A stencil along x, y, z was applied to a value of a grid along x, y.",
        ),
        (
            hc.stencil({(1, 0): 1.0}),
            5,
            "A stencil was applied to 5; expected a field of a kernel, or an expression of fields.",
        ),
    ],
)
def test_what_no_stencil_is_applied_to(stencil, operand, message):
    def apply(u, out):
        out[0, 0] = stencil(operand or u)

    assert traced(apply, *fields()) == message
