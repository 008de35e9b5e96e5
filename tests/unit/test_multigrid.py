"""Multigrid: the solution is that of the discrete system, in few cycles, to the same bits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import spsolve

import halocline as hc
from halocline.errors import GridError, KernelError


def minus_laplacian(u):
    return -hc.laplacian(u)


def through(u, k):
    along = [hc.d(hc.average(k, axis) * hc.d(u, axis), axis) for axis in "xy"]
    return -(along[0] + along[1])


def problem(extent=(32, 32), *, periodic=False, boundary=None, **options):
    """Return u, f and random values of f."""
    spacing = options.pop("spacing", tuple(1 / n for n in extent))
    grid = hc.Grid(extent, periodic=periodic, spacing=spacing)
    u, f = (grid.field(name, **options) for name in ("u", "f"))
    for axis, closes in zip("xyz", grid.periodic, strict=False):
        for side in () if closes else "-+":
            u.boundary(axis + side, boundary or hc.Dirichlet(0.0))
    values = np.random.default_rng(1).standard_normal(extent)
    f.set(values)
    return u, f, values


def residuals(u, multigrid, cycles, **options):
    options = {"threads": 1} | options
    simulation = hc.Simulation(u.grid, [*multigrid.update, *multigrid.cycle], **options)
    found = [simulation.reduce(multigrid.residual)]
    for _ in range(cycles):
        simulation.run(1, progress=False)
        found.append(simulation.reduce(multigrid.residual))
    return np.array(found)


def second_difference(n, low, high):
    """Return the matrix of -d2/dx2 on n cells of (0, 1): 1 at a Dirichlet, -1 at a Neumann side."""
    matrix = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], (n, n)).tolil()
    matrix[0, 0] += low
    matrix[-1, -1] += high
    return matrix.tocsr() * n * n


def test_the_solution_is_that_of_a_sparse_solver():
    u, f, values = problem((32, 16))
    u.boundary("y+", hc.Neumann(0.0))
    residuals(u, hc.Multigrid(minus_laplacian, u, f), 14)
    along = second_difference(32, 1, 1), second_difference(16, 1, -1)
    matrix = sparse.kron(along[0], sparse.eye(16)) + sparse.kron(sparse.eye(32), along[1])
    expected = spsolve(matrix.tocsr(), values.ravel()).reshape(32, 16)
    np.testing.assert_allclose(u.gather(), expected, atol=1e-12)


def test_prescribed_values_count_on_the_finest_grid_only():
    u, f, _ = problem((16, 16), boundary=hc.Dirichlet(3.0))
    f.set(0.0)
    residuals(u, hc.Multigrid(minus_laplacian, u, f), 12)
    np.testing.assert_allclose(u.gather(), 3.0, atol=1e-9)


@pytest.mark.parametrize(
    ("extent", "options", "factor"),
    [
        ((64, 64), {}, 0.12),
        ((64, 64), {"periodic": (True, False)}, 0.12),
        ((96, 48), {}, 0.12),
        ((64, 64), {"spacing": (1.0, 0.1)}, 0.2),
        ((16, 16, 16), {}, 0.2),
    ],
)
def test_each_cycle_makes_the_residual_smaller(extent, options, factor):
    u, f, _ = problem(extent, **options)
    found = residuals(u, hc.Multigrid(minus_laplacian, u, f), 8)
    assert (found[1:] / found[:-1] < factor).all()


def test_twelve_cycles_are_enough_at_256_x_256():
    u, f, _ = problem((256, 256))
    found = residuals(u, hc.Multigrid(minus_laplacian, u, f), 12)
    assert found[-1] < 1e-10 * found[0]


def test_an_f_cycle_does_more():
    found = []
    for kind in ("V", "F"):
        u, f, _ = problem((64, 64))
        found.append(residuals(u, hc.Multigrid(minus_laplacian, u, f, cycle=kind), 6)[-1])
    assert found[1] < 0.5 * found[0]


def test_coefficients_may_vary():
    u, f, _ = problem((64, 64))
    k = u.grid.field("k")
    for side in ("x-", "x+", "y-", "y+"):
        k.boundary(side, hc.Neumann(0.0))
    k.set(lambda x, y: 1.0 + 0.9 * np.sin(6 * x) * np.cos(5 * y))
    found = residuals(u, hc.Multigrid(through, u, f, coefficients=[k]), 8)
    assert (found[1:] / found[:-1] < 0.25).all()


def test_an_operator_that_reads_further_is_relaxed_into_a_second_field():
    u, f, values = problem((64, 64), periodic=True)
    f.set(values - values.mean())
    multigrid = hc.Multigrid(lambda u: -hc.laplacian(u, accuracy=4), u, f)
    found = residuals(u, multigrid, 8)
    assert (found[1:] / found[:-1] < 0.4).all()


def test_coarse_grids_have_as_many_cells_as_the_operator_reads_beyond_a_side():
    u, f, _ = problem((32, 16))
    found = residuals(u, hc.Multigrid(lambda u: -hc.laplacian(u, accuracy=8), u, f), 8)
    assert (found[2:] / found[1:-1] < 0.6).all()


@pytest.mark.parametrize(
    "options",
    [
        {"blocks": 4},
        {"target": "numpy"},
        {"device": "emulated:2"},
        {"strategy": hc.Strategy(overlap="rim-first", poison=True), "blocks": 2},
        {"strategy": hc.Strategy(overlap="postponed", neighbours="staged"), "blocks": 2},
    ],
)
def test_the_bits_are_the_same(options):
    bits = []
    for given in ({}, options):
        u, f, _ = problem((16, 16))
        residuals(u, hc.Multigrid(minus_laplacian, u, f), 3, **given)
        bits.append(u.gather().tobytes())
    assert bits[0] == bits[1]


def test_the_place_of_a_cell_may_be_used():
    u, f, _ = problem((16, 16))
    found = residuals(u, hc.Multigrid(lambda u: hc.coordinate("x") * u - hc.laplacian(u), u, f), 6)
    assert found[-1] < 1e-4 * found[0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda u, f: hc.Multigrid(u, u, f), "as operator; expected a function of a field"),
        (lambda u, f: hc.Multigrid(minus_laplacian, u, u), "expected two fields of the same cells"),
        (lambda u, f: hc.Multigrid(minus_laplacian, u, 1.0), "was given 1.0; expected a field"),
        (lambda u, f: hc.Multigrid(minus_laplacian, u, f, cycle="W"), "asked for the cycle 'W'"),
        (lambda u, f: hc.Multigrid(lambda u: 1.0, u, f), "The operator does not read 'u'"),
        (
            lambda u, f: hc.Multigrid(lambda u: u[1, 0] - u[-1, 0], u, f),
            "does not use the value of 'u' in the cell itself",
        ),
    ],
)
def test_what_is_no_system_is_refused(make, message):
    u, f, _ = problem((16, 16))
    with pytest.raises((GridError, KernelError)) as error:
        make(u, f)
    assert message in str(error.value)


def test_grids_that_cannot_be_coarsened_are_refused():
    u, f, _ = problem((94, 94))
    with pytest.raises(GridError, match=r"can be coarsened by two as far as \(47, 47\)"):
        hc.Multigrid(minus_laplacian, u, f)


def test_boundaries_that_are_kernels_are_refused():
    @hc.kernel
    def copy(u):
        u[0, 0] = u[1, 0]

    u, f, _ = problem((16, 16))
    u.boundary("x-", copy)
    with pytest.raises(GridError, match=r"expected hc\.Dirichlet, hc\.Neumann or"):
        hc.Multigrid(minus_laplacian, u, f)


def test_a_robin_condition_is_solved_with_its_homogeneous_one_on_coarse_grids():
    n = 64
    grid = hc.Grid((n, n), spacing=1.0 / n)
    u, f = grid.field("u"), grid.field("f")
    # u = x + y: at x = 1 and y = 1 is 2 u + du/dn = 2 (1 + s) + 1, s along the side.
    u.boundary("x-", hc.Dirichlet(lambda y: y))
    u.boundary("y-", hc.Dirichlet(lambda x: x))
    u.boundary("x+", hc.Robin(2.0, 1.0, lambda y: 3.0 + 2.0 * y))
    u.boundary("y+", hc.Robin(2.0, 1.0, lambda x: 3.0 + 2.0 * x))
    f.set(0.0)
    u.set(0.0)
    residuals(u, hc.Multigrid(minus_laplacian, u, f), 16)
    x, y = u.coordinates(grid.domain)
    assert np.abs(u.gather() - (x + y)).max() < 1e-8


def test_where_no_side_holds_the_solution_its_constant_part_is_found():
    small = 0.01
    for periodic, boundary in ((True, None), (False, hc.Neumann(0.0))):
        u, f, values = problem((16, 32), periodic=periodic, boundary=boundary)
        found = residuals(u, hc.Multigrid(lambda u: small * u[0, 0] - hc.laplacian(u), u, f), 14)
        assert found[-1] < 1e-7 * found[0]
        # Without differences at the sides the mean follows from that of the right-hand side.
        assert u[...].mean() == pytest.approx(values.mean() / small, rel=1e-6)


def test_a_system_that_leaves_the_constant_open_is_solved():
    u, f, values = problem((16, 16), boundary=hc.Neumann(0.0))
    f.set(values - values.mean())
    assert residuals(u, hc.Multigrid(minus_laplacian, u, f), 14)[-1] < 1e-8


@pytest.mark.parametrize("cycle", ["V", "F"])
@pytest.mark.parametrize("slope", [None, 0.7])
@pytest.mark.parametrize("extent", [(16, 32), (15, 7)])
def test_where_f_exceeds_all_that_has_a_solution_the_excess_is_found(cycle, slope, extent):
    boundary = None if slope is None else hc.Neumann(slope)
    u, f, values = problem(extent, periodic=slope is None, boundary=boundary)
    f.set(values + 3.0)
    multigrid = hc.Multigrid(minus_laplacian, u, f, cycle=cycle)
    found = residuals(u, multigrid, 16)
    assert found[-1] < 1e-7 * found[0]
    # What flows in through the sides of the unit square counts, too.
    expected = values.mean() + 3.0 + (4 * slope if slope else 0.0)
    assert multigrid.excess.value == pytest.approx(expected, rel=1e-6)


def test_a_held_solution_leaves_no_excess():
    u, f, _ = problem((16, 16))
    multigrid = hc.Multigrid(minus_laplacian, u, f)
    residuals(u, multigrid, 2)
    assert multigrid.excess.value == 0.0


def test_two_systems_of_one_grid_keep_their_coarse_grids_apart():
    alone = []
    for boundary in (hc.Dirichlet(0.0), hc.Neumann(0.0)):
        u, f, _ = problem((16, 16), boundary=boundary)
        residuals(u, hc.Multigrid(minus_laplacian, u, f), 3)
        alone.append(u.gather())
    held, free = u.grid.field("held"), u
    for side in u.grid.sides:
        held.boundary(side, hc.Dirichlet(0.0))
    cycles = [hc.Multigrid(minus_laplacian, field, f).cycle for field in (held, free)]
    u.set(0.0)
    hc.Simulation(u.grid, cycles, threads=1).run(3, progress=False)
    assert np.array_equal(held.gather(), alone[0])
    assert np.array_equal(free.gather(), alone[1])


def test_on_a_grid_that_shifts_the_coarsest_one_has_whole_cells_to_shift():
    nx, ny, shift = 16, 32, 4
    grid = hc.Grid((nx, ny), periodic=True, shift={"x": (0, shift)})
    u, f = grid.field("u"), grid.field("f")
    values = np.random.default_rng(2).standard_normal((nx, ny))
    f.set(values)
    residuals(u, hc.Multigrid(lambda u: 0.1 * u[0, 0] - hc.laplacian(u), u, f), 20)
    found = u[...]
    above = np.concatenate([found[1:], np.roll(found[:1], -shift, 1)])
    below = np.concatenate([np.roll(found[-1:], shift, 1), found[:-1]])
    beside = np.roll(found, 1, 1) + np.roll(found, -1, 1)
    assert np.allclose(4.1 * found - above - below - beside, values, atol=1e-7)


def test_halos_of_several_steps_are_planned_grid_by_grid():
    """A chain over a whole cycle would need 50 cells beside each block, and minutes to plan."""
    u, f, _ = problem((64, 64))
    multigrid = hc.Multigrid(minus_laplacian, u, f, agglomeration_threshold=512)
    options = {"blocks": 2, "strategy": hc.Strategy(depth=2, poison=True)}
    deep = residuals(u, multigrid, 2, **options)
    u.set(0.0)
    assert np.array_equal(deep, residuals(u, multigrid, 2))


@pytest.mark.parametrize(
    ("operator", "options", "message"),
    [
        (lambda u: u[0, 0] ** 2 - hc.laplacian(u), {}, "is not linear in 'u'"),
        (lambda u: 1.0 - hc.laplacian(u), {}, "is not linear in 'u'"),
        (lambda u, k: -k * hc.laplacian(u), {}, "cannot take 'u' and 0 coefficients"),
        (minus_laplacian, {"smoothing": (0, 0)}, r"given smoothing = \(0, 0\); expected two"),
        (minus_laplacian, {"smoothing": 2}, "given smoothing = 2; expected two numbers"),
        (minus_laplacian, {"coefficients": "f"}, r"expected a list. Write coefficients=\[f\]"),
    ],
)
def test_an_operator_or_smoothing_that_cannot_be(operator, options, message):
    u, f, _ = problem()
    if options.get("coefficients"):
        options = {"coefficients": f}
    with pytest.raises(KernelError, match=message):
        hc.Multigrid(operator, u, f, **options)
