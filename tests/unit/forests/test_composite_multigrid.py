"""Multigrid on forests: the solution of the composite grid's equation, in as few cycles."""

from __future__ import annotations

import numpy as np
import pytest
from plain_forests import PlainForest
from unit.forests.test_forest_steps import heat, values
from unit.forests.test_leaves import random_wanted

import halocline as hc

POISON = hc.Strategy(poison=True)


def applied(plain, u, shift):
    """Return 'shift u - laplacian(u)' of all levels: fluxes between levels are the finer one's."""
    u = list(u)
    for l in reversed(range(plain.finest)):
        u[l] = np.where(plain.is_refined[l], plain.restricted(u[l + 1]), u[l])
    for l in range(plain.finest):
        inner = plain.is_leaf[l + 1] | plain.is_refined[l + 1]
        u[l + 1] = np.where(inner, u[l + 1], plain.prolonged(u[l]))
    result, finer = [None] * len(u), None
    for l in reversed(range(plain.finest + 1)):
        fluxes = []
        result[l] = shift * u[l]
        for axis in range(u[l].ndim):
            flux = (u[l] - plain.beside(u[l], axis, -1)) * 2**l
            if finer is not None:
                is_finer = plain.is_refined[l] | plain.beside(plain.is_refined[l], axis, -1)
                flux = np.where(is_finer, mean_on_faces(finer[axis], axis), flux)
            high = plain.beside(flux, axis, 1)
            if not plain.periodic[axis]:
                np.moveaxis(flux, axis, 0)[0] = np.moveaxis(high, axis, 0)[-1] = 0
            result[l] = result[l] - (high - flux) * 2**l
            fluxes.append(flux)
        finer = fluxes
    return result


def mean_on_faces(flux, axis):
    for a in range(flux.ndim):
        pair = [np.take(flux, np.arange(k, flux.shape[a], 2), a) for k in (0, 1)]
        flux = pair[0] if a == axis else 0.5 * (pair[0] + pair[1])
    return flux


@pytest.mark.parametrize(("dimensions", "seed"), [(1, 0), (2, 0), (2, 1), (2, 2), (3, 0)])
def test_the_solution_on_random_forests_is_that_of_a_plain_operator(dimensions, seed):
    extent, periodic = (16, 24, 16)[:dimensions], (True, False, True)[:dimensions]
    wanted = random_wanted(seed, extent)
    forest = hc.Forest(extent, block=8, finest=3, refine=wanted, periodic=periodic)
    plain = PlainForest(extent, 8, 3, wanted, periodic)
    u, f = forest.field("u"), forest.field("f")
    u.boundary(forest.sides, hc.Neumann(0.0))
    f.set(lambda *at: sum(np.sin(3.7 * (n + 1) * x + n) for n, x in enumerate(at)))
    poisson = hc.Multigrid(lambda u: 0.1 * u - hc.laplacian(u), u, f)
    simulation = hc.Simulation(forest, [*poisson.cycle], strategy=POISON)
    simulation.run(15, progress=False)
    found = applied(plain, values(u, plain), 0.1)
    for right, left, is_leaf in zip(values(f, plain), found, plain.is_leaf, strict=True):
        assert np.allclose(left[is_leaf], right[is_leaf], rtol=0, atol=1e-9)


def problem(dimensions, cells, *, periodic=False, finest=2, block=8):
    """Return u, f, and the exact solution of -laplacian(u) = f.

    Where levels meet depends on the number of blocks alone.
    """
    spacing = 2 * np.pi / cells

    def wanted(*at):
        blocks = np.broadcast_arrays(*(x / spacing / block for x in at))
        middle = np.max([abs(b - 2.0) for b in blocks], axis=0)
        return np.where(middle < 0.1, finest, np.where(middle < 0.9, min(finest, 1), 0))

    forest = hc.Forest(
        (cells,) * dimensions,
        block=block,
        finest=finest,
        refine=wanted,
        periodic=periodic,
        spacing=spacing,
    )

    def exact(*at):
        return np.prod(np.broadcast_arrays(*(np.sin(x) for x in at)), axis=0)

    u, f = forest.field("u"), forest.field("f")
    if not periodic:
        u.boundary(forest.sides, hc.Dirichlet(0.0))
    f.set(lambda *at: dimensions * exact(*at))
    return u, f, exact


def residuals(u, multigrid, cycles):
    steps = [*multigrid.update, *multigrid.cycle]
    simulation = hc.Simulation(u.forest, steps, strategy=POISON, threads=1)
    found = []
    for _ in range(cycles):
        simulation.run(1, progress=False)
        found.append(simulation.reduce(multigrid.residual))
    return np.array(found)


def minus_laplacian(u):
    return -hc.laplacian(u)


def through(u, k):
    along = [hc.d(hc.average(k, axis) * hc.d(u, axis), axis) for axis in "xy"]
    return -(along[0] + along[1])


@pytest.mark.parametrize(
    ("dimensions", "cells", "block", "cycle"),
    [(2, 32, 8, "V"), (2, 64, 4, "V"), (2, 32, 8, "F"), (3, 16, 4, "V")],
)
def test_each_cycle_makes_the_residual_as_much_smaller_as_on_a_uniform_grid(
    dimensions, cells, block, cycle
):
    u, f, _ = problem(dimensions, cells, block=block)
    found = residuals(u, hc.Multigrid(minus_laplacian, u, f, cycle=cycle), 7)
    assert (found[1:] / found[:-1] < 0.17).all()


