"""Grids that close with a shift: what leaves across one side enters elsewhere across the other."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import halocline as hc
from halocline.language.spaces.translations import translations_of


@hc.kernel
def advect(u, v):
    v[0, 0] = u[-1, 0]


def test_what_goes_around_a_twisted_torus_comes_back():
    nx, ny, shift = 6, 8, 3
    grid = hc.Grid((nx, ny), periodic=True, shift={"x": (0, shift)})
    u, v = grid.field("u"), grid.field("v")
    start = np.random.default_rng(1).random((nx, ny))
    u.set(start)
    simulation = hc.Simulation(grid, [advect(u, v), hc.swap(u, v)], threads=1, target="numpy")
    simulation.run(nx, progress=False)
    # Once around all is 'shift' cells further along y.
    assert np.array_equal(u.gather(), np.roll(start, shift, 1))
    simulation.run((ny - 1) * nx, progress=False)
    assert np.array_equal(u.gather(), start)


@hc.kernel
def sum_around(u, v):
    v[0, 0, 0] = u[1, 0, 0] + 2 * u[-1, 1, 0] + 3 * u[1, 1, 1] + 4 * u[0, -1, 1] + 5 * u[-1, -1, -1]


def seen(u, offset, shift):
    """Return what lies at an offset: z is straight, y shifts along z, x along y and z."""
    result = np.empty_like(u)
    nx, ny, nz = u.shape
    (_, xy, xz), (_, _, yz), _ = shift
    for x, y, z in np.ndindex(u.shape):
        i, j, k = x + offset[0], y + offset[1], z + offset[2]
        times, i = divmod(i, nx)
        j, k = j + times * xy, k + times * xz
        times, j = divmod(j, ny)
        result[x, y, z] = u[i, j, (k + times * yz) % nz]
    return result


@pytest.mark.parametrize("blocks", [1, 4])
@pytest.mark.parametrize("strategy", [hc.Strategy(), hc.Strategy(neighbours="staged", depth=2)])
def test_sides_shift_along_two_axes(blocks, strategy):
    shift = {"x": (0, 9, -2), "y": (0, 0, 3)}
    grid = hc.Grid((8, 8, 8), periodic=True, shift=shift)
    u, v = grid.field("u"), grid.field("v")
    start = np.random.default_rng(2).random((8, 8, 8))
    u.set(start)
    steps = [sum_around(u, v), hc.swap(u, v)]
    hc.Simulation(grid, steps, threads=1, blocks=blocks, strategy=strategy).run(2, progress=False)
    ways = [(1, 0, 0), (-1, 1, 0), (1, 1, 1), (0, -1, 1), (-1, -1, -1)]
    for _ in range(2):
        total = 0.0
        for factor, way in enumerate(ways, start=1):
            total = total + factor * seen(start, way, ((0, 9, -2), (0, 0, 3), (0, 0, 0)))
        start = total
    assert np.array_equal(u.gather(), start)


def test_shifts_are_less_than_once_around():
    grid = hc.Grid((8, 8, 8), periodic=True, shift={"x": (0, 9, -2), "y": (0, 0, 3)})
    # 9 along y are once around, which moves by 3 along z, and 1.
    assert grid.shifts == ((0, 1, 1), (0, 0, 3), (0, 0, 0))
    assert hc.Grid((8, 8), periodic=True, shift={"x": (0, 16)}).shifts == ()


def test_turns_come_before_those_that_they_are_moved_along():
    found = translations_of((4, 6), (True, True), ((0, 0), (1, 0)))
    assert [translation.axis for translation in found] == [1, 0]
    assert found[0].way == (-1, 6)


@pytest.mark.parametrize("shift", [2, 5])
@pytest.mark.parametrize("blocks", [1, 4])
def test_every_cell_beyond_belongs_to_one_block(shift, blocks):
    grid = hc.Grid((6, 7), periodic=True, shift={"x": (0, shift)})
    u, v = grid.field("u"), grid.field("v")
    plan = hc.plan_for(grid, [advect(u, v)], blocks=blocks)
    split = plan.decomposition
    for x, y in product(range(-7, 13), range(-8, 15)):
        ((block, way),) = split.base.meeting(hc.Box((x, y), (x + 1, y + 1)))
        times, i = divmod(x, 6)
        j = (y + times * shift) % 7
        assert (x - way[0], y - way[1]) == (i, j)
        assert block.box.contains(hc.Box((i, j), (i + 1, j + 1)))


def test_points_see_and_weight_cells_across_a_side_that_shifts():
    shift, where = 3, np.array([[0.25, 2.0], [7.9, 5.1], [0.0, 0.2], [4.3, 4.0]])
    grid = hc.Grid((8, 6), periodic=True, shift={"x": (0, shift)})
    u = grid.field("u")
    start = np.random.default_rng(3).random((8, 6))
    u.set(start)
    points = hc.Points(where)
    record = points.record(u)
    steps = [points.inject(2.0, into=u), record]
    simulation = hc.Simulation(grid, steps, threads=1, blocks=4)
    simulation.run(1, progress=False)
    expected = start.copy()
    near = []
    for x, y in where - 0.5:
        i, j = int(np.floor(x)), int(np.floor(y))
        fx, fy = x - i, y - j
        cells = []
        for di, dj in product((0, 1), repeat=2):
            times, a = divmod(i + di, 8)
            weight = (fx if di else 1 - fx) * (fy if dj else 1 - fy)
            cells.append(((a, (j + dj + times * shift) % 6), weight))
        near.append(cells)
    for cells in near:
        for cell, weight in cells:
            expected[cell] += 2.0 * weight
    assert np.allclose(u.gather(), expected, rtol=0, atol=1e-15)
    values = [sum(weight * expected[cell] for cell, weight in cells) for cells in near]
    assert np.allclose(record.values[-1], values, rtol=0, atol=1e-14)


@hc.kernel
def widened(fine, coarse):
    coarse[0, 0] = fine[0, 0] + 2 * fine[-1, 0] + 3 * fine[2, 1]


@hc.kernel
def gathered(coarse, sums):
    sums[0, 0] = coarse[-1, 0] + 2 * coarse[1, -1] + 4 * hc.index("y")[-1, 0]


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("blocks", [1, 2])
def test_grids_of_a_family_shift_alike(whole, blocks):
    grid = hc.Grid((8, 12), periodic=True, shift={"x": (0, 4)})
    half = grid.coarsen(2).replicated() if whole else grid.coarsen(2)
    assert half.shifts == ((0, 2), (0, 0))
    fine, coarse, sums = grid.field("fine"), half.field("coarse"), half.field("sums")
    start = np.random.default_rng(4).random((8, 12))
    fine.set(start)
    steps = [widened(fine, coarse), gathered(coarse, sums)]
    hc.Simulation(grid, steps, threads=1, blocks=blocks).run(1, progress=False)

    def at(u, i, j, shift):
        return seen(u[:, :, None], (i, j, 0), ((0, shift, 0), (0, 0, 0), (0, 0, 0)))[:, :, 0]

    made = (start + 2 * at(start, -1, 0, 4) + 3 * at(start, 2, 1, 4))[::2, ::2]
    y = np.indices((4, 6))[1]
    expected = at(made, -1, 0, 2) + 2 * at(made, 1, -1, 2) + 4 * at(y, -1, 0, 2)
    assert np.array_equal(sums.gather(), expected)


@pytest.mark.parametrize(("kind", "blocks"), [("linear", 1), ("linear", 4), ("cubic", 3)])
def test_what_is_injected_beside_a_shifted_side_reaches_the_cells_there(kind, blocks):
    nx, ny, shift = 12, 16, 5
    grid = hc.Grid((nx, ny), periodic=True, shift={"x": (0, shift)})
    u = grid.field("u")
    points = [(0.2, 3.1), (11.9, 7.3), (0.01, 0.01), (11.99, 15.99)]
    amounts = [1.0, 2.0, 3.0, 4.0]
    inject = hc.Points(points, kind).inject(amounts, into=u)
    options = {"threads": 1, "blocks": blocks, "strategy": hc.Strategy(poison=True)}
    hc.Simulation(grid, [inject], **options).run(1, progress=False)
    expected = np.zeros((nx, ny))
    for (x, y), amount in zip(points, amounts, strict=True):
        for (i, a), (j, b) in product(shares(kind, x), shares(kind, y)):
            around = i // nx
            expected[i % nx, (j + around * shift) % ny] += amount * a * b
    assert np.allclose(u[...], expected, atol=1e-13)


def shares(kind, x):
    """Return the cells along an axis among which a point is shared, and how much each gets."""
    first, near = int(np.floor(x - 0.5)), {"linear": (0, 1), "cubic": (-1, 0, 1, 2)}[kind]
    at = x - 0.5 - first
    return [(first + a, np.prod([(at - b) / (a - b) for b in near if b != a])) for a in near]


@hc.kernel
def rise(u, w):
    w[0, 0, 0] = hc.d(u, "z")


@hc.kernel
def spread(u, w, v):
    v[0, 0, 0] = u + 0.1 * hc.d(w, "z") + 0.1 * (u[1, 0, 0] - u[0, 0, 0])


@hc.kernel
def turn(v, u):
    u[0, 0, 0] = v + 0.1 * (v[-1, 1, 0] + v[-1, -1, 0] + v[0, 0, 1] - 3 * v)


def test_layers_at_walls_are_produced_across_a_side_that_shifts():
    nx, ny, nz, shift = 12, 16, 9, 7
    start = np.random.default_rng(3).random((nx, ny, nz))

    def computed(**options):
        periodic = (True, True, False)
        grid = hc.Grid((nx, ny, nz), periodic=periodic, shift={"x": (0, shift, 0)})
        u, v, w = grid.field("u"), grid.field("v"), grid.field("w", location="z_face")
        w.boundary("z-", hc.Dirichlet(lambda x: hc.sin(x + 0.5)))
        w.boundary("z+", hc.Dirichlet(0.25))
        v.boundary("z+", hc.Robin(1.0, 0.5, 0.7))
        u.set(start)
        steps = [rise(u, w), spread(u, w, v), turn(v, u)]
        hc.Simulation(grid, steps, threads=1, **options).run(3, progress=False)
        return u[...]

    expected = start
    for _ in range(3):
        w = np.zeros((nx, ny, nz + 1))
        w[..., 1:-1] = np.diff(expected, axis=2)
        w[..., 0], w[..., -1] = np.sin(np.arange(nx) + 1.0)[:, None], 0.25
        above = np.concatenate([expected[1:], np.roll(expected[:1], -shift, 1)])
        v = expected + 0.1 * np.diff(w, axis=2) + 0.1 * (above - expected)
        below = np.concatenate([np.roll(v[-1:], shift, 1), v[:-1]])
        # (v + top) / 2 + 0.5 (top - v) = 0.7
        up = np.concatenate([v[..., 1:], np.full((nx, ny, 1), 0.7)], axis=2)
        expected = v + 0.1 * (np.roll(below, -1, 1) + np.roll(below, 1, 1) + up - 3 * v)
    found = computed()
    assert np.allclose(found, expected, rtol=1e-12)
    for overlap, depth in (("core-first", 1), ("rim-first", 2), ("postponed", 1)):
        strategy = hc.Strategy(overlap=overlap, depth=depth, poison=True)
        assert np.array_equal(found, computed(blocks=2, strategy=strategy))
