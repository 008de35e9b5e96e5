"""Waves of the surface beside layers: whether a macro step makes them grow, and water at rest.

Two layers of ideal fluid over a flat bed, linear, one wave number: a macro step is a matrix, whose
eigenvalues say what grows. Beside it, that the model's micro steps are those of the matrix.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from basins import DEEP, FRICTIONLESS, G, Run
from msgspec.structs import replace

from halocline.apps.ocean.physics.drag import LogarithmicDrag
from halocline.apps.ocean.physics.equation_of_state import REFERENCE_DENSITY, eos80, linear
from halocline.apps.ocean.physics.mode_splitting import LONGEST
from halocline.apps.ocean.setup.domain import Domain
from halocline.apps.ocean.setup.setup import Setup
from halocline.apps.ocean.setup.sigma import Sigma

MICRO_STEPS = (1, 2, 3, 5, 10, 20, 30)
# Of both schemes: see the first lines of 'mode_splitting'.
DAMPED = {"damping": 0.1, "following": 1.0}
GETM = {"damping": 0.0, "following": 0.0}


def growth(turns, micro_steps, excess, share, damping, following):
    """Return the largest factors by which something grows in a macro step.

    Depth, gravity and micro step are 1, so wave numbers are the angles of a micro step.

    Args:
        turns: Those angles, of waves of the surface.
        micro_steps: Of a macro step.
        excess: Of the density of the lower layer, relative.
        share: Of the depth that is the lower layer.
        damping: See 'mode_splitting'.
        following: How much of the change of the internal pressure each micro step feels.
    """
    slope = -1j * turns[:, None]
    zeta, transport, shear, interface = state = np.eye(4, dtype=complex)
    mean = 0.0
    for _ in range(micro_steps):
        moved = interface + following * share * (zeta - state[0])
        counted = zeta + damping * slope * transport
        transport = transport + slope * (counted + share * excess * moved)
        zeta = zeta + slope * transport
        mean = mean + transport / micro_steps
    shear = shear + micro_steps * slope * excess * interface
    lower = share * (mean + (1.0 - share) * shear)
    interface = interface + micro_steps * slope * lower
    step = np.stack([zeta, transport, shear, interface], axis=1)
    return abs(np.linalg.eigvals(step)).max()


def largest_growth(micro_steps, scheme):
    """Return it for all waves that the limit of the micro step allows, and many stratifications.

    Waves inside turn by an angle of 1.9 in a macro step at most, so they are stable by themselves.
    """
    found = 0.0
    most = 2.0 * LONGEST
    for excess in (3e-4, 1e-3, 3e-3, 0.01, 0.03):
        for share in (0.1, 0.3, 0.5, 0.7, 0.9):
            inside = np.sqrt(excess * share * (1.0 - share))
            turns = np.linspace(0.0, min(most, 1.9 / (micro_steps * inside)), 101)[1:]
            found = max(found, growth(turns, micro_steps, excess, share, **scheme))
    return found


@pytest.mark.parametrize("micro_steps", MICRO_STEPS)
def test_nothing_grows_beside_layers_whatever_the_number_of_micro_steps(micro_steps):
    assert largest_growth(micro_steps, DAMPED) <= 1.0 + 1e-12


@pytest.mark.parametrize("micro_steps", MICRO_STEPS)
def test_waves_grow_in_getms_scheme_unless_a_macro_step_is_a_micro_step(micro_steps):
    found = largest_growth(micro_steps, GETM)
    assert found > 1.02 if micro_steps > 1 else found <= 1.0 + 1e-12


NX, DEPTH, WIDTH, STEP = 16, 10.0, 100.0, 4.0
TURN = 2.0 * np.sin(np.pi / NX) * STEP / WIDTH * np.sqrt(G * DEPTH)


def channel(**more):
    """Return a channel that closes on itself, with a small wave along it, without friction."""
    wave = 1e-6 * np.cos(2.0 * np.pi * (np.arange(NX) + 0.5) / NX)
    flat = Domain(np.full((NX, 2), DEPTH), (WIDTH, WIDTH), periodic=(True, True))
    given = {
        "micro_steps": 12,
        "drag": FRICTIONLESS,
        "advection": "none",
        "turbulence": "constant",
        "layers": Sigma(20),
        "zeta": np.repeat(wave[:, None], 2, axis=1),
    }
    return Setup(flat, STEP, **{**given, **DEEP, **more})


def stepped(stiffness, damping=0.1):
    """Return by which factor the wave has changed after a macro step.

    Layers are level when it begins, so only what the surface does since then moves them.
    """
    zeta, change, transport = 1.0, 0.0, 0.0
    for _ in range(12):
        transport -= TURN * (zeta + stiffness * (zeta - 1.0) + damping * change)
        change = TURN * transport
        zeta += change
    return zeta


def found(**given):
    setup = channel(**given)
    first = setup.zeta
    return float(np.sum(Run(setup, target="numpy").steps(1).zeta * first) / np.sum(first * first))


def test_micro_steps_damp_waves_as_the_matrix_says():
    assert found() == pytest.approx(stepped(0.0), rel=1e-9)
    assert found(mode_splitting="getm") == pytest.approx(stepped(0.0, 0.0), rel=1e-9)


def test_micro_steps_feel_the_layers_that_the_surface_raises():
    # The sum of s² times the change of the density, over the faces between layers.
    excess, layers = 30.0 / REFERENCE_DENSITY, 20
    stiffness = sum((face / layers) ** 2 for face in range(1, layers)) * excess / layers
    change = found(
        temperature=lambda x, y, z: -30.0 * z / DEPTH + 0.0 * (x + y),
        density=lambda temperature, salinity: temperature,
    ) - stepped(0.0)
    assert change == pytest.approx(stepped(stiffness) - stepped(0.0), rel=0.005)


def profile(heights, values):
    """Return a tracer that is linear in the height between these, from the bed up."""
    return lambda x, y, z: np.interp(z, heights, values) + 0.0 * (x + y)


def section(depth, width, **given):
    """Return what water at rest has above a bed that differs along x alone."""
    bed = Domain(np.repeat(depth[:, None], 2, axis=1), (width, width), periodic=(False, True))
    water = {"density": partial(eos80, reference=REFERENCE_DENSITY), "temperature": 10.0}
    return {"domain": bed, "layers": Sigma(20), **water, **given}


def slope(deepest, shallowest):
    """Return depths of 60 cells between these."""
    wave = np.cos(np.pi * (np.arange(60) + 0.5) / 60)
    return 0.5 * (deepest + shallowest + (deepest - shallowest) * wave)


def seamount():
    """Return that of the case 'seamount', cut through its summit."""
    x = (np.arange(66) - 33) * 8e3 / 50e3
    return section(
        4500.0 * (1.0 - 0.6 * np.exp(-(x**2))),
        8e3,
        drag=LogarithmicDrag(0.01),
        temperature=lambda x, y, z: 5.0 + 15.0 * np.exp(z / 1000.0) + 0.0 * (x + y),
        density=partial(linear, reference=REFERENCE_DENSITY, by_temperature=-0.17, by_salinity=0.0),
    )


SECTIONS = {
    "estuary": section(
        slope(20.0, 10.0), 100.0, salinity=profile((-30, -8, -4, 0), (30, 29, 20, 5))
    ),
    "shelf": section(
        slope(90.0, 45.0),
        1e3,
        salinity=35.0,
        temperature=profile((-100, -25, -10, 0), (8, 9, 17, 18)),
    ),
    "slope": section(
        slope(900.0, 450.0),
        4e3,
        salinity=35.0,
        temperature=profile((-1000, -200, -50, 0), (4, 9, 15, 18)),
    ),
    "seamount": seamount(),
}


def at_rest(name, hours, samples=1, **more):
    """Return the largest second difference along x [m] and the energy, at several times."""
    given = SECTIONS[name] | more
    setup = Setup(micro_step=1.0, check_cfl=False, **given)
    longest = replace(setup, mode_splitting="damped").longest_step
    setup = replace(setup, micro_step=longest)
    run, found = Run(setup), []
    for _ in range(samples):
        run.steps(round(3600 * hours / samples / setup.macro_step))
        layers = run.model.layers
        thickness = layers.after.gather()[..., None] * setup.layers.fractions
        flow = layers.columns["x"].transport.gather()[:-1]
        energy = 0.5 * np.sum(flow**2 / thickness)
        found.append((abs(np.diff(run.zeta, 2, axis=0)).max(), energy))
    return np.transpose(found)


def test_stratified_water_at_rest_above_a_slope_stays_smooth():
    assert at_rest("estuary", 6, micro_steps=10)[0].max() < 2e-4


def test_getms_scheme_makes_waves_of_the_same_water():
    assert at_rest("estuary", 6, micro_steps=10, mode_splitting="getm")[0].max() > 2e-3


@pytest.mark.slow
@pytest.mark.parametrize("micro_steps", [3, 10, 30])
@pytest.mark.parametrize("name", SECTIONS)
def test_sixty_days_at_rest_are_quiet(name, micro_steps):
    noise, energy = at_rest(name, 60 * 24, samples=8, micro_steps=micro_steps)
    assert noise.max() < 1e-3
    # Nothing grows in the last 30 days.
    assert energy[-1] <= energy[3:-1].max()
