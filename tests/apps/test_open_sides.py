"""Open sides: sound and vortices leave, means do not drift, and nothing is disturbed within."""

from __future__ import annotations

import numpy as np
import pytest

import halocline as hc
from halocline.apps.lbm.setup.sides import HELD
from halocline.apps.lbm.validation.stability import BGK_OUTFLOW
from halocline.lbm import (
    Inflow,
    Outflow,
    Pressure,
    Setup,
    Sponge,
    Velocity,
    Wall,
    bgk,
    central,
    make_flow,
    mrt,
    regularised,
    trt,
)

SOUND = 3.0**-0.5
SMALL = 1e-3
LENGTH = 200
TRT = trt()
WIDTH = 8.0  # of a pulse: its standard deviation [cells]


def simulated(setup):
    flow = make_flow(setup)
    return flow, hc.Simulation(flow.grid, flow.steps, dt=flow.dt, threads=1, check_every=0)


def reflected(side, boundary, *, lattice="D2Q9", mean=0.0, omega=1.8, collision=TRT, sponge=None):
    """Return how much of a plane pulse comes back from a side, over the pulse.

    Args:
        side: The side that it goes to, along x or y.
        boundary: What is there; opposite is what lets sound out.
        lattice: The lattice.
        mean: Velocity of the fluid, towards the side where it is above 0 [cells / step].
        omega: Relaxation rate.
        collision: The collision.
        sponge: Before the side; None for none.
    """
    axis, sign = "xy".index(side[0]), 1.0 if side[1] == "+" else -1.0
    axes = int(lattice[1])
    along = [0.0] * axes
    along[axis] = sign * mean
    other = side[0] + ("-" if side[1] == "+" else "+")
    opposite = Inflow(along, 1e-9) if mean > 0.0 else Outflow(relaxation=1e-9)
    extent = [4] * axes
    extent[axis] = LENGTH
    flow, simulation = simulated(
        Setup(
            tuple(extent),
            lattice,
            omega,
            collision,
            {side: boundary(tuple(along)) if callable(boundary) else boundary, other: opposite},
            sponges={side: sponge} if sponge else {},
        )
    )
    middle = 0.5 * LENGTH

    def pulse(*x):
        return SMALL * np.exp(-0.5 * ((x[axis] - middle) / WIDTH) ** 2) + 0.0 * sum(x)

    velocity = [0.0] * axes
    velocity[axis] = lambda *x: sign * (mean + SOUND * pulse(*x))
    flow.start(lambda *x: 1.0 + pulse(*x), velocity)
    simulation.run(round(1.35 * middle / (SOUND - abs(mean)) + 60.0), progress=False)
    simulation.execute(flow.observe)
    rho = flow.density.gather() - 1.0
    u = sign * flow.velocity.gather()[axis] - mean
    return float(np.abs(rho - u / SOUND).max() / (2.0 * SMALL))


@pytest.mark.parametrize("side", ["x-", "x+", "y-", "y+"])
@pytest.mark.parametrize("boundary", [Outflow(), Inflow])
def test_at_most_2_per_cent_of_a_pulse_of_sound_come_back(side, boundary):
    assert reflected(side, boundary) < 0.02


@pytest.mark.parametrize(
    "way",
    [
        {"omega": 0.7},
        {"omega": 1.95},
        {"collision": bgk},
        {"collision": regularised},
        {"lattice": "D3Q19"},
    ],
    ids=["omega 0.7", "omega 1.95", "bgk", "regularised", "D3Q19"],
)
def test_so_it_is_with_every_viscosity_collision_and_lattice(way):
    assert reflected("x+", Outflow(), **way) < 0.02


@pytest.mark.parametrize("mean", [0.05, 0.15])
def test_sound_leaves_with_the_stream_and_against_it(mean):
    assert reflected("x+", Outflow(), mean=mean) < 0.02
    assert reflected("x-", Inflow, mean=-mean) < 0.02


def test_what_comes_back_comes_from_the_slow_return_to_what_is_prescribed():
    assert reflected("x+", Outflow(relaxation=1e-9)) < 0.003
    assert reflected("x+", Outflow(relaxation=0.002)) > 0.05


def test_a_sponge_takes_sound_before_a_side_that_reflects():
    assert reflected("x+", Pressure()) > 0.8
    assert reflected("x+", Velocity) > 0.8
    assert reflected("x+", Pressure(), sponge=Sponge(30, (0.0, 0.0))) < 0.005
    assert reflected("x+", Wall(), sponge=Sponge(20, (0.0, 0.0), strength=0.4)) < 0.005


