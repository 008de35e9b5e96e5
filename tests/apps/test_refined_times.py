"""Forces, sides and sponges that change in time and place on several levels."""

from __future__ import annotations

import numpy as np
import pytest

import halocline as hc
from halocline.apps.lbm.setup.refinement import omega_on
from halocline.lbm import Inflow, Outflow, Refinement, Setup, Sponge, Velocity, Wall, make_flow, trt

POISON = hc.Strategy(poison=True)


def simulated(**setup):
    flow = make_flow(Setup(lattice="D2Q9", collision=trt(), **setup))
    return flow, hc.Simulation(flow.grid, flow.steps, dt=flow.dt, strategy=POISON)


def test_a_swinging_inlet_is_that_of_finer_cells_everywhere():
    """A duct with finer cells at the inlet, beside one with such cells in all of it."""

    def swinging(t):
        return (0.02 * hc.sin(0.05 * t), 0.0)

    sides = {"y-": Wall(), "y+": Wall(), "x-": Inflow(swinging), "x+": Outflow()}
    refinement = Refinement(lambda x, y: np.where(x < 16, 1, 0) + 0 * y, block=4)
    common = {"sides": sides}
    flow, simulation = simulated(extent=(32, 8), omega=1.4, refinement=refinement, **common)
    simulation.run(60, progress=False)
    fine, beside = simulated(
        extent=(64, 16), omega=omega_on(1, 1.4), spacing=0.5, step_time=0.5, **common
    )
    beside.run(120, progress=False)
    for one, simulated_one in ((flow, simulation), (fine, beside)):
        simulated_one.execute(one.observe)
    expected = fine.velocity.gather()[0]
    found = flow.velocity.level(1).gather()[0]
    inside = (slice(0, 24), slice(None))
    assert abs(found[inside] - expected[inside]).max() < 0.02 * abs(expected).max()


def test_a_sponge_takes_as_much_of_a_pulse_on_finer_cells():
    def left(refinement):
        sides = {"x-": Velocity((0.0, 0.0)), "x+": Velocity((0.0, 0.0))}
        sponges = {"x+": Sponge(16, (0.0, 0.0), strength=0.2)}
        flow, simulation = simulated(
            extent=(64, 8), omega=1.8, sides=sides, sponges=sponges, refinement=refinement
        )
        pulse = lambda x, y: 1e-3 * np.exp(-(((x - 24) / 4) ** 2)) + 0 * y  # noqa: E731
        flow.start(lambda x, y: 1 + pulse(x, y), [lambda x, y: 3**-0.5 * pulse(x, y), 0.0])
        simulation.run(100, progress=False)
        simulation.execute(flow.observe)
        density = flow.density if refinement is None else flow.density.level(0)
        return density.gather()[:32, 0] - 1

    refinement = Refinement(lambda x, y: np.where(x >= 48, 1, 0) + 0 * y, block=8)
    coarse, fine = left(None), left(refinement)
    assert abs(coarse).max() < 2e-4
    assert abs(fine - coarse).max() < 5e-5


@pytest.mark.parametrize("level", [1, 2])
def test_a_force_of_the_time_has_the_length_of_the_steps_of_a_level(level):
    """In all of the domain, beside the same flow on one grid."""

    def stirring(y, t):
        return (1e-4 * hc.sin(0.3 * t + y), 0.0)

    walls = {"y-": Wall(), "y+": Wall()}
    refinement = Refinement(lambda x, y: level + 0 * x * y, finest=level + 1, block=4)
    common = {"force": stirring, "sides": walls}
    flow, simulation = simulated(extent=(8, 8), omega=1.3, refinement=refinement, **common)
    simulation.run(5, progress=False)
    parts = 2**level

    def weaker(y, t):
        return tuple(g / parts for g in stirring(y, t))

    common["force"] = weaker
    fine, beside = simulated(
        extent=(8 * parts, 8 * parts),
        omega=omega_on(level, 1.3),
        spacing=1 / parts,
        step_time=1 / parts,
        **common,
    )
    beside.run(5 * parts, progress=False)
    for one, simulated_one in ((flow, simulation), (fine, beside)):
        simulated_one.execute(one.observe)
    found, expected = flow.velocity.level(level).gather(), fine.velocity.gather()
    assert abs(expected).max() > 1e-4
    assert abs(found - expected).max() < 1e-15
