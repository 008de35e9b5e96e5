"""Lattice Boltzmann flows on several levels: exact where they can be, conserving, second order."""

from __future__ import annotations

import numpy as np
import pytest

import halocline as hc
from halocline.apps.lbm.collision.by_name import COLLISIONS
from halocline.apps.lbm.setup.refinement import omega_on
from halocline.lbm import (
    Body,
    FreeSlip,
    PressureDrop,
    Refinement,
    Setup,
    Wall,
    make_flow,
    regularised,
    trt,
)

POISON = hc.Strategy(poison=True)


def middle(*at):
    """Return level 1 in the middle half of a square or cube of 32 cells."""
    found = 1
    for x in at:
        found = found * np.where((x >= 8) & (x < 24), 1, 0)
    return found


def slab(*at):
    """Return level 1 between two straight borders."""
    return np.where((at[1] >= 4) & (at[1] < 12), 1, 0) + 0 * sum(at)


def simulated(setup):
    flow = make_flow(setup)
    return flow, hc.Simulation(flow.grid, flow.steps, dt=flow.dt, strategy=POISON)


def seen(simulation, flow):
    """Return level, coordinates, density and velocity of all leaves."""
    simulation.execute(flow.observe)
    for level in range(flow.grid.levels):
        density, velocity = flow.density.level(level), flow.velocity.level(level)
        for block, rho, u in zip(
            density.storage.blocks, density.local(), velocity.local(), strict=True
        ):
            yield level, flow.grid.level(level).coordinates("center", block.box), rho, u


def mass(simulation, flow):
    simulation.execute(flow.observe)
    return simulation.reduce(hc.sum(flow.density))


def test_relaxation_rates_of_levels_have_one_viscosity():
    for level in range(4):
        viscosity = (1 / omega_on(level, 1.7) - 0.5) / 3
        assert viscosity == pytest.approx(2**level * (1 / 1.7 - 0.5) / 3, rel=1e-14)


@pytest.mark.parametrize("speed", [0.05, 1e-3])
def test_couette_flow_through_two_refined_levels_is_exact(speed):
    def wanted(x, y):
        return np.where((y > 8) & (y < 12), 1 + (y > 9) * (y < 10.5), 0) + 0 * x

    flow, simulation = simulated(
        Setup(
            (8, 16),
            "D2Q9",
            0.8,
            trt(),
            sides={"y-": Wall(), "y+": Wall((speed, 0.0))},
            refinement=Refinement(wanted, finest=2, block=4),
        )
    )
    flow.start(velocity=(lambda x, y: speed * y / 16, 0.0))
    simulation.run(3000, progress=False)
    for _, (_, y), rho, u in seen(simulation, flow):
        assert abs(u[0] - speed * y / 16).max() < 1e-12 * speed
        assert abs(u[1]).max() < 1e-15
        assert abs(rho - 1).max() < 1e-13


def lengthwise(x, y):
    """Return level 1 in the middle of a channel's length."""
    return np.where((x >= 4) & (x < 12), 1, 0) + 0 * y


def at_ends(x, y):
    """Return level 1 at the ends of a channel, and 0 in the middle of its length."""
    return 1 - lengthwise(x, y)


@pytest.mark.parametrize("wanted", [lengthwise, at_ends])
@pytest.mark.parametrize("has_solid_walls", [False, True])
def test_a_pressure_drop_drives_the_parabola(wanted, has_solid_walls):
    """Between walls that borders cross, where it is not exact (docs/decisions/0058-forests.md)."""
    difference, viscosity, rows = 3e-5, 0.1, 2 if has_solid_walls else 0
    sides = {"x-": PressureDrop(difference), "x+": PressureDrop(-difference)}
    solid = None
    if has_solid_walls:
        solid = np.ones((16, 16), bool)
        solid[:, rows:-rows] = False
    else:
        sides |= {"y-": Wall(), "y+": Wall()}
    flow, simulation = simulated(
        Setup(
            (16, 16),
            "D2Q9",
            1 / (3 * viscosity + 0.5),
            trt(),
            sides=sides,
            solid=solid,
            refinement=Refinement(wanted, block=4),
        )
    )
    simulation.run(2000, progress=False)
    gradient, half = difference / 3 / 16, 8 - rows
    for _, (x, y), rho, u in seen(simulation, flow):
        exact = gradient / (2 * viscosity) * (y - rows) * (16 - rows - y)
        fluid = np.broadcast_to(exact > 0, u[0].shape)
        assert abs(u[0] - exact)[fluid].max() < 0.02 * gradient / (2 * viscosity) * half**2
        assert abs(rho - 1 - difference * (0.5 - x / 16))[fluid].max() < 0.1 * difference