def density_in(length, start, steps, **sides):
    """Return density minus 1 in the first 140 of so many cells along x, after some steps."""
    flow, simulation = simulated(Setup((length, 160), "D2Q9", 1.8, trt(), sides))
    start(flow)
    simulation.run(steps, progress=False)
    simulation.execute(flow.observe)
    return flow.density.gather()[:140] - 1.0


def round_pulse(flow):
    """Start with a round pulse of sound 20 cells from where the shorter domain ends."""

    def bell(x, y):
        return 1.0 + SMALL * np.exp(-0.5 * ((x - 120.0) ** 2 + (y - 80.0) ** 2) / WIDTH**2)

    flow.start(bell)


def test_of_a_round_pulse_that_falls_at_an_angle_a_part_comes_back():
    """Of a plane wave at an angle a from the normal it is (1 - cos a) / (1 + cos a)."""
    ends = {"x-": Outflow(), "x+": Outflow()}
    free = density_in(240, round_pulse, 80, **ends)
    found = density_in(140, round_pulse, 80, **ends)
    back = np.abs(found - free) / np.abs(free).max()
    assert back[:, 60:101].max() < 0.25  # up to 45 degrees
    assert back.max() < 0.4
    hard = density_in(140, round_pulse, 80, **{"x-": Pressure(), "x+": Pressure()})
    assert np.abs(hard - free).max() > 0.9 * np.abs(free).max()


SPIN = 0.02  # of a vortex [cells / step]
STREAM = 0.1


def vortex(flow):
    """Start with a vortex in a stream, 20 cells from where the shorter domain ends."""

    def bell(x, y):
        return np.exp(0.5 - 0.5 * ((x - 120.0) ** 2 + (y - 80.0) ** 2) / 36.0) / 6.0

    flow.start(
        lambda x, y: 1.0 - 1.5 * SPIN**2 * 36.0 * bell(x, y) ** 2,
        (
            lambda x, y: STREAM - SPIN * (y - 80.0) * bell(x, y),
            lambda x, y: SPIN * (x - 120.0) * bell(x, y),
        ),
    )


@pytest.mark.slow
def test_a_vortex_leaves_and_changes_pressures_by_a_quarter_of_its_own():
    stream = Inflow((STREAM, 0.0), 1e-9)
    own = -density_in(140, vortex, 0, **{"x-": stream, "x+": Outflow()}).min()
    for steps in (150, 250, 400):
        free, found, hard = (
            density_in(length, vortex, steps, **{"x-": stream, "x+": outlet})
            for length, outlet in ((420, Outflow()), (140, Outflow()), (140, Pressure()))
        )
        assert np.abs(found - free).max() < 0.25 * own
        assert np.abs(found - free).max() < np.abs(hard - free).max()
    assert np.abs(free).max() < 0.01 * own