def test_coefficients_may_vary_on_all_levels():
    u, f, _ = problem(2, 32, periodic=True)
    k = u.forest.field("k")
    k.set(lambda x, y: 1.0 + 0.5 * np.sin(x) * np.cos(y))
    f.set(lambda x, y: np.sin(x) * np.cos(3 * y) + 0.3)
    multigrid = hc.Multigrid(lambda u, k: 0.01 * u + through(u, k), u, f, coefficients=[k])
    found = residuals(u, multigrid, 7)
    assert (found[1:] / found[:-1] < 0.2).all()


@pytest.mark.parametrize(("dimensions", "cells"), [(2, 32), (3, 16)])
def test_the_solution_is_second_order_in_the_greatest_error(dimensions, cells):
    errors = []
    for n in (cells, 2 * cells):
        u, f, exact = problem(dimensions, n, block=4 * n // cells, finest=1)
        residuals(u, hc.Multigrid(minus_laplacian, u, f), 7)
        pairs = [
            (array, exact(*field.coordinates(block.box)))
            for field in u.levels
            for block, array in zip(field.storage.blocks, field.local(), strict=True)
        ]
        errors.append(max(np.abs(array - right).max() for array, right in pairs))
    assert errors[0] / errors[1] > 3.5


def test_nothing_is_lost_between_levels():
    u, f, _ = problem(2, 32, periodic=True)
    f.set(lambda x, y: 1.0 + np.sin(3 * x) * y)
    multigrid = hc.Multigrid(lambda u: 0.01 * u - hc.laplacian(u), u, f)
    simulation = hc.Simulation(u.forest, [*multigrid.cycle], strategy=POISON)
    simulation.run(16, progress=False)
    left, given = (simulation.reduce(hc.sum(field)) for field in (u, f))
    assert 0.01 * left == pytest.approx(given, rel=1e-12)


def test_where_f_exceeds_all_that_has_a_solution_the_excess_is_found():
    u, f, _ = problem(2, 32, periodic=True)
    f.set(lambda x, y: 2.0 + np.sin(3 * x) * y)
    multigrid = hc.Multigrid(minus_laplacian, u, f)
    found = residuals(u, multigrid, 8)
    assert (found[2:] / found[1:-1] < 0.17).all()
    mean = hc.Simulation(u.forest, [multigrid.cycle]).reduce(hc.sum(f)) / 32**2
    assert multigrid.excess.value == pytest.approx(mean, rel=1e-9)


def test_residuals_of_two_systems_of_one_forest_are_their_own():
    u, f, _ = problem(2, 32)
    v, g = u.forest.field("v"), u.forest.field("g")
    v.boundary(u.forest.sides, hc.Dirichlet(0.0))
    g.set(0.0)
    first, second = (hc.Multigrid(minus_laplacian, *pair) for pair in ((u, f), (v, g)))
    simulation = hc.Simulation(u.forest, [*first.cycle, *second.cycle], threads=1)
    simulation.run(1, progress=False)
    assert simulation.reduce(first.residual) > 1e-3
    assert simulation.reduce(second.residual) == 0.0


def test_cycles_stand_among_steps_that_are_sub_cycled():
    u, f, _ = problem(2, 32)
    T, T_new = u.forest.field("T"), u.forest.field("T_new")
    for side in u.forest.sides:
        T.boundary(side, hc.Neumann(0.0))
    T.set(1.0)

    @hc.kernel
    def add(T, u):
        T[0, 0] = T[0, 0] + 0.0 * u[1, 0]

    multigrid = hc.Multigrid(minus_laplacian, u, f)
    solve = hc.until(multigrid.residual < 1e-8, *multigrid.cycle, max_iterations=12)
    a = hc.PerLevel(lambda level: 0.01 * 2**level)
    steps = [heat(T, T_new, a=a), hc.swap(T, T_new), solve, add(T, u)]
    simulation = hc.Simulation(u.forest, steps, strategy=POISON)
    simulation.run(2, progress=False)
    assert simulation.reduce(multigrid.residual) < 1e-8
    assert all((array == 1.0).all() for field in T.levels for array in field.local())


def test_what_cannot_be_solved_on_a_forest_is_refused():
    u, f, _ = problem(2, 32)
    with pytest.raises(hc.HaloclineError, match="reads it further away; expected one that reads"):
        hc.Multigrid(lambda u: -hc.laplacian(u, accuracy=4), u, f)
    with pytest.raises(hc.HaloclineError, match="uses the index of the cell; expected one that"):
        hc.Multigrid(lambda u: -hc.laplacian(u) * (1 + hc.index("x")), u, f)
    with pytest.raises(hc.HaloclineError, match="beside fields of a forest; expected fields"):
        hc.Multigrid(minus_laplacian, u, f.level(0))
    with pytest.raises(hc.HaloclineError, match=r"expected a list. Write coefficients=\[f\]"):
        hc.Multigrid(through, u, f, coefficients=f)
    long = hc.Forest((4, 164), block=4, finest=0, refine=lambda x, y: 0 * x * y)
    v, g = long.field("v"), long.field("g")
    v.boundary(long.sides, hc.Dirichlet(0.0))
    with pytest.raises(hc.HaloclineError, match=r"as far as \(2, 82\); expected 40 cells or fewer"):
        hc.Multigrid(minus_laplacian, v, g)
    poisson = hc.Multigrid(minus_laplacian, u, f)
    simulation = hc.Simulation(u.forest, [heat(u, f, a=0.1)])
    with pytest.raises(hc.HaloclineError, match=r"Level -\d of a forest is used, which the simul"):
        simulation.execute(*poisson.cycle)
