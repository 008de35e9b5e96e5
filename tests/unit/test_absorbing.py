"""Layers that absorb waves: what comes back, beside a domain from whose sides nothing can."""

import numpy as np
import pytest
from errors.telling import told

import halocline as hc
from halocline.errors import GridError
from halocline.io import checkpoint

DT, STEPS, INNER = 0.5, 160, 40


def acoustic(margin, absorb, steps=STEPS):
    """Return the pressure in the inner cells after each step of a wave from a point.

    'absorb' makes of the grid and the fields what derives, and steps that follow.
    """
    n = INNER + 2 * margin
    grid = hc.Grid((n, n))
    p = grid.field("p")
    u, v = grid.field("u", location="x_face"), grid.field("v", location="y_face")
    for sign in "-+":
        for axis, field in zip("xy", (u, v)):
            field.boundary(axis + sign, hc.Dirichlet(0.0))
    derive, more = absorb(grid, (p, u, v))

    @hc.kernel
    def accelerate(p, u, v, *, dt):
        u[0, 0] = u - dt * derive(p, "x")
        v[0, 0] = v - dt * derive(p, "y")

    @hc.kernel
    def compress(p, u, v, *, dt):
        p[0, 0] = p - dt * (derive(u, "x") + derive(v, "y"))

    middle = 0.5 * n
    p.set(lambda x, y: np.exp(-((x - middle) ** 2 + (y - middle + 7.0) ** 2) / 8.0))
    steps_of = [accelerate(p, u, v, dt=DT), compress(p, u, v, dt=DT), *more]
    simulation = hc.Simulation(grid, steps_of, threads=1, strategy=hc.Strategy())
    found = []
    inside = slice(margin, margin + INNER)
    for _ in range(steps // 8):
        simulation.run(8, progress=False)
        found.append(p.gather()[inside, inside])
    return np.array(found)


@pytest.fixture(scope="module")
def reference():
    """What is seen where nothing comes back from the sides in this time."""
    return acoustic(50, lambda grid, fields: (hc.d, ()))


def come_back(found, reference):
    """Return the largest difference in the later half, relative to the largest wave at an edge."""
    edge = np.abs(reference[:, [0, -1]]).max()
    return np.abs(found - reference)[len(found) // 2 :].max() / edge


def test_a_perfectly_matched_layer_sends_hardly_anything_back(reference):
    def layers(width):
        return lambda grid, _: (hc.PML(grid, speed=1.0, dt=DT, width=width, reflection=1e-4).d, ())

    ten = come_back(acoustic(10, layers(10)), reference)
    five = come_back(acoustic(5, layers(5)), reference)
    wall = come_back(acoustic(10, lambda *_: (hc.d, ())), reference)
    assert wall > 0.3
    assert ten < 2e-3
    assert ten < five < 2e-2


def test_a_sponge_sends_little_back(reference):
    def absorb(grid, fields):
        sides = ("x-", "x+", "y-", "y+")
        return hc.d, [hc.sponge(f, sides, width=20, strength=0.15) for f in fields]

    assert come_back(acoustic(20, absorb), reference) < 0.05


def test_a_sponge_draws_towards_rest():
    grid = hc.Grid((8, 3))
    T = grid.field("T", components=2)
    T.set(5.0)
    steps = [hc.sponge(T, ["x+"], width=2, strength=1.0, rest=1.0)]
    hc.Simulation(grid, steps, target="numpy").run(2, progress=False)
    depth = np.array([0.0] * 6 + [0.25, 0.75])
    expected = 1.0 + 4.0 * np.exp(-2.0 * depth**2)
    assert np.allclose(T.gather(), expected[None, :, None], rtol=1e-14)


def test_a_layer_on_a_stretched_axis_is_as_wide_as_its_cells():
    grid = hc.Grid((8, 2), spacing=(np.array([1.0, 2, 1, 1, 1, 1, 1, 1]), 1.0))
    T = grid.field("T")
    T.set(1.0)
    steps = [hc.sponge(T, ["x-"], width=2, strength=1.0)]
    hc.Simulation(grid, steps, target="numpy").run(1, progress=False)
    assert np.allclose(-np.log(T.gather()[:3, 0]), [(2.5 / 3) ** 2, (1 / 3) ** 2, 0.0])


def half_matched():
    """Return a simulation with layers on two sides, and its pressure."""
    grid = hc.Grid((24, 20))
    p, u = grid.field("p"), grid.field("u", location="x_face")
    pml = hc.PML(grid, speed=1.0, dt=0.5, width=4, sides=["x-", "x+"])

    @hc.kernel
    def accelerate(p, u):
        u[0, 0] = u - 0.5 * pml.d(p, "x")

    @hc.kernel
    def compress(p, u):
        p[0, 0] = p - 0.5 * pml.d(u, "x")

    for sign in "-+":
        u.boundary("x" + sign, hc.Dirichlet(0.0))
    p.set(lambda x, y: np.exp(-((x - 11.0) ** 2) / 9.0) + 0.0 * y)
    return hc.Simulation(grid, [accelerate(p, u), compress(p, u)], target="numpy", threads=1), p


def test_memories_are_kept_by_checkpoints(tmp_path):
    first, p = half_matched()
    first.run(40, progress=False)
    checkpoint.save(first, tmp_path / "state.npz")
    first.run(40, progress=False)
    second, again = half_matched()
    checkpoint.load(second, tmp_path / "state.npz")
    second.run(40, progress=False)
    assert np.array_equal(p.gather(), again.gather())
    assert np.abs(p.gather()).max() < 1e-2


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda grid: hc.PML(grid, speed=0.0, dt=0.1, width=3),
            "'hc.PML' was given speed = 0.0; expected a positive number.",
        ),
        (
            lambda grid: hc.PML(grid, speed=1.0, dt=0.1, width=7),
            "'hc.PML' was given layers of 7 cells for side 'x-', but the grid has only 12 cells "
            "along x; expected 6 or fewer.",
        ),
        (
            lambda grid: hc.PML(grid, speed=1.0, dt=0.1, width=3, reflection=2.0),
            "'hc.PML' was given reflection = 2.0; expected a number below 1: the share of a wave's "
            "amplitude that comes back.",
        ),
        (
            lambda grid: hc.PML(grid, speed=1.0, dt=0.1, width=3, frequency=-1.0),
            "'hc.PML' was given frequency = -1.0; expected a positive number.",
        ),
        (
            lambda grid: hc.PML(grid, speed=1.0, dt=0.1, width=3, sides=["x-", "x-"]),
            "'hc.PML' was given the side 'x-' more than once.",
        ),
        (
            lambda _: hc.PML("grid", speed=1.0, dt=0.1),
            "'hc.PML' was given 'grid'; expected a grid.",
        ),
        (
            lambda _: hc.sponge("T", ["x-"], width=2, strength=1.0),
            "'hc.sponge' was given 'T'; expected a field.",
        ),
        (
            lambda grid: hc.PML(grid, speed=1.0, dt=0.1, sides="x-"),
            "'hc.PML' was given the sides 'x-'; expected names as ('x-', 'x+').",
        ),
        (
            lambda grid: hc.sponge(grid.field("T"), ["y-"], width=2, strength=1.0),
            "'hc.sponge' was given the side 'y-', but the grid is periodic in y.",
        ),
    ],
)
def test_layers_that_cannot_be(make, message):
    grid = hc.Grid((12, 8), periodic=(False, True))
    assert told(GridError, lambda: make(grid)) == message