def half(x, y):
    """Return level 1 in half of a channel's height."""
    return np.where(y < 8, 1, 0) + 0 * x


def middle_of_side(x, y):
    """Return the distance from a circle that lies across a periodic side."""
    return np.hypot(np.minimum(x, 16 - x), y - 8) - 3


@pytest.mark.parametrize(
    ("wanted", "bodies", "message"),
    [
        (half, (), "at the sides of axis x, with a pressure drop, are of level 0 and of finer"),
        (lengthwise, (Body(middle_of_side),), "A body lies at the sides of axis x, with a press"),
    ],
)
def test_what_a_pressure_drop_cannot_meet_on_levels_is_refused(wanted, bodies, message):
    sides = {"x-": PressureDrop(0.1), "x+": PressureDrop(-0.1)}
    refinement = Refinement(wanted, block=4)
    setup = Setup((16, 16), "D2Q9", 1.5, sides=sides, bodies=bodies, refinement=refinement)
    with pytest.raises(hc.HaloclineError, match=message):
        make_flow(setup)


def test_blocks_of_a_flow_with_a_pressure_drop_are_not_split_and_merged():
    sides = {"x-": PressureDrop(0.1), "x+": PressureDrop(-0.1)}
    refinement = Refinement(lengthwise, block=4)
    _, simulation = simulated(Setup((16, 16), "D2Q9", 1.5, sides=sides, refinement=refinement))
    with pytest.raises(hc.HaloclineError, match="split and merged that has a pressure drop"):
        simulation.regrid(lengthwise)


def nothing(velocity_set, populations, omega, force=()):
    """Collide without any effect."""
    del velocity_set, omega, force
    return list(populations)


@pytest.mark.parametrize("lattice", ["D2Q9", "D3Q19", "D3Q27"])
def test_what_is_constant_stays_so_to_the_bit(lattice):
    """Without collisions, whose rounding differs with the number of steps of a level."""
    axes = int(lattice[1])
    extent = (32, 32) if axes == 2 else (16, 16, 16)
    refinement = Refinement(lambda *at: middle(*(32 / extent[0] * x for x in at)), block=4)
    flow, simulation = simulated(Setup(extent, lattice, 1.6, nothing, refinement=refinement))
    flow.start(1.1, [0.03, -0.07, 0.01][:axes])
    values = [field.given(*[np.zeros((1,) * axes)] * axes) for field in flow.f.levels]
    simulation.run(3, progress=False)
    for field, given in zip(flow.f.levels, values, strict=True):
        for array in field.local():
            assert all((a == v).all() for a, v in zip(array, given, strict=True))


def changes_of_mass_and_momentum(lattice, collision, wanted, later=()):
    """Return by how much mass and momentum along x change in some steps.

    Args:
        lattice: The velocity set.
        collision: The collision.
        wanted: The level that is wanted at first.
        later: Those that are wanted later, one after the other.
    """
    axes = int(lattice[1])
    extent = (32, 32) if axes == 2 else (16, 16, 16)
    refinement = Refinement(wanted, block=4)
    flow, simulation = simulated(Setup(extent, lattice, 1.8, collision, refinement=refinement))
    flow.start(
        lambda *at: 1 + 0.01 * np.sin(0.7 * at[0]) + 0 * sum(at),
        [lambda *at: 0.02 * np.cos(0.9 * at[1]) + 0 * sum(at), *[0.0] * (axes - 1)],
    )

    def totals():
        momentum = sum(
            (rho * u[0]).sum() / 2 ** (axes * level) for level, _, rho, u in seen(simulation, flow)
        )
        return np.array([mass(simulation, flow), momentum])

    before = totals()
    simulation.run(10, progress=False)
    for other in later:
        assert simulation.regrid(other)
        simulation.run(5, progress=False)
    return abs(totals() - before)


