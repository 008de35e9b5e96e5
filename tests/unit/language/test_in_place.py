"""In place: a kernel may read neighbours in what it assigns, where it assigns none of these."""

from __future__ import annotations

import numpy as np
import pytest

import halocline as hc
from halocline.errors import KernelError


@hc.kernel
def relax(u, *, count, colour, factors=(1, 1)):
    total = factors[0] * hc.index("x") + factors[1] * hc.index("y")
    around = u[1, 0] + u[-1, 0] + u[0, 1] + u[0, -1]
    u[0, 0] = hc.where((total & (count - 1)) == colour, 0.25 * around, u[0, 0])


@hc.kernel
def diagonal(u):
    is_mine = ((hc.index("x") + hc.index("y")) & 1) == 0
    u[0, 0] = hc.where(is_mine, u[1, 1], u[0, 0])


@hc.kernel
def diagonal_of_four(u):
    is_mine = (hc.index("x") & 1 == 0) & (hc.index("y") & 1 == 1)
    u[0, 0] = hc.where(is_mine, u[1, 1], u[0, 0])


@hc.kernel
def march(u):
    u[0, 0] = 0.5 * (u[-1, -1] + u[1, -1])


def stepped(u, *steps):
    simulation = hc.Simulation(u.grid, steps, threads=1, decomposition=(2, 2), blocks=4)
    simulation.run(1, progress=False)
    return u.gather()


def a_field(extent=(8, 6), *, periodic=True):
    u = hc.Grid(extent, periodic=periodic).field("u")
    values = np.random.default_rng(3).random(extent)
    u.set(values)
    return u, values


def relaxed(values, is_mine):
    around = sum(np.roll(values, d, axis) for axis in (0, 1) for d in (-1, 1))
    return np.where(is_mine, 0.25 * around, values)


def test_cells_of_one_colour_read_those_of_the_others():
    u, values = a_field()
    i, j = np.indices(values.shape)
    for colour in (0, 1):
        values = relaxed(values, (i + j) % 2 == colour)
    np.testing.assert_allclose(
        stepped(u, relax(u, count=2, colour=0), relax(u, count=2, colour=1)), values, rtol=1e-15
    )


def test_four_colours():
    u, values = a_field((8, 8))
    i, j = np.indices(values.shape)
    expected = relaxed(values, (i + 2 * j) % 4 == 3)
    found = stepped(u, relax(u, count=4, colour=3, factors=(1, 2)))
    np.testing.assert_allclose(found, expected, rtol=1e-15)


def test_one_of_two_conditions_is_enough():
    u, values = a_field()
    i, j = np.indices(values.shape)
    shifted = np.roll(values, (-1, -1), (0, 1))
    expected = np.where((i % 2 == 0) & (j % 2 == 1), shifted, values)
    assert (stepped(u, diagonal_of_four(u)) == expected).all()


@pytest.mark.parametrize("changes", [False, True])
def test_cells_of_one_colour_in_a_mask(changes):
    u, values = a_field()
    mask = u.grid.field("mask", dtype=bool)
    is_inside = np.random.default_rng(4).random(values.shape) < 0.6
    mask.set(is_inside)

    @hc.kernel
    def turned(mask):
        mask[0, 0] = ~mask[0, 0]

    i, j = np.indices(values.shape)
    values = relaxed(values, ((i + j) % 2 == 0) & is_inside)
    found = stepped(u, relax(u, count=2, colour=0, on=mask), *([turned(mask)] if changes else []))
    np.testing.assert_allclose(found, values, rtol=1e-15)


def test_one_colour_of_those_where_a_condition_holds():
    u, values = a_field()

    @hc.kernel
    def chosen(u):
        around = 0.25 * (u[1, 0] + u[-1, 0] + u[0, 1] + u[0, -1])
        is_even = (hc.index("x") + hc.index("y")) % 2 == 0
        u[0, 0] = hc.where(u[0, 0] > 0.5, hc.where(is_even, around, u[0, 0]), u[0, 0])

    i, j = np.indices(values.shape)
    expected = relaxed(values, ((i + j) % 2 == 0) & (values > 0.5))
    np.testing.assert_allclose(stepped(u, chosen(u)), expected, rtol=1e-15)


def test_the_old_value_may_come_first():
    @hc.kernel
    def keep_first(u):
        u[0, 0] = hc.where((hc.index("x") & 1) == 1, u[0, 0], u[1, 0])

    u, values = a_field()
    expected = values.copy()
    expected[::2] = values[1::2]
    assert (stepped(u, keep_first(u)) == expected).all()


