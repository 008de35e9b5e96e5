"""Bodies in coordinates of the grid: another spacing and origin change no bit.

Spacing and origin are such that places of cells are exact, with them and without.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from msgspec.structs import replace
from test_geometry_file import sphere

import halocline as hc
from halocline.apps.lbm.boundaries.body_walls import walls_of
from halocline.apps.lbm.boundaries.solid_cells import solid_cells
from halocline.apps.lbm.setup.surface import Surface
from halocline.lbm import Body, Setup, body_force, make_flow, trt, velocity_set

STREAMINGS = ("two-grids", "in-place")
# Spacing and origin: cells from the low corner, then two others.
PLACES = ((1.0, (0.0, 0.0, 0.0)), (0.5, (-3.0, 2.0, 1.0)), (4.0, (16.0, -64.0, 0.0)))
EXTENT = (16, 13)
MIDDLE, RADIUS = np.array([8.25, 6.125]), 3.375


def ball(spacing, origin, **more):
    """Return a circle whose middle and radius are given in cells."""
    middle = origin + spacing * MIDDLE

    def distance(x, y):
        return np.hypot(x - middle[0], y - middle[1]) - spacing * RADIUS

    return Body(distance, **more)


def setups(velocity=lambda spacing, origin: ()):
    """Return the same flow around a body in each of the coordinates."""
    found = []
    for spacing, corner in PLACES:
        origin = np.array(corner[:2])
        body = ball(spacing, origin, velocity=velocity(spacing, origin))
        flow = {"collision": trt(), "bodies": (body,), "force": (1e-4, 0.0)}
        found.append(Setup(EXTENT, "D2Q9", 1.4, **flow, spacing=spacing, origin=corner[:2]))
    return found


def are_equal(found):
    return all(np.array_equal(a, b) for a, b in pairwise(found))


def walls_in(setup):
    grid = hc.Grid(setup.extent, True, spacing=setup.spacing, origin=setup.origin)
    (cells,) = solid_cells(setup, grid)
    return walls_of(cells, setup.bodies, velocity_set(setup.lattice))


def test_solid_cells():
    solids = [setup.solid for setup in setups()]
    x, y = np.indices(EXTENT) + 0.5
    assert np.array_equal(solids[0], np.hypot(x - MIDDLE[0], y - MIDDLE[1]) <= RADIUS)
    assert are_equal(solids)


def test_walls():
    found = [walls_in(setup) for setup in setups()]
    assert are_equal([walls.beside for walls in found])
    assert np.count_nonzero(found[0].link_coefficient) > 20
    for walls in found:
        np.testing.assert_allclose(
            walls.link_coefficient, found[0].link_coefficient, rtol=0.0, atol=1e-14
        )
    # As they are kept.
    assert are_equal([np.float16(walls.link_coefficient) for walls in found])


def test_walls_of_triangles():
    extent, found = (12, 11, 10), []
    triangles = sphere((5.875, 5.25, 4.625), 3.125)
    for spacing, origin in PLACES:
        where = {"spacing": spacing, "origin": origin}
        body = Body(Surface(np.array(origin) + spacing * triangles))
        found.append(walls_in(Setup(extent, "D3Q19", 1.0, bodies=(body,), **where)))
    assert are_equal([walls.beside for walls in found])
    assert np.count_nonzero(found[0].link_coefficient) > 100
    assert are_equal([np.float16(walls.link_coefficient) for walls in found])


def after(setup, steps=20):
    """Return velocities in the fluid, force and torque."""
    flow = make_flow(setup)
    about = setup.origin + setup.spacing * np.array([2.5, 3.75])
    found = body_force(flow, setup.bodies[0], about)
    flow.start(1.0, (0.02, 0.01))
    simulation = hc.Simulation(flow.grid, flow.steps, threads=1)
    simulation.run(steps // flow.lattice_steps, progress=False)
    simulation.execute(flow.observe, *found.updates, *found.force, *found.torque)
    on_body = [one.value for one in (*found.force, *found.torque)]
    return flow.velocity.gather()[:, ~setup.solid].ravel(), np.array(on_body)


@pytest.mark.parametrize("streaming", STREAMINGS)
def test_a_flow_and_its_force(streaming):
    found = [after(replace(setup, streaming=streaming)) for setup in setups()]
    assert np.abs(found[0][1]).min() > 1e-6
    assert are_equal([velocity for velocity, _ in found])
    assert are_equal([force for _, force in found])


def by_halves(spacing, origin):
    """Return a velocity that is another one on either side of the middle of a body."""
    middle = origin + spacing * MIDDLE

    def velocity(x, y):
        return (hc.where(y > middle[1], -0.01, 0.02), hc.where(x > middle[0], 0.015, -0.01))

    return velocity


def turning(spacing, origin):
    """Return the velocity of a body that turns [cells / step], of coordinates."""
    middle = origin + spacing * MIDDLE

    def velocity(x, y):
        return (-0.005 / spacing * (y - middle[1]), 0.005 / spacing * (x - middle[0]))

    return velocity


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("streaming", STREAMINGS)
def test_a_wall_that_moves_differently_here_and_there(streaming, dtype):
    more = {"streaming": streaming, "dtype": dtype}
    found = [after(replace(setup, **more)) for setup in setups(by_halves)]
    assert are_equal([velocity for velocity, _ in found])
    assert are_equal([force for _, force in found])


@pytest.mark.parametrize("streaming", STREAMINGS)
def test_a_wall_that_turns(streaming):
    """Where it cuts a link is rounded in coordinates: to the last digits it is the same."""
    found = [after(replace(setup, streaming=streaming)) for setup in setups(turning)]
    _, at_rest = after(replace(setups()[0], streaming=streaming))
    assert abs(found[0][1][2] - at_rest[2]) > 1e-3
    for velocity, force in found[1:]:
        np.testing.assert_allclose(velocity, found[0][0], rtol=0.0, atol=1e-15)
        np.testing.assert_allclose(force, found[0][1], rtol=1e-11)
