"""Functions of place and time on sides and as force, against exact solutions.

Coordinates are those of the grid, times those of the step: spacing, origin and step time are
nothing in particular.
"""

from __future__ import annotations

import cmath

import numpy as np
import pytest
from msgspec.structs import replace

import halocline as hc
from halocline.lbm import Inflow, Outflow, Pressure, Setup, Velocity, Wall, make_flow, trt

SOUND = 3.0**-0.5
SPACING, ORIGIN, STEP_TIME = 0.25, -3.0, 0.1
SMALL = 1e-4
STREAMINGS = ("two-grids", "in-place")


def run(setup, steps, start=None):
    """Return the flow after so many lattice steps, and the time of what is read off."""
    setup = replace(setup, spacing=SPACING, origin=ORIGIN, step_time=STEP_TIME)
    flow = make_flow(setup)
    simulation = hc.Simulation(flow.grid, flow.steps, dt=flow.dt, threads=1, check_every=0)
    flow.start(**(start or {}))
    simulation.run(steps // flow.lattice_steps, progress=False)
    simulation.execute(flow.observe)
    return flow, (steps - 1) * STEP_TIME


@pytest.mark.parametrize("streaming", STREAMINGS)
@pytest.mark.parametrize("lattice", ["D2Q9", "D3Q19"])
def test_a_force_that_varies_in_place_and_time_drives_the_exact_flow(lattice, streaming):
    """Kolmogorov's flow swinging: u = Re(F exp(i w t) / (i w + nu k²)) sin(k y)."""
    n, omega = 24, 1.6
    extent = (4, n) if lattice == "D2Q9" else (4, n, 4)
    viscosity = (1.0 / omega - 0.5) / 3.0
    k = 2.0 * np.pi / n  # by cells
    frequency = 2.0 * np.pi / 400.0  # by lattice steps
    amplitude = 1e-5
    still = (0.0,) * (len(extent) - 1)

    def force(y, t):
        swing = amplitude * hc.cos(frequency / STEP_TIME * t)
        return (swing * hc.sin(k / SPACING * (y - ORIGIN)), *still)

    response = amplitude / (1j * frequency + viscosity * k**2)
    heights = k * (np.arange(n) + 0.5)

    def exact(time):
        swing = (response * cmath.exp(1j * frequency / STEP_TIME * time)).real
        return swing * np.sin(heights)

    def u(*x):
        return exact(-STEP_TIME)[np.round((x[1] - ORIGIN) / SPACING - 0.5).astype(int)] + 0.0 * x[0]

    setup = Setup(extent, lattice, omega, trt(), force=force, streaming=streaming)
    flow, time = run(setup, 600, {"velocity": (u, *still)})
    found = flow.velocity.gather()[0].reshape(4, n, -1)[1, :, 0]
    assert np.abs(found - exact(time)).max() < 0.01 * abs(response)


def test_a_force_along_each_axis_is_that_of_the_cell():
    """A fluid at rest feels in one step what the function says of the middle of its cells."""
    setup = Setup((5, 4), "D2Q9", 1.0, force=lambda x, y, t: (1e-6 * x, 1e-6 * (y - t)))
    flow, time = run(setup, 2)
    before, _ = run(setup, 1)
    x, y = (ORIGIN + SPACING * (np.arange(n) + 0.5) for n in (5, 4))
    gained = before.velocity.gather()
    assert np.allclose(gained[0], 0.5e-6 * x[:, None], atol=1e-9)
    assert np.allclose(gained[1], 0.5e-6 * y, atol=1e-9)
    assert time == STEP_TIME
    assert flow.velocity.gather()[1].mean() == pytest.approx(1e-6 * (1.5 * y.mean() - 0.05), 1e-3)


def heard(boundary, what):
    """Return what a duct carries of a sound that a side x- makes, beside the exact wave.

    The sound has 60 cells to a wave, begins slowly, and goes out at the other end.
    """
    n, steps = 240, 600
    frequency = 2.0 * np.pi * SOUND / 60.0  # by lattice steps
    period = 2.0 * np.pi / frequency * STEP_TIME

    def sound(t):
        return SMALL * hc.ramp(t, 2.0 * period) * hc.sin(frequency / STEP_TIME * t)

    sides = {"x-": boundary(sound), "x+": Outflow(relaxation=1e-9)}
    flow, time = run(Setup((n, 4), "D2Q9", 1.95, trt(), sides), steps)
    far = np.arange(n)  # the side lies in the middle of the first cells
    exact = sound(time - far / SOUND * STEP_TIME)
    # Less what the bulk viscosity takes.
    viscosity = (1.0 / 1.95 - 0.5) / 3.0
    exact *= np.exp(-viscosity * (frequency / SOUND) ** 2 / SOUND * far)
    found = (
        flow.density.gather()[:, 1] - 1.0 if what == "density" else flow.velocity.gather()[0][:, 1]
    )
    return found, exact


@pytest.mark.parametrize(
    ("boundary", "what"),
    [
        (lambda sound: Velocity(lambda t: (sound(t), 0.0)), "velocity"),
        (lambda sound: Inflow(lambda t: (sound(t), 0.0)), "velocity"),
        (lambda sound: Pressure(lambda t: 1.0 + sound(t)), "density"),
        (lambda sound: Outflow(lambda t: 1.0 + sound(t)), "density"),
    ],
    ids=["velocity", "inflow", "pressure", "outflow"],
)
def test_a_side_that_changes_in_time_sends_the_exact_sound_through_a_duct(boundary, what):
    found, exact = heard(boundary, what)
    assert np.abs(found - exact).max() < 0.03 * SMALL


@pytest.mark.parametrize("inlet", [Velocity, lambda u: Inflow(u, 0.05)], ids=["velocity", "inflow"])
def test_a_pulsating_profile_comes_through_a_channel(inlet):
    """Womersley's flow between two walls, prescribed at the inlet, is found further on."""
    n, omega, steps = 24, 1.5, 1500
    viscosity = (1.0 / omega - 0.5) / 3.0
    frequency = 2.0 * np.pi / 3000.0  # by lattice steps; sound crosses the channel in 80
    root = cmath.exp(0.25j * np.pi) * 0.5 * n * np.sqrt(frequency / viscosity)
    speed = 0.02

    def swing(shape, t):
        """Return the real part of a shape times exp(i w t)."""
        real, imaginary = shape
        angle = frequency / STEP_TIME * t
        return real * hc.cos(angle) - imaginary * hc.sin(angle)

    def shape(y):
        """Return 1 - cosh(root s) / cosh(root) at s from -1 to 1, as real and imaginary part."""
        a, b = root.real, root.imag
        s = (y - ORIGIN) / (0.5 * n * SPACING) - 1.0
        real, imaginary = hc.cosh(a * s) * hc.cos(b * s), hc.sinh(a * s) * hc.sin(b * s)
        end = 1.0 / cmath.cosh(root)
        return (
            1.0 - (real * end.real - imaginary * end.imag),
            -(real * end.imag + imaginary * end.real),
        )

    def profile(y, t):
        return (speed * swing(shape(y), t), 0.0)

    sides = {"y-": Wall(), "y+": Wall(), "x-": inlet(profile), "x+": Outflow(relaxation=0.02)}
    heights = ORIGIN + SPACING * (np.arange(n) + 0.5)
    start = {"velocity": (lambda x, y: profile(y, -STEP_TIME)[0] + 0.0 * x, 0.0)}
    flow, time = run(Setup((48, n), "D2Q9", omega, trt(), sides), steps, start)
    found = flow.velocity.gather()[0][24]
    assert np.abs(found - profile(heights, time)[0]).max() < 0.03 * speed