def test_a_layer_may_be_computed_from_the_one_before():
    u, values = a_field(periodic=(True, False))
    steps = [march(u, on=hc.Box((0, k), (8, k + 1))) for k in range(1, 6)]
    for k in range(1, 6):
        before = values[:, k - 1]
        values[:, k] = 0.5 * (np.roll(before, 1) + np.roll(before, -1))
    assert (stepped(u, *steps) == values).all()


@pytest.mark.parametrize(
    ("call", "extent"),
    [
        (diagonal, (8, 6)),  # the same colour
        (lambda u: relax(u, count=4, colour=0, factors=(1, 4)), (8, 8)),  # the same along y
        (lambda u: march(u, on=hc.Box((0, 1), (8, 3))), (8, 6)),  # a box of two layers
        (lambda u: march(u, on=hc.Box((0, 0), (8, 1))), (8, 1)),  # the layer is its own neighbour
    ],
)
def test_neighbours_that_are_assigned_too_are_refused(call, extent):
    u, _ = a_field(extent)
    with pytest.raises(KernelError, match="old or new by chance"):
        call(u)


def test_colours_that_do_not_fit_where_the_grid_closes_are_refused():
    u, _ = a_field((7, 6))
    with pytest.raises(KernelError, match="do not fit where the periodic grid closes"):
        relax(u, count=2, colour=0)
    u, _ = a_field((7, 6), periodic=(False, True))
    relax(u, count=2, colour=0)


def test_a_choice_that_keeps_another_value_is_no_colour():
    @hc.kernel
    def no_colour(u):
        u[0, 0] = hc.where((hc.index("x") & 1) == 1, u[1, 0], u[0, 1])

    u, _ = a_field()
    with pytest.raises(KernelError, match="old or new by chance"):
        no_colour(u)


@hc.kernel
def into_holes(u, hole):
    """Give a hole what its neighbours in x and y have, where these are none."""
    for there in ((1, 0), (0, 1)):
        around = hc.where(hole == 0, u[0, 0], 0.0)
        u[there] = hc.where((hole[there] != 0) & (hole[0, 0] == 0), 0.5 * around, u[there])


def test_what_lies_in_cells_of_one_kind_may_be_made_of_the_others():
    u, values = a_field()
    hole = u.grid.field("hole", dtype="uint8")
    is_hole = np.random.default_rng(4).random(values.shape) < 0.4
    hole.set(is_hole)
    for axis in (0, 1):
        before = np.roll(values, 1, axis)
        values = np.where(is_hole & ~np.roll(is_hole, 1, axis), 0.5 * before, values)
    np.testing.assert_array_equal(stepped(u, into_holes(u, hole)), values)


def _unguarded(u, hole):
    u[1, 0] = hc.where(hole[1, 0] != 0, u[0, 0], u[1, 0])


def _guarded_elsewhere(u, hole):
    u[1, 0] = hc.where(hole[1, 0] != 0, hc.where(hole[0, 1] == 0, u[0, 0], 0.0), u[1, 0])


def _guarded_once(u, hole):
    around = hc.where(hole == 0, u[0, 0], 0.0) + u[0, 0]
    u[1, 0] = hc.where(hole[1, 0] != 0, around, u[1, 0])


def _of_changing_kind(u, hole):
    hole[0, 0] = 1 - hole
    u[1, 0] = hc.where(hole[1, 0] != 0, hc.where(hole[0, 0] == 0, u[0, 0], 0.0), u[1, 0])


@pytest.mark.parametrize(
    "function", [_unguarded, _guarded_elsewhere, _guarded_once, _of_changing_kind]
)
def test_cells_that_may_be_of_the_same_kind_are_refused(function):
    u, _ = a_field()
    hole = u.grid.field("hole", dtype="uint8")
    with pytest.raises(KernelError, match="old or new by chance"):
        hc.kernel(function)(u, hole)


@pytest.mark.parametrize("periodic", [False, True])
def test_a_kernel_runs_in_the_cells_of_a_mask_that_lie_in_a_box(periodic):
    u, values = a_field(periodic=periodic)
    mask = u.grid.field("mask", dtype=bool)
    is_inside = np.random.default_rng(4).random(values.shape) < 0.6
    mask.set(is_inside)

    @hc.kernel
    def shifted(u):
        u[0, 0] = 2.0 * u[0, 0]

    found = stepped(u, shifted(u, on=(mask, hc.Box((1, 0), (7, 4)))))
    is_inside[[0, 7]] = False
    is_inside[:, 4:] = False
    assert (found == np.where(is_inside, 2.0 * values, values)).all()
