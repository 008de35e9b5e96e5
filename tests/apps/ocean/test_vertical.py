"""Vertical diffusion: against dense systems, budgets, and Ekman's spiral."""

from __future__ import annotations

import numpy as np
import pytest

import halocline as hc
from halocline.apps.ocean.numerics.vertical import Layers, diffuse_momentum, diffuse_tracers

EXTENT = (5, 4, 7)
DT = 300.0


class Columns:
    """Columns of random depths and layers, on a closed or a periodic grid.

    Args:
        extent: Of the grid.
        is_closed: Whether it has walls.
        dtype: Of the fields.
    """

    def __init__(self, extent=EXTENT, *, is_closed=False, dtype="float64"):
        periodic = (not is_closed, not is_closed, False)
        self.grid, self.dtype = hc.Grid(extent, periodic=periodic), dtype
        self.random = np.random.default_rng(1)
        weights = self.random.uniform(0.5, 2.0, extent[2])
        self.fraction = self.grid.field("fraction", axes="z", dtype=dtype)
        self.fraction.boundary(["z-", "z+"], hc.Neumann(0.0))
        self.fraction.set(weights / weights.sum())

    def field(self, name, low=0.0, high=0.0, **options):
        """Return a field of random values between two."""
        field = self.grid.field(name, dtype=self.dtype, **options)
        shape = [field.space.domain.upper["xyz".index(axis)] for axis in field.axes]
        field.set(self.random.uniform(low, high, shape))
        return field

    def mixing(self):
        """Return a diffusivity on the faces of layers."""
        field = self.field("mixing", 1e-4, 1e-1, location="z_face")
        field.boundary(self.grid.sides[:-2], hc.Neumann(0.0))
        return field

    def simulation(self, steps):
        """Return a simulation that has stored its fields."""
        simulation = hc.Simulation(self.grid, [*steps], threads=1)
        simulation.run(0, progress=False)
        return simulation


def solved(thickness, mixing, right, drag=0.0):
    """Return the unknowns of a column by a dense matrix; 'mixing' is on all its faces."""
    matrix = np.diag(thickness)
    matrix[0, 0] += DT * drag
    for face in range(1, len(thickness)):
        flow = DT * mixing[face] / (0.5 * (thickness[face - 1] + thickness[face]))
        matrix[face - 1 : face + 1, face - 1 : face + 1] += [[flow, -flow], [-flow, flow]]
    return np.linalg.solve(matrix, right)


def test_tracers_are_those_of_a_dense_system_in_each_column():
    columns = Columns()
    depth, mixing = columns.field("depth", 5.0, 50.0, axes="xy"), columns.mixing()
    T, S = columns.field("T", 5.0, 20.0), columns.field("S", 0.0, 35.0)
    heat, from_bed = (columns.field(name, -1e-3, 1e-3, axes="xy") for name in ("heat", "from_bed"))
    simulation = columns.simulation(
        diffuse_tracers(
            [T, S],
            Layers(depth, columns.fraction),
            mixing,
            dt=DT,
            surface=[heat, 0.0],
            bottom=[0.0, from_bed],
            molecular=1e-3,
        )
    )
    before = {tracer: tracer.gather() for tracer in (T, S)}
    simulation.run(1, progress=False)
    for tracer, surface, bottom in ((T, heat.gather(), None), (S, None, from_bed.gather())):
        for i, j in np.ndindex(EXTENT[:2]):
            thickness = depth.gather()[i, j] * columns.fraction.gather()
            right = thickness * before[tracer][i, j]
            right[-1] += 0.0 if surface is None else DT * surface[i, j]
            right[0] += 0.0 if bottom is None else DT * bottom[i, j]
            expected = solved(thickness, mixing.gather()[i, j] + 1e-3, right)
            np.testing.assert_allclose(tracer.gather()[i, j], expected, rtol=1e-12)


def test_content_changes_by_what_enters_and_a_constant_stays():
    columns = Columns()
    depth, mixing = columns.field("depth", 5.0, 50.0, axes="xy"), columns.mixing()
    T, S = columns.field("T", 5.0, 20.0), columns.field("S", 35.0, 35.0)
    heat = columns.field("heat", -1e-4, 1e-4, axes="xy")
    layers = Layers(depth, columns.fraction)
    steps = diffuse_tracers([T, S], layers, mixing, dt=DT, surface=[heat, 0.0])
    simulation = columns.simulation(steps)
    thickness = depth.gather()[..., None] * columns.fraction.gather()
    content = (thickness * T.gather()).sum(2)
    simulation.run(20, progress=False)
    gained = (thickness * T.gather()).sum(2) - content
    np.testing.assert_allclose(gained, 20 * DT * heat.gather(), atol=1e-12 * content.max())
    assert abs(S.gather() / 35.0 - 1.0).max() < 1e-14


def test_tracers_in_single_precision_stay_within_their_bounds():
    columns = Columns(dtype="float32")
    depth, T = columns.field("depth", 5.0, 50.0, axes="xy"), columns.field("T", 5.0, 20.0)
    layers = Layers(depth, columns.fraction)
    simulation = columns.simulation(diffuse_tracers([T], layers, columns.mixing(), dt=DT))
    low, high = T.gather().min(2), T.gather().max(2)
    simulation.run(5, progress=False)
    assert (T.gather().min(2) >= low * (1.0 - 1e-6)).all()
    assert (T.gather().max(2) <= high * (1.0 + 1e-6)).all()