@pytest.mark.parametrize("collision", sorted(COLLISIONS))
def test_mass_and_momentum_are_kept_to_round_off_by_straight_borders(collision):
    lattice = "D3Q27" if collision == "cumulant" else "D2Q9"
    assert max(changes_of_mass_and_momentum(lattice, COLLISIONS[collision], slab)) < 1e-10


def test_mass_and_momentum_are_kept_to_round_off_when_blocks_change():
    later = [middle, lambda x, y: middle(x, y - 4), slab]
    assert max(changes_of_mass_and_momentum("D2Q9", trt(), slab, later)) < 1e-10


@pytest.mark.parametrize(("lattice", "scale"), [("D2Q9", 1), ("D3Q19", 2), ("D3Q27", 2)])
def test_mass_and_momentum_are_kept_to_round_off_by_corners(lattice, scale):
    def square(*at):
        return middle(*(scale * x for x in at))

    assert max(changes_of_mass_and_momentum(lattice, trt(), square)) < 1e-10


def uniformly(level):
    """Return that a level is wanted everywhere."""
    return lambda *at: level + 0 * sum(at)


@pytest.mark.parametrize("viscosity", [0.02, 1 / 6])
def test_shear_waves_keep_their_viscosity_when_blocks_change(viscosity):
    """Also at the viscosity at which coarse populations are in equilibrium after collision."""
    cells, number = 32, 2 * np.pi / 32
    refinement = Refinement(uniformly(0), block=4)
    flow, simulation = simulated(
        Setup((8, cells), "D2Q9", 1 / (3 * viscosity + 0.5), trt(), refinement=refinement)
    )
    flow.start(velocity=(lambda x, y: 0.01 * np.sin(number * y) + 0 * x, 0.0))

    def amplitude():
        found = seen(simulation, flow)
        return sum((u[0] * np.sin(number * y)).sum() / 4**level for level, (_, y), _, u in found)

    simulation.run(50, progress=False)
    for level in (1, 0):
        assert simulation.regrid(uniformly(level))
        before = amplitude()
        simulation.run(10, progress=False)
        found = np.log(before / amplitude()) / (10 * number**2)
        assert found == pytest.approx(viscosity, rel=5e-3)


MOVING = {"y-": Wall(), "y+": Wall((0.1, 0.0))}
SLIPPING = {"x-": Wall(), "x+": Wall(), "y-": FreeSlip(), "y+": FreeSlip()}
DUCT = {"y-": Wall(), "y+": Wall((0.1, 0.0, 0.05)), "z-": Wall(), "z+": Wall()}


def across(*at):
    """Return level 1 between two borders that cross the domain."""
    return np.where((at[0] >= 4) & (at[0] < 12), 1, 0) + 0 * sum(at)


def at_side(*at):
    """Return level 1 in a box beside a side."""
    return across(*at) * np.where(at[1] < 8, 1, 0)


@pytest.mark.parametrize(
    ("lattice", "sides", "wanted"),
    [
        ("D2Q9", MOVING, across),
        ("D2Q9", MOVING, at_side),
        ("D2Q9", SLIPPING, across),
        ("D2Q9", SLIPPING, at_side),
        ("D3Q19", DUCT, at_side),
        pytest.param("D3Q27", DUCT, across, marks=pytest.mark.slow),
    ],
)
def test_mass_is_kept_to_round_off_where_borders_meet_sides(lattice, sides, wanted):
    axes = int(lattice[1])
    refinement = Refinement(wanted, block=4)
    setup = Setup((16, 16, 8)[:axes], lattice, 1.8, trt(), sides=sides, refinement=refinement)
    flow, simulation = simulated(setup)
    flow.start(
        lambda *at: 1 + 0.01 * np.sin(0.7 * at[0] + 0.3 * at[1]) + 0 * sum(at),
        [lambda *at, n=n: 0.02 * np.cos(0.9 * at[n - 1] + 0.3 * at[n]) for n in range(axes)],
    )
    before = mass(simulation, flow)
    simulation.run(4, progress=False)
    assert abs(mass(simulation, flow) - before) < 1e-11


