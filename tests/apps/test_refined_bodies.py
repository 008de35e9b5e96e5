"""Solid cells and bodies in flows on several levels, inside of one and across borders."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

import halocline as hc
from halocline.apps.lbm.setup.refinement import omega_on
from halocline.lbm import Body, Refinement, Setup, Wall, body_force, make_flow, trt

POISON = hc.Strategy(poison=True)
MIDDLE, RADIUS = (24.0, 16.3, 8.2), 4.0


def distance(*at):
    return np.sqrt(sum((x - m) ** 2 for x, m in zip(at, MIDDLE, strict=False))) - RADIUS


def around(*at):
    """Return level 1 wherever a body is near."""
    return np.where(distance(*at) < 3.0, 1, 0)


def beside(*at):
    """Return level 1 in a box whose border crosses the body."""
    return np.where((at[0] >= 12) & (at[0] < 24) & (at[1] >= 4) & (at[1] < 28), 1, 0) + 0 * sum(at)


def simulated(setup):
    flow = make_flow(setup)
    return flow, hc.Simulation(flow.grid, flow.steps, dt=flow.dt, strategy=POISON)


def nothing(velocity_set, populations, omega, force=()):
    """Collide without any effect."""
    del velocity_set, omega, force
    return list(populations)


@pytest.mark.parametrize("wanted", [around, beside])
@pytest.mark.parametrize("lattice", ["D2Q9", "D3Q19"])
def test_a_fluid_at_rest_around_a_body_stays_so_to_the_bit(lattice, wanted):
    """Without collisions, whose rounding differs with the number of steps of a level."""
    axes = int(lattice[1])
    refinement = Refinement(wanted, block=4)
    bodies = (Body(distance),)
    extent = (40, 32, 16)[:axes]
    flow = make_flow(Setup(extent, lattice, 1.6, nothing, bodies=bodies, refinement=refinement))
    # Without what gives back the mass that walls have taken, which is zero but for rounding.
    simulation = hc.Simulation(flow.grid, flow.steps[:-1], strategy=POISON)
    flow.start(1.1)
    values = [field.given(*[np.zeros((1,) * axes)] * axes) for field in flow.f.levels]
    simulation.run(3, progress=False)
    for field, given, cells in zip(flow.f.levels, values, flow.solids.levels, strict=True):
        for block, array in zip(field.storage.blocks, field.local(), strict=True):
            fluid = cells.fluid[block.box.slices(cells.window.lower)]
            for a, v in zip(array, given, strict=True):
                assert (a[fluid] == v.ravel()).all()


def test_solid_cells_of_a_level_are_known_around_its_blocks_alone():
    def wanted(x, y):
        return np.where(np.hypot(x - 34, y - 28) < 2, 2, 0)

    body = Body(lambda x, y: np.hypot(x - 34, y - 28) - 1)
    flow = make_flow(
        Setup((64, 48), "D2Q9", 1.6, trt(), bodies=(body,), refinement=Refinement(wanted, 3, 8))
    )
    finest = flow.solids.levels[2]
    x, y = finest.grid.coordinates("center", finest.window)
    assert np.array_equal(finest.solid, np.hypot(x - 34, y - 28) <= 1)
    boxes = flow.grid.leaves.boxes(2)
    assert sum(box.cells for box in boxes) == finest.own.sum()
    assert finest.own.size < 0.15 * 256 * 192
    # No block has wanted it.
    assert flow.solids.levels[3].own.size == 4


def on_body(refinement, *, level=1, steps=400):
    """Return the force along x, the torque and the mass of a flow that a force drives past it.

    In units of the coarsest level; without a refinement on one grid with the cells of a level.
    """
    parts = 1 if refinement else 2**level
    setup = Setup(
        (64 * parts, 32 * parts),
        "D2Q9",
        omega_on(0 if refinement else level, 1.5),
        trt(),
        sides={"y-": Wall(), "y+": Wall()},
        force=(1e-5 / parts, 0.0),
        bodies=(Body(distance),),
        spacing=1.0 / parts,
        refinement=refinement,
    )
    flow, simulation = simulated(setup)
    found = body_force(flow, setup.bodies[0], (20.0, 14.0))
    simulation.run(steps * parts, progress=False)
    simulation.execute(flow.observe, *found.updates, *found.force, *found.torque)
    mass = simulation.reduce(hc.sum(flow.density)) / parts**2
    return found.force[0].value / parts, found.torque[0].value / parts**2, mass


def test_the_force_on_a_body_in_a_refined_box_is_that_of_finer_cells_everywhere():
    force, torque, mass = on_body(Refinement(around, block=4))
    expected = on_body(None)
    assert force == pytest.approx(expected[0], rel=2e-4)
    assert torque == pytest.approx(expected[1], rel=2e-3)
    assert mass == pytest.approx(expected[2], rel=1e-6)


@pytest.mark.slow
def test_the_force_on_a_body_across_a_border_is_that_of_finer_cells_within_two_percent():
    force, torque, _ = on_body(Refinement(beside, block=4))
    expected = on_body(None)
    assert force == pytest.approx(expected[0], rel=0.02)
    assert torque == pytest.approx(expected[1], rel=0.02)


def seen(simulation, flow):
    """Return coordinates and velocity of the fluid cells of all leaves."""
    simulation.execute(flow.observe)
    for level, cells in enumerate(flow.solids.levels):
        velocity = flow.velocity.level(level)
        for block, u in zip(velocity.storage.blocks, velocity.local(), strict=True):
            x, y = np.broadcast_arrays(*cells.grid.coordinates("center", block.box))
            fluid = cells.fluid[block.box.slices(cells.window.lower)]
            yield x[fluid], y[fluid], u[:, fluid]


def channel(wanted, force, viscosity, **sides):
    """Return a channel of 12 cells above, and maybe below, solid ones."""
    solid = np.zeros((16, 16), bool)
    solid[:, :2] = True
    solid[:, 14:] = not sides
    refinement = Refinement(wanted, finest=2, block=4)
    return Setup(
        (16, 16),
        "D2Q9",
        1 / (3 * viscosity + 0.5),
        trt(),
        solid=solid,
        force=(force, 0.0) if force else (),
        sides=sides,
        refinement=refinement,
    )


def test_couette_flow_above_solid_cells_through_two_refined_levels_is_exact():
    speed = 0.05
    sides = {"y-": Wall(), "y+": Wall((speed, 0.0))}
    setup = channel(lambda x, y: np.where(y < 8, 1 + (y < 3), 0) + 0 * x, 0.0, 0.25, **sides)
    flow, simulation = simulated(setup)
    simulation.run(2500, progress=False)
    for _, y, u in seen(simulation, flow):
        assert abs(u[0] - speed * (y - 2) / 14).max() < 1e-12 * speed
        assert abs(u[1]).max() < 1e-15


@pytest.mark.parametrize(
    ("wanted", "error"),
    [
        (lambda x, y: np.where(y < 8, 1, 0) + 0 * x, 2e-3),
        # Borders that cross the walls.
        (lambda x, y: np.where((x >= 4) & (x < 12), 1, 0) + 0 * y, 6e-3),
    ],
)
def test_a_force_drives_the_parabola_between_solid_cells(wanted, error):
    force, viscosity = 1e-6, 0.1
    flow, simulation = simulated(channel(wanted, force, viscosity))
    simulation.run(1500, progress=False)
    for _, y, u in seen(simulation, flow):
        exact = force / (2 * viscosity) * (y - 2) * (14 - y)
        assert abs(u[0] - exact).max() < error * force / (2 * viscosity) * 36


def test_a_body_without_a_cell_on_any_level_is_refused():
    body = Body(lambda x, y: np.hypot(x - 24.0, y - 24.0) - 0.1, name="grain")
    setup = Setup((32, 32), "D2Q9", 1.5, bodies=(body,), refinement=Refinement(around, block=8))
    with pytest.raises(hc.HaloclineError, match="No centre of a cell lies in the body 'grain'"):
        make_flow(setup)


def test_a_moving_body_across_a_border_is_refused():
    body = Body(distance, velocity=(0.0, 0.01))
    setup = Setup((64, 32), "D2Q9", 1.5, bodies=(body,), refinement=Refinement(beside, block=4))
    with pytest.raises(hc.HaloclineError, match=r"fluid cells at a side .* or at a border between"):
        make_flow(setup)


def behind(*at):
    """Return level 1 around a body and behind it."""
    x, y = at[:2]
    return np.where((distance(*at) < 3.0) | ((x > 24) & (x < 52) & (abs(y - 16) < 8)), 1, 0)


def after_some_steps(flow, simulation, found):
    """Return all there is to know of a flow some steps after its start."""
    flow.start(lambda *at: 1 + 0.01 * np.sin(at[0]) + 0 * sum(at), [0.04, 0.01])
    simulation.run(6, progress=False)
    simulation.execute(flow.observe, *found.updates, *found.force, *found.torque)
    mass = simulation.reduce(hc.sum(flow.density))
    values = [field.gather() for field in (*flow.density.levels, *flow.velocity.levels)]
    totals = [total.value for total in (*found.force, *found.torque)]
    return values, [mass, *totals, flow.fluid_cells, flow.updates]


CELLS = np.meshgrid(np.arange(64) + 0.5, np.arange(32) + 0.5, indexing="ij", sparse=True)
SOLIDS = {"bodies": (Body(distance),), "solid": distance(*CELLS) <= 0}


@pytest.mark.parametrize("kind", sorted(SOLIDS))
def test_a_flow_whose_blocks_have_changed_is_that_with_such_blocks_from_the_start(kind):
    def later(*at):
        return np.maximum(around(*at), behind(*at))

    body = SOLIDS[kind] if kind == "solid" else SOLIDS[kind][0]
    made = []
    for wanted in (around, later):
        refinement = Refinement(wanted, block=4)
        more = {kind: SOLIDS[kind], "refinement": refinement}
        flow, simulation = simulated(Setup((64, 32), "D2Q9", 1.5, trt(), **more))
        made.append((flow, simulation, body_force(flow, body, (20.0, 14.0))))
    flow, simulation, _ = made[0]
    simulation.run(4, progress=False)
    assert simulation.regrid(later)
    assert flow.grid.leaves == made[1][0].grid.leaves
    (values, numbers), (others, same) = (after_some_steps(*one) for one in made)
    assert numbers == same
    for one, other in zip(values, others, strict=True):
        assert np.array_equal(one, other, equal_nan=True)


def test_blocks_at_a_body_stay_when_all_others_are_split_and_merged():
    body = Body(distance)
    refinement = Refinement(around, block=4)
    flow, simulation = simulated(
        Setup((64, 32), "D2Q9", 1.5, bodies=(body,), refinement=refinement)
    )
    before = flow.grid.leaves
    for wanted in (lambda x, y: 1 + 0 * (x + y), lambda x, y: 0 * (x + y)):
        assert simulation.regrid(wanted)
        leaves = flow.grid.leaves
        assert {*replace(leaves, levels=flow.grid.kept)} <= {*leaves}
        simulation.run(2, progress=False)
    assert flow.grid.leaves == before


def test_walls_across_a_border_nearly_keep_mass():
    _, _, mass = on_body(Refinement(beside, block=4))
    cells = make_flow(
        Setup(
            (64, 32), "D2Q9", 1.5, bodies=(Body(distance),), refinement=Refinement(beside, block=4)
        )
    ).fluid_volume
    assert mass == pytest.approx(cells, rel=2e-5)
