"""Walls inside cells: where they are seen, at which order, what they conserve and feel."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace
from walls_seen import SPEED, between, poiseuille_error, steady

import halocline as hc
from halocline.lbm import (
    Body,
    FreeSlip,
    Setup,
    Wall,
    bgk,
    body_force,
    make_flow,
    mrt,
    regularised,
    trt,
)

OFFSETS = (0.1, 0.3, 0.5, 0.7, 0.9)
STREAMINGS = ("two-grids", "in-place")


def circle(middle, radius, **more):
    return Body(lambda x, y: np.hypot(x - middle[0], y - middle[1]) - radius, **more)


def order(errors):
    return np.log2(errors[0] / errors[1])


@pytest.mark.parametrize("offset", OFFSETS)
def test_walls_of_a_channel_are_where_they_are(offset):
    coarse, fine = (poiseuille_error(cells, offset) for cells in (8, 16))
    # Half-way walls are exact with this collision.
    assert fine < 1e-12 if offset == 0.5 else order((coarse, fine)) > 1.9


@pytest.mark.parametrize("offset", [0.1, 0.7])
def test_walls_stay_where_they_are_whatever_the_viscosity(offset):
    errors = [poiseuille_error(8, offset, tau) for tau in (0.55, 0.8, 2.0)]
    assert np.ptp(errors) < 1e-11


@pytest.mark.parametrize(
    ("lattice", "collision"),
    [
        ("D2Q9", bgk),
        ("D2Q9", mrt()),
        ("D2Q9", regularised),
        ("D3Q15", trt()),
        ("D3Q19", trt()),
        ("D3Q27", trt()),
    ],
)
def test_every_collision_and_lattice_sees_them(lattice, collision):
    more = {"lattice": lattice, "collision": collision}
    if lattice[1] == "3":
        more |= {"extent": (2, 11, 2), "force": (8.0 * 0.1 * SPEED / 8**3, 0.0, 0.0)}
    assert poiseuille_error(8, 0.3, **more) < 0.02


def couette_error(cells, offset, streaming):
    """Return the error where the upper wall moves, over its velocity."""
    low = 1.5 - offset
    lower, upper = between(low, low + cells)
    bodies = (lower, replace(upper, velocity=(SPEED / cells, 0.0)))
    extent = (4, cells + 3)
    setup = Setup(extent, "D2Q9", 1 / 0.8, trt(), bodies=bodies, streaming=streaming)
    flow, _ = steady(setup, cells)
    y = np.arange(cells + 3) + 0.5
    is_fluid = (y > low) & (y < low + cells)
    found = flow.velocity.gather()[0, 0] * cells / SPEED
    return np.abs(found - (y - low) / cells)[is_fluid].max()


@pytest.mark.parametrize("streaming", STREAMINGS)
@pytest.mark.parametrize("offset", [0.1, 0.7])
def test_a_wall_moves_within_its_plane(offset, streaming):
    # A straight profile is exact; places of walls are kept in half precision.
    assert couette_error(8, offset, streaming) < 1e-4


def between_cylinders(cells, outer_speed=0.0):
    """Return the errors of velocity and torque between cylinders that turn.

    Args:
        cells: Of the square around them.
        outer_speed: Of the outer wall, over that of the inner one.
    """
    inner, outer, viscosity = 0.2 * cells, 0.45 * cells, 0.1
    middle = np.array([0.5 * cells + 0.23, 0.5 * cells - 0.11])
    speed = SPEED / cells
    # The angular velocity is solid + shear / r².
    turns = np.array([speed / inner, outer_speed * speed / outer])
    solid = (turns[1] * outer**2 - turns[0] * inner**2) / (outer**2 - inner**2)
    shear = (turns[0] - turns[1]) * (inner * outer) ** 2 / (outer**2 - inner**2)

    def turning(turn):
        return lambda x, y: (-turn * (y - middle[1]), turn * (x - middle[0]))

    def swirl(x, y):
        """Return the exact velocity over the distance from the axis."""
        return solid + shear / np.maximum(x**2 + y**2, inner**2)

    rotor = circle(middle, inner, velocity=turning(turns[0]), name="rotor")
    around = Body(
        lambda x, y: outer - np.hypot(x - middle[0], y - middle[1]),
        velocity=turning(turns[1]) if outer_speed else (),
    )
    setup = Setup((cells, cells), "D2Q9", 1 / 0.8, trt(), bodies=(rotor, around))
    flow = make_flow(setup)
    found = body_force(flow, rotor, tuple(middle))
    # From the exact flow, since a sudden start leaves velocities that change sign each step.
    a, b = middle
    flow.start(
        1.0,
        (
            lambda x, y: -(y - b) * swirl(x - a, y - b),
            lambda x, y: (x - a) * swirl(x - a, y - b),
        ),
    )
    simulation = hc.Simulation(flow.grid, flow.steps, threads=1)
    simulation.run(int(0.3 * cells**2 / viscosity), progress=False)
    simulation.execute(flow.observe, *found.updates, *found.torque)
    x, y = np.indices(setup.extent) + 0.5 - middle.reshape(2, 1, 1)
    expected = np.stack([-y, x]) * swirl(x, y)
    off = (flow.velocity.gather() - expected)[:, ~setup.solid]
    torque = -4.0 * np.pi * viscosity * shear
    return np.sqrt(np.mean(off**2)) / speed, abs(found.torque[0].value / torque - 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("outer_speed", [0.0, -1.0])
def test_the_flow_between_cylinders_that_turn_is_of_second_order(outer_speed):
    (coarse, _), (fine, torque) = (between_cylinders(cells, outer_speed) for cells in (24, 64))
    assert np.log(coarse / fine) / np.log(64 / 24) > 1.8
    assert torque < 0.01


def off_in_a_drum(steps, streaming="two-grids", radius=16.0, tau=0.6):
    """Return how far the fluid in a drum is from turning with it, over the wall's velocity."""
    cells, wall = 2 * round(radius) + 8, 0.05
    middle, turn = 0.5 * cells, wall / radius
    drum = Body(
        lambda x, y: radius - np.hypot(x - middle, y - middle),
        velocity=lambda x, y: (-turn * (y - middle), turn * (x - middle)),
    )
    setup = Setup((cells, cells), "D2Q9", 1 / tau, trt(), bodies=(drum,), streaming=streaming)
    flow = make_flow(setup)
    flow.start(1.0, (lambda _x, y: turn * (middle - y), lambda x, _y: turn * (x - middle)))
    simulation = hc.Simulation(flow.grid, flow.steps, threads=1)
    simulation.run(steps // flow.lattice_steps, progress=False)
    simulation.execute(flow.observe)
    x, y = np.indices(setup.extent) + 0.5 - middle
    off = flow.velocity.gather() - turn * np.stack([-y, x])
    return np.hypot(*off)[~setup.solid].max() / wall


@pytest.mark.parametrize("streaming", STREAMINGS)
def test_fluid_turns_with_a_drum(streaming):
    # Errors of compressibility are of the square of the speed.
    assert off_in_a_drum(8_000, streaming) < 0.002


@pytest.mark.slow
@pytest.mark.parametrize(("radius", "tau"), [(16.0, 0.6), (12.3, 0.55), (16.0, 1.0)])
def test_fluid_turns_with_a_drum_for_ever(radius, tau):
    assert off_in_a_drum(500_000, radius=radius, tau=tau) < 0.002


def pipe_error(cells):
    """Return the error of the flow through a pipe, over its greatest velocity (RMS)."""
    middle, radius, viscosity = 0.5 * cells + np.array([0.13, -0.21]), 0.4 * cells, 0.1
    wall = Body(lambda x, y, z: radius - np.hypot(y - middle[0], z - middle[1]) + 0.0 * x)
    peak = SPEED / cells
    setup = Setup(
        (2, cells, cells),
        "D3Q19",
        1 / 0.8,
        trt(),
        bodies=(wall,),
        force=(4.0 * viscosity * peak / radius**2, 0.0, 0.0),
    )
    flow, _ = steady(setup, 0.6 * cells)
    y, z = np.indices((cells, cells)) + 0.5 - middle.reshape(2, 1, 1)
    found, square = flow.velocity.gather()[0, 0], y**2 + z**2
    off = (found / peak - (1.0 - square / radius**2))[square < radius**2]
    return float(np.sqrt(np.mean(off**2)))


def test_the_flow_through_a_pipe_is_of_second_order():
    errors = [pipe_error(cells) for cells in (10, 20)]
    assert order(errors) > 1.9
    assert errors[1] < 5e-3


@pytest.mark.parametrize("streaming", STREAMINGS)
def test_walls_half_way_are_those_of_solid_cells(streaming):
    """Planes half-way between centres: the bits of bounce-back."""
    solid = np.zeros((8, 9), bool)
    solid[:, 6:] = True
    body = Body(lambda x, y: 6.0 - y)
    found = []
    for how in ({"bodies": (body,)}, {"solid": solid}):
        setup = Setup((8, 9), "D2Q9", 1.4, trt(), streaming=streaming, **how)
        flow = make_flow(setup)
        flow.start(1.0, (lambda x, y: 0.02 * np.sin(x + 2.0 * y), lambda x, y: 0.01 * np.cos(x)))
        simulation = hc.Simulation(flow.grid, flow.steps, threads=1)
        simulation.run(10, progress=False)
        simulation.execute(flow.observe)
        found.append(flow.velocity.gather()[:, ~solid])
    assert np.array_equal(*found)


def test_a_gap_of_one_cell_has_walls_half_way():
    """No second cell lies behind the first: so the scheme has nothing to go by."""
    bodies = between(1.3, 1.8)
    setup = Setup((4, 3), "D2Q9", 1 / 0.8, trt(), bodies=bodies, force=(1e-6, 0.0))
    flow, _ = steady(setup, 3.0)
    # The exact flow with these walls and this collision, in the middle of one cell.
    assert flow.velocity.gather()[0, 0, 1] == pytest.approx(1e-6 / 0.2 * 0.25, rel=1e-6)


@pytest.mark.parametrize("streaming", STREAMINGS)
def test_a_body_takes_what_drives_the_flow_around_it(streaming):
    body = circle((8.2, 6.9), 3.1)
    extent, drive = (16, 14), 1e-6
    setup = Setup(
        extent, "D2Q9", 1 / 0.8, trt(), bodies=(body,), force=(drive, 0.0), streaming=streaming
    )
    flow = make_flow(setup)
    found = body_force(flow, body, (8.2, 6.9))
    flow.start()
    simulation = hc.Simulation(flow.grid, flow.steps, threads=1)
    simulation.run(20_000 // flow.lattice_steps, progress=False)
    simulation.execute(*found.updates, *found.force)
    along, across = (r.value for r in found.force)
    assert along == pytest.approx(drive * (~setup.solid).sum(), rel=1e-6)
    assert abs(across) < 1e-6 * along


@pytest.mark.parametrize("streaming", STREAMINGS)
def test_fluid_at_rest_does_not_push_a_body(streaming):
    body = circle((7.2, 6.9), 2.1)
    sides = {"x-": Wall(), "x+": Wall(), "y-": FreeSlip(), "y+": Wall()}
    setup = Setup(
        (16, 12), "D2Q9", 1 / 0.8, trt(), sides=sides, bodies=(body,), streaming=streaming
    )
    flow = make_flow(setup)
    found = body_force(flow, body, (7.0, 8.0))
    flow.start(1.02)
    simulation = hc.Simulation(flow.grid, flow.steps, threads=1)
    simulation.run(6, progress=False)
    simulation.execute(*found.updates, *found.force, *found.torque)
    assert max(abs(r.value) for r in (*found.force, *found.torque)) < 1e-15


@pytest.mark.parametrize("streaming", STREAMINGS)
def test_a_closed_flow_gets_back_the_mass_that_walls_take(streaming):
    body = circle((12.2, 11.7), 5.3)
    setup = Setup((24, 24), "D2Q9", 1 / 0.6, trt(), bodies=(body,), force=(1e-5, 0.0))
    flow = make_flow(replace(setup, streaming=streaming))
    flow.start(1.01)
    simulation = hc.Simulation(flow.grid, flow.steps, threads=1)
    masses = []
    # Every hundredth lattice step.
    for steps in (98, 2, 9900):
        simulation.run(steps // flow.lattice_steps, progress=False)
        simulation.execute(flow.observe)
        masses.append(flow.density.gather()[~setup.solid].mean())
    assert 1e-9 < abs(masses[0] - 1.01) < 1e-4
    assert masses[1:] == pytest.approx([1.01, 1.01], abs=1e-12)
