"""Conjugate gradients and BiCGSTAB beside NumPy's direct solution of the same matrix."""

import numpy as np
import pytest
from errors.telling import told
from loops import STRATEGIES

import halocline as hc
from halocline.errors import ConvergenceError, PlanError

EXTENT = (7, 6)


@hc.kernel
def diffuse(p, q):
    q[0, 0] = 4.25 * p[0, 0] - p[1, 0] - p[-1, 0] - p[0, 1] - p[0, -1]


@hc.kernel
def drift(p, q):
    q[0, 0] = 5.0 * p[0, 0] - 1.75 * p[1, 0] - 0.25 * p[-1, 0] - 0.5 * p[0, 1] - 1.5 * p[0, -1]


@hc.kernel
def scale(r, z):
    z[0, 0] = r[0, 0] / 4.25


def matrix(center, east, west, north, south):
    """Return a matrix with zero prescribed on sides in x, half a cell out; periodic in y."""
    n = EXTENT[0] * EXTENT[1]
    columns = []
    for unit in np.eye(n):
        a = unit.reshape(EXTENT)
        wide = np.concatenate([-a[:1], a, -a[-1:]])
        q = center * a + east * wide[2:] + west * wide[:-2]
        columns.append((q + north * np.roll(a, -1, 1) + south * np.roll(a, 1, 1)).ravel())
    return np.array(columns).T


def fields(wall=0.0):
    grid = hc.Grid(EXTENT, periodic=(False, True))
    x, b = grid.field("x"), grid.field("b")
    for side in ("x-", "x+"):
        x.boundary(side, hc.Dirichlet(wall))
    values = np.random.default_rng(2).random(EXTENT)
    b.set(values)
    x.set(0.5)
    return grid, x, b, values


DIFFUSION = (4.25, -1.0, -1.0, -1.0, -1.0)
CASES = {
    "conjugate gradients": (hc.conjugate_gradients, diffuse, DIFFUSION, {}),
    "preconditioned": (hc.conjugate_gradients, diffuse, DIFFUSION, {"precondition": scale}),
    "bicgstab": (hc.bicgstab, drift, (5.0, -1.75, -0.25, -0.5, -1.5), {}),
}


@pytest.mark.parametrize("strategy", ["core first", "rim first, two steps deep"])
@pytest.mark.parametrize("name", CASES)
def test_the_solution_of_the_matrix(name, strategy):
    solve, apply, numbers, options = CASES[name]
    grid, x, b, values = fields()
    solver = solve(apply, x, b, tolerance=1e-13, max_iterations=60, **options)
    simulation = hc.Simulation(
        grid, [solver], strategy=STRATEGIES[strategy], decomposition=(1, 2), blocks=2
    )
    simulation.run(1, progress=False)
    expected = np.linalg.solve(matrix(*numbers), values.ravel()).reshape(EXTENT)
    assert np.abs(x.gather() - expected).max() < 1e-12
    assert 5 < solver.iterations.value < 45
    assert solver.residual.value <= 1e-13 * np.linalg.norm(values)


def test_what_is_prescribed_on_sides():
    grid, x, b, values = fields(wall=2.0)
    solver = hc.conjugate_gradients(diffuse, x, b, tolerance=1e-13)
    hc.Simulation(grid, [solver], strategy=hc.Strategy()).run(1, progress=False)
    values[0] += 4.0
    values[-1] += 4.0
    expected = np.linalg.solve(matrix(*DIFFUSION), values.ravel()).reshape(EXTENT)
    assert np.abs(x.gather() - expected).max() < 1e-12


def test_what_is_prescribed_on_parts_of_sides():
    grid = hc.Grid(EXTENT)
    x, b = grid.field("x"), grid.field("b")
    for side in ("x-", "x+", "y-", "y+"):
        x.boundary(side, hc.Neumann(0.0))
    x.boundary("x-", hc.Robin(1.0, 0.5, 3.0))
    x.boundary("x-", hc.Dirichlet(3.0), where=lambda y: y > 2.0)

    @hc.kernel
    def minus_laplacian(p, q):
        q[0, 0] = -hc.laplacian(p)

    solver = hc.conjugate_gradients(minus_laplacian, x, b, tolerance=1e-13)
    hc.Simulation(grid, [solver], strategy=hc.Strategy()).run(1, progress=False)
    assert np.abs(x.gather() - 3.0).max() < 1e-10


@pytest.mark.parametrize("solve", [hc.conjugate_gradients, hc.bicgstab])
def test_nothing_to_solve(solve):
    grid, x, b, _ = fields()
    x.set(0.0)
    b.set(0.0)
    solver = solve(diffuse, x, b)
    hc.Simulation(grid, [solver], strategy=hc.Strategy()).run(1, progress=False)
    assert (solver.iterations.value, solver.residual.value) == (1.0, 0.0)
    assert not x.gather().any()


def test_too_few_passes():
    grid, x, b, _ = fields()
    simulation = hc.Simulation(grid, [hc.conjugate_gradients(diffuse, x, b, max_iterations=2)])
    message = told(ConvergenceError, lambda: simulation.run(1, progress=False))
    assert message.startswith("The condition 'sqrt(rr) <= (1e-10 * sqrt(bb))' did not hold after 2")


def test_what_does_not_fit_together():
    _, x, b, _ = fields()
    assert told(PlanError, lambda: hc.bicgstab(diffuse, x, 1.0)) == (
        "'bicgstab' was given 1.0; expected fields for x and b."
    )
    assert told(PlanError, lambda: hc.conjugate_gradients(diffuse, b, b)) == (
        "'conjugate_gradients' was given 'b' and 'b' for x and b; expected two fields of one "
        "component with the same cells."
    )
    assert told(PlanError, lambda: hc.conjugate_gradients(diffuse, x, b, tolerance=-1)) == (
        "'tolerance' of 'conjugate_gradients' was given -1; expected a number of at least 0."
    )