@pytest.mark.parametrize("is_closed", [False, True])
@pytest.mark.parametrize("axis", ["x", "y", None])
def test_transports_are_those_of_a_dense_system_at_any_point(axis, is_closed):
    columns, location = Columns(is_closed=is_closed), f"{axis}_face" if axis else "center"
    here = {"axes": "xy", "location": location}
    depth, old = columns.field("depth", 5.0, 50.0, **here), columns.field("old", 5.0, 50.0, **here)
    stress, drag = (
        columns.field("stress", -1e-3, 1e-3, **here),
        columns.field("drag", 0, 0.1, **here),
    )
    mixing, p = columns.mixing(), columns.field("p", -1.0, 1.0, location=location)
    if is_closed and axis:
        p.boundary([f"{axis}-", f"{axis}+"], hc.Dirichlet(0.0))
    simulation = columns.simulation(
        diffuse_momentum(
            p,
            Layers(depth, columns.fraction),
            mixing,
            axis=axis,
            dt=DT,
            old_depth=old,
            stress=stress,
            drag=drag,
            molecular=1e-6,
        )
    )
    before = p.gather()
    simulation.run(1, progress=False)
    viscosity = mixing.gather()
    number = {"x": 0, "y": 1}.get(axis)
    if number is not None:
        viscosity = 0.5 * (viscosity + np.roll(viscosity, 1, number))
    for i, j in np.ndindex(EXTENT[:2]):
        if is_closed and number is not None and (i, j)[number] == 0:
            continue
        thickness = depth.gather()[i, j] * columns.fraction.gather()
        right = before[i, j].copy()
        right[-1] += DT * stress.gather()[i, j]
        over = 0.5 * (depth.gather()[i, j] + old.gather()[i, j]) / depth.gather()[i, j]
        u = solved(thickness, viscosity[i, j] + 1e-6, right, drag.gather()[i, j] / over)
        np.testing.assert_allclose(p.gather()[i, j], u * thickness, rtol=1e-11, atol=1e-14)


def test_momentum_of_a_column_is_that_of_the_wind_to_round_off():
    columns = Columns()
    depth, p = columns.field("depth", 5.0, 50.0, axes="xy"), columns.field("p")
    layers = Layers(depth, columns.fraction)
    steps = diffuse_momentum(p, layers, columns.mixing(), axis=None, dt=DT, stress=1e-4)
    columns.simulation(steps).run(100, progress=False)
    assert abs(p.gather().sum(2) / (1e-4 * 100 * DT) - 1.0).max() < 1e-12


def test_transports_of_layers_add_up_to_that_of_the_column():
    columns = Columns()
    depth, p = columns.field("depth", 5.0, 50.0, axes="xy"), columns.field("p", -1.0, 1.0)
    mean = columns.field("mean", -5.0, 5.0, axes="xy")
    layers = Layers(depth, columns.fraction)
    steps = diffuse_momentum(p, layers, columns.mixing(), axis=None, dt=DT, mean=mean)
    columns.simulation(steps).run(1, progress=False)
    np.testing.assert_allclose(p.gather().sum(2), mean.gather(), atol=1e-14)


@hc.kernel
def turn(p, q, *, angle):
    p[0, 0, 0] = p + angle * q


@hc.kernel
def add(total, p):
    total[0, 0, 0] = total + p


def ekman_spiral(levels=40, periods=10, steps_per_period=200):
    """Return the mean velocity of each layer under a wind, and what Ekman found."""
    f, viscosity, stress, depth, zoom = 1e-4, 1e-2, 1e-4, 200.0, 1.5
    edges = depth * (np.tanh(zoom * np.arange(levels + 1) / levels) / np.tanh(zoom) - 1.0)
    dt, count = 2.0 * np.pi / f / steps_per_period, periods * steps_per_period

    columns = Columns((1, 1, levels))
    columns.fraction.set(np.diff(edges) / depth)
    p, q, sum_p, sum_q = (columns.field(name) for name in ("p", "q", "sum_p", "sum_q"))
    layers = Layers(columns.field("depth", depth, depth, axes="xy"), columns.fraction)
    mixing = columns.field("mixing", viscosity, viscosity, location="z_face")
    steps = [
        turn(p, q, angle=f * dt),
        *diffuse_momentum(p, layers, mixing, axis=None, dt=dt, stress=stress),
        turn(q, p, angle=-f * dt),
        *diffuse_momentum(q, layers, mixing, axis=None, dt=dt),
        add(sum_p, p),
        add(sum_q, q),
    ]
    columns.simulation(steps).run(count, progress=False)
    transport = (sum_p.gather() + 1j * sum_q.gather())[0, 0] / count
    z, width = 0.5 * (edges[1:] + edges[:-1]), np.sqrt(2.0 * viscosity / f)
    exact = stress / np.sqrt(viscosity * f) * np.exp((1 + 1j) * z / width - 0.25j * np.pi)
    return transport / np.diff(edges), exact, transport.sum()


def test_wind_turns_a_rotating_column_into_the_spiral_of_ekman():
    velocity, exact, transport = ekman_spiral()
    surface = velocity[-1] / exact[-1]
    assert abs(abs(surface) - 1.0) < 0.02
    assert abs(np.degrees(np.angle(surface))) < 1.0
    assert abs(transport + 1j) < 1e-3  # -stress / f across the wind, whatever the layers
