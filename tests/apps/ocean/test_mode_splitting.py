"""Waves of the surface beside layers: whether a macro step makes them grow, and water at rest.

Two layers of ideal fluid over a flat bed, linear, one wave number: a macro step is a matrix, whose
eigenvalues say what grows. Beside it, that the model's micro steps are those of the matrix.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from basins import DEEP, FRICTIONLESS, G, Run

from halocline.apps.ocean.domain import Domain
from halocline.apps.ocean.equation_of_state import REFERENCE_DENSITY, eos80
from halocline.apps.ocean.mode_splitting import LONGEST
from halocline.apps.ocean.setup import Setup, longest_step
from halocline.apps.ocean.sigma import Sigma

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
        "sigma": Sigma(20),
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


def estuary(**more):
    """Return brackish above salt water at rest, above a bed that slopes along x."""
    depth = 15.0 + 5.0 * np.cos(np.pi * (np.arange(60) + 0.5) / 60)
    domain = Domain(np.repeat(depth[:, None], 2, axis=1), (100.0, 100.0), periodic=(False, True))
    heights, salt = (-30.0, -8.0, -4.0, 0.0), (30.0, 29.0, 20.0, 5.0)
    given = {
        "sigma": Sigma(20),
        "temperature": 10.0,
        "salinity": lambda x, y, z: np.interp(z, heights, salt) + 0.0 * (x + y),
        "density": partial(eos80, reference=REFERENCE_DENSITY),
    }
    longest = longest_step(Setup(domain, 1.0, **given))
    return Setup(domain, longest, **{**given, **more})


def noise(run):
    """Return the largest second difference of the elevation along x [m]."""
    return abs(np.diff(run.zeta, 2, axis=0)).max()


def at_rest(hours, **more):
    setup = estuary(**more)
    return noise(Run(setup).steps(round(3600 * hours / setup.macro_step)))


def test_stratified_water_at_rest_above_a_slope_stays_smooth():
    assert at_rest(6, micro_steps=10) < 2e-4


def test_getms_scheme_makes_waves_of_the_same_water():
    assert at_rest(6, micro_steps=10, mode_splitting="getm") > 2e-3