@pytest.mark.parametrize(("lattice", "sides"), [("D2Q9", MOVING), ("D2Q9", SLIPPING)])
def test_mass_is_kept_where_a_finer_level_comes_to_a_side(lattice, sides):
    """What is done beside sides is not there before, and is there then."""

    def inside(x, y):
        return across(x, y) * np.where(abs(y - 8) < 4, 1, 0)

    refinement = Refinement(inside, block=4)
    setup = Setup((16, 16), lattice, 1.8, trt(), sides=sides, refinement=refinement)
    flow, simulation = simulated(setup)
    flow.start(
        lambda x, y: 1 + 0.01 * np.sin(0.7 * x + 0.3 * y),
        [lambda x, y: 0.02 * np.cos(0.9 * y + 0.3 * x), lambda x, y: 0.02 * np.cos(x + 0.2 * y)],
    )
    before, steps = mass(simulation, flow), len(simulation.steps)
    for wanted in (across, inside):
        simulation.run(4, progress=False)
        assert simulation.regrid(wanted)
        assert abs(mass(simulation, flow) - before) < 1e-11
        assert (len(simulation.steps) > steps) == (wanted is across)
    simulation.run(4, progress=False)
    assert abs(mass(simulation, flow) - before) < 1e-11


def error_of_couette_flow_across(cells):
    """Return the error of a flow between walls that borders cross, over the speed of the wall."""
    speed, parts = 0.05, cells // 16
    refinement = Refinement(lambda x, y: across(x / parts, y), block=4)
    sides = {"y-": Wall(), "y+": Wall((speed, 0.0))}
    flow, simulation = simulated(
        Setup((cells, cells), "D2Q9", 1.25, trt(), sides=sides, refinement=refinement)
    )
    flow.start(velocity=(lambda x, y: speed * y / cells + 0 * x, 0.0))
    simulation.run(200 * parts, progress=False)
    return max(
        abs(u[0] - speed * y / cells).max() / speed for _, (_, y), _, u in seen(simulation, flow)
    )


def test_couette_flow_between_walls_that_borders_cross_converges():
    coarse, fine = error_of_couette_flow_across(16), error_of_couette_flow_across(32)
    assert coarse < 4e-3
    assert fine < 0.55 * coarse