def channel(outlet, height=20, length=60, speed=0.05, steps=6000, solid=None, **more):
    """Return density and velocity of a flow that comes in as a parabola between two walls."""

    def parabola(y):
        return (6.0 * speed * (y / height) * (1.0 - y / height), 0.0)

    sides = {"y-": Wall(), "y+": Wall(), "x-": Velocity(parabola), "x+": outlet}
    setup = Setup((length, height), "D2Q9", 1.6, trt(), sides, solid, **more)
    flow, simulation = simulated(setup)
    flow.start(1.0, (lambda x, y: parabola(y)[0] + 0.0 * x, 0.0))
    simulation.run(steps // flow.lattice_steps, progress=False)
    simulation.execute(flow.observe)
    return flow, simulation, parabola


def test_a_parabola_reaches_an_outflow_undisturbed_beside_walls_too():
    flow, _, parabola = channel(Outflow())
    rho, (u, v) = flow.density.gather(), flow.velocity.gather()
    heights = np.arange(20) + 0.5
    # As much faster everywhere as the pressure drop makes the fluid thinner.
    ratio = u[-6:] / parabola(heights)[0]
    assert np.ptp(ratio) < 0.005
    assert np.abs(v[-6:]).max() < 2e-4 * 0.05
    # Along the outlet the pressure is the same, and what was asked for: a part of that of a cell.
    drop = rho[-3] - rho[-2]
    assert np.abs(rho[-1] - 1.0).max() < 0.05 * drop.mean()
    assert np.ptp(drop) < 0.02 * drop.mean()


@pytest.mark.slow
@pytest.mark.parametrize("inlet", [Velocity, Inflow])
def test_between_open_sides_the_mass_does_not_drift(inlet):
    """A blunt body sheds vortices through the outlet for 60 passages of its domain."""
    solid = np.zeros((100, 40), bool)
    solid[20:28, 15:23] = True
    sides = {"y-": Wall(), "y+": Wall(), "x-": inlet((0.06, 0.0)), "x+": Outflow()}
    flow, simulation = simulated(Setup((100, 40), "D2Q9", 1.88, trt(), sides, solid))
    flow.start(1.0, (0.06, 0.0))
    masses = []
    for _ in range(4):
        simulation.run(25_000, progress=False)
        simulation.execute(flow.observe)
        masses.append(float(flow.density.gather()[~solid].mean()))
    u = flow.velocity.gather()
    assert np.abs(u[1][50:]).max() > 0.005  # there are vortices
    assert np.ptp(masses) < 1e-3
    assert masses[0] == pytest.approx(1.0, abs=0.02)
    assert u[0][1:3].mean() == pytest.approx(0.06, rel=0.02)


def noise(setup):
    """Return what is left of noise that differs along the sides, after 200 and after 400 steps."""
    flow, simulation = simulated(setup)
    still = (0.0,) * (len(setup.extent) - 1)
    numbers = (3.1, 1.3, 2.7)

    def wave(*x):
        return 1.0 + SMALL * np.sin(sum(n * a for n, a in zip(numbers, x, strict=False)))

    flow.start(wave, (0.05, *still))
    for _ in range(2):
        simulation.run(200 // flow.lattice_steps, progress=False)
        simulation.execute(flow.observe)
        rho = flow.density.gather()
        across = tuple(range(1, rho.ndim))
        yield float(np.abs(rho - rho.mean(axis=across, keepdims=True)).max()) / SMALL


@pytest.mark.parametrize(
    ("collision", "omega"),
    [(bgk, BGK_OUTFLOW), (trt(), 1.97), (mrt(), 1.9), (regularised, 1.9)],
    ids=["bgk", "trt", "mrt", "regularised"],
)
def test_noise_between_an_inflow_and_an_outflow_dies(collision, omega):
    sides = {"x-": Inflow((0.05, 0.0), HELD), "x+": Outflow()}
    first, second = noise(Setup((40, 20), "D2Q9", omega, collision, sides))
    assert second < 0.01
    assert second < first


def test_noise_dies_in_space_and_in_place():
    """At a 'Velocity' inlet it grows on this lattice at so small a viscosity."""
    sides = {"x-": Inflow((0.05, 0.0, 0.0), HELD), "x+": Outflow()}
    first, second = noise(Setup((20, 8, 8), "D3Q19", 1.93, trt(), sides, streaming="in-place"))
    assert second < 0.01
    assert second < first


def in_the_frame_of_the_flow(lattice, cell_reynolds):
    """Return a stream through a box at a Reynolds number of a cell."""
    sides = {"x-": Inflow((0.05, 0.0, 0.0), HELD), "x+": Outflow()}
    omega = 1.0 / (3.0 * 0.05 / cell_reynolds + 0.5)
    return Setup((16, 8, 8), lattice, omega, central(), sides)


@pytest.mark.parametrize(("lattice", "cell_reynolds"), [("D3Q19", 8.0), ("D3Q27", 20.0)])
def test_noise_dies_where_odd_moments_relax_in_the_frame_of_the_flow(lattice, cell_reynolds):
    first, second = noise(in_the_frame_of_the_flow(lattice, cell_reynolds))
    assert second < 0.05
    assert second < first


def test_such_a_stream_is_refused_where_noise_would_grow():
    """At 12.5 a uniform stream has diverged after 2400 steps, a sphere's after 31 diameters."""
    in_the_frame_of_the_flow("D3Q27", 12.5)
    message = r"number of 12.5 a cell; at most 10 are stable with collision 'central' on D3Q19"
    with pytest.raises(hc.HaloclineError, match=message) as found:
        in_the_frame_of_the_flow("D3Q19", 12.5)
    assert "lattice: D3Q27 is stable further" in str(found.value)
