"""Force and torque on bodies by momentum exchange."""

from __future__ import annotations

import numpy as np
import pytest
from errors.telling import message_of

import halocline as hc
from halocline.errors import CaseError
from halocline.lbm import FreeSlip, Refinement, Setup, Wall, body_force, make_flow, trt

STREAMINGS = ("two-grids", "in-place")


def force_on(setup, body, about, steps, density=1.0):
    """Return force and torque after some lattice steps."""
    flow = make_flow(setup)
    found = body_force(flow, body, about)
    flow.start(density)
    simulation = hc.Simulation(flow.grid, flow.steps, threads=1)
    simulation.run(steps // flow.lattice_steps, progress=False)
    simulation.execute(*found.updates, *found.force, *found.torque)
    return [r.value for r in found.force], [r.value for r in found.torque]


@pytest.mark.parametrize("streaming", STREAMINGS)
@pytest.mark.parametrize(("lattice", "extent"), [("D2Q9", (6, 10)), ("D3Q19", (4, 8, 4))])
def test_the_walls_of_a_channel_take_what_drives_the_flow(lattice, extent, streaming):
    solid = np.zeros(extent, bool)
    solid[:, 0] = solid[:, -1] = True
    drive = (1e-5, *(0.0,) * (len(extent) - 1))
    setup = Setup(extent, lattice, 1 / 0.8, trt(), solid=solid, force=drive, streaming=streaming)
    force, torque = force_on(setup, solid, (0.0,) * len(extent), 4000)
    total = drive[0] * (~solid).sum()
    assert force[0] == pytest.approx(total, rel=1e-10)
    assert np.abs(force[1:]).max() < 1e-12 * total
    # About an axis through a corner: the force acts half way between the walls.
    assert torque[-1] == pytest.approx(-total * extent[1] / 2, rel=1e-10)


@pytest.mark.parametrize("streaming", STREAMINGS)
def test_fluid_at_rest_does_not_push_a_closed_body(streaming):
    solid = np.zeros((16, 14), bool)
    solid[5:9, 6:10] = True
    solid[9, 8] = True
    sides = {"x-": Wall(), "x+": Wall(), "y-": FreeSlip(), "y+": Wall()}
    setup = Setup((16, 14), "D2Q9", 1 / 0.8, trt(), sides=sides, solid=solid, streaming=streaming)
    # Another density than that of rest: a pressure from all around.
    force, torque = force_on(setup, solid, (7.0, 8.0), 6, density=1.02)
    assert np.abs(force + torque).max() < 1e-15


def test_each_body_takes_its_own_share():
    solid = np.zeros((6, 11), bool)
    lower, upper = solid.copy(), solid.copy()
    lower[:, 0], upper[:, -1] = True, True
    setup = Setup((6, 11), "D2Q9", 1 / 0.8, trt(), solid=lower | upper, force=(1e-5, 0.0))
    flow = make_flow(setup)
    found = [body_force(flow, b, (0.0, 0.0), n) for b, n in ((lower, "low"), (upper, "high"))]
    simulation = hc.Simulation(flow.grid, flow.steps, threads=1)
    simulation.run(4000, progress=False)
    simulation.execute(*(u for b in found for u in b.updates), *(r for b in found for r in b.force))
    first, second = ([r.value for r in b.force] for b in found)
    assert first[0] == pytest.approx(second[0], rel=1e-10)
    assert first[1] == pytest.approx(-second[1], rel=1e-10)


def test_a_body_of_fluid_is_refused():
    solid = np.zeros((6, 6), bool)
    solid[2, 2] = True
    flow = make_flow(Setup((6, 6), "D2Q9", 1.0, solid=solid))
    with pytest.raises(CaseError) as error:
        body_force(flow, ~solid, (0.0, 0.0))
    assert message_of(error.value) == (
        "The body 'body' has no cells, or cells that are not solid; expected at least one, and "
        "solid ones only."
    )


@pytest.mark.parametrize(
    ("body", "about", "message"),
    [
        (
            np.zeros((5, 6)),
            (0.0, 0.0),
            "'body' has the shape (5, 6); expected (6, 6), that of the grid. Axes come in the "
            "order x, y, z.",
        ),
        (
            np.eye(6, dtype=int),
            (0.0,),
            "'about' was given (0.0,); expected 2 numbers, one an axis.",
        ),
    ],
)
def test_a_body_and_a_point_that_do_not_fit_the_grid_are_refused(body, about, message):
    flow = make_flow(Setup((6, 6), "D2Q9", 1.0, solid=np.eye(6, dtype=int)))
    with pytest.raises(CaseError) as error:
        body_force(flow, body, about)
    assert message_of(error.value) == message


def test_a_torque_without_a_point_is_about_the_low_corner():
    solid = np.zeros((8, 10), bool)
    solid[:, 0] = solid[:, -1] = True
    setup = Setup(
        (8, 10), "D2Q9", 1.25, trt(), solid=solid, force=(1e-5, 0.0), spacing=0.5, origin=(3.0, 2.0)
    )
    assert force_on(setup, solid, None, 50) == force_on(setup, solid, (3.0, 2.0), 50)
    fine = Refinement(lambda x, y: np.where(y < 4, 1, 0) + 0 * x, finest=1, block=4)
    square = np.zeros((16, 16), bool)
    square[6:8, 8:10] = True
    setup = Setup((16, 16), "D2Q9", 1.25, trt(), solid=square, refinement=fine)
    assert len(body_force(make_flow(setup), square).torque) == 1


def test_several_forces_of_one_flow_have_fields_of_their_own():
    solid = np.zeros((6, 8), bool)
    lower, upper = solid.copy(), solid.copy()
    lower[:, 0], upper[:, -1] = True, True
    setup = Setup((6, 8), "D2Q9", 1 / 0.8, trt(), solid=lower | upper, force=(1e-5, 0.0))
    flow = make_flow(setup)
    both, one, other = (body_force(flow, it, (0.0, 0.0)) for it in (lower | upper, lower, upper))
    flow.start(1.0)
    simulation = hc.Simulation(flow.grid, flow.steps, threads=1)
    simulation.run(100, progress=False)
    found = (both, one, other)
    simulation.execute(*(step for it in found for step in (*it.updates, *it.force)))
    assert one.force[0].value > 0.0
    assert both.force[0].value == pytest.approx(one.force[0].value + other.force[0].value)