def viscosity_error(cells, *, along, refinement=True, lattice="D2Q9", collision=trt):
    """Return how much too fast a shear wave decays that crosses borders, relatively."""
    wave, viscosity, speed = 2 * np.pi / cells, 0.02, 0.01

    def wanted(*at):
        return np.where((at[1] >= cells / 4) & (at[1] < 3 * cells / 4), 1, 0) + 0 * sum(at)

    axes = int(lattice[1])
    extent = (cells, cells, 8)[:axes]
    flow, simulation = simulated(
        Setup(
            extent,
            lattice,
            1 / (3 * viscosity + 0.5),
            collision() if collision is trt else collision,
            refinement=Refinement(wanted if refinement else lambda *at: 0 * sum(at), block=8),
        )
    )
    # Along the border's normal, which the flow follows then, or along the border.
    profile = (0, 1) if along == "normal" else (1, 0)
    velocity = [0.0] * axes
    velocity[profile[0]] = lambda *at: speed * np.sin(wave * at[profile[1]]) + 0 * sum(at)
    flow.start(velocity=velocity)

    def energy():
        return sum((u**2).sum() / 2 ** (axes * level) for level, _, _, u in seen(simulation, flow))

    steps = int(0.3 / (viscosity * wave**2))
    simulation.run(steps // 4, progress=False)
    before = energy()
    simulation.run(steps, progress=False)
    return -np.log(energy() / before) / (2 * wave**2 * steps) / viscosity - 1


@pytest.mark.parametrize("along", ["normal", "border"])
@pytest.mark.parametrize(("lattice", "collision"), [("D2Q9", trt), ("D2Q9", regularised)])
def test_shear_waves_keep_their_viscosity_across_a_border(along, lattice, collision):
    assert abs(viscosity_error(32, along=along, lattice=lattice, collision=collision)) < 3e-3


def test_the_error_of_the_viscosity_is_of_second_order():
    coarse, fine = (abs(viscosity_error(cells, along="border")) for cells in (32, 64))
    assert fine < coarse / 3


def reflected(cells):
    """Return what comes back of a pulse of sound that meets finer cells, over its height."""
    sound, height = 3**-0.5, 1e-4

    def density(x):
        return height * np.exp(-(((x - 0.3 * cells) / (0.05 * cells)) ** 2))

    def run(setup, steps):
        flow, simulation = simulated(setup)
        flow.start(
            lambda x, y: 1 + density(x) + 0 * y, [lambda x, y: sound * density(x) + 0 * y, 0.0]
        )
        simulation.run(steps, progress=False)
        return flow, simulation

    def means(rho, width):
        return (rho.mean(axis=1) - 1).reshape(-1, width).mean(axis=1)

    def wanted(x, y):
        return np.where((x >= cells / 2) & (x < 15 * cells / 16), 1, 0) + 0 * y

    steps, half = int(0.4 * cells / sound), np.zeros(cells)
    near = Refinement(wanted, block=4)
    flow, simulation = run(Setup((cells, 8), "D2Q9", 1.9, trt(), refinement=near), steps)
    for level, (x, _), rho, _ in seen(simulation, flow):
        half[x.ravel()[:: 2**level].astype(int)] = means(rho, 2**level)
    everywhere = Setup((2 * cells, 16), "D2Q9", omega_on(1, 1.9), trt(), spacing=0.5)
    flow, simulation = run(everywhere, 2 * steps)
    simulation.execute(flow.observe)
    fine = means(flow.density.gather(), 2)
    behind = slice(cells // 32, cells // 2 - 2)
    return abs(half - fine)[behind].max() / height


def test_sound_is_reflected_at_a_border_at_second_order():
    coarse, fine = reflected(64), reflected(128)
    assert coarse < 0.02
    assert fine < coarse / 3


def test_a_force_drives_the_same_flow_on_all_levels():
    """Poiseuille's parabola between walls, of which one half of the channel is refined."""
    force, viscosity = 1e-6, 0.1
    flow, simulation = simulated(
        Setup(
            (8, 16),
            "D2Q9",
            1 / (3 * viscosity + 0.5),
            trt(),
            sides={"y-": Wall(), "y+": Wall()},
            force=(force, 0.0),
            refinement=Refinement(lambda x, y: np.where(y < 8, 1, 0) + 0 * x, block=4),
        )
    )
    simulation.run(2500, progress=False)
    for _, (_, y), _, u in seen(simulation, flow):
        exact = force / (2 * viscosity) * y * (16 - y)
        assert abs(u[0] - exact).max() < 0.004 * exact.max()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"refinement": 2}, "refinement.*expected a 'Refinement'"),
        ({"lattice": "D3Q15", "extent": (32, 32, 32)}, "was given lattice='D3Q15', which is not"),
        ({"streaming": "in-place"}, "was given streaming='in-place', which is not done on several"),
    ],
)
def test_what_is_not_done_on_several_levels_is_refused(options, message):
    given = {
        "extent": (32, 32),
        "lattice": "D2Q9",
        "omega": 1.5,
        "refinement": Refinement(middle, block=8),
    }
    with pytest.raises(hc.HaloclineError, match=message):
        Setup(**(given | options))
