"""An internal wave that the sea beyond an open boundary brings, by profiles that change in time."""

from __future__ import annotations

from time import perf_counter

import numpy as np
import pytest
from basins import DEEP, FRICTIONLESS, G, Run, flat

import halocline as hc
from halocline import ocean

# Linear stratification in a channel of 40 km.
DEPTH, LAYERS, CELLS, WIDTH = 100.0, 20, 80, 500.0
FREQUENCY, PERIOD, DENSITY, EXPANSION = 0.01, 43200.0, 1025.0, 0.2
GRADIENT = FREQUENCY**2 * DENSITY / (G * EXPANSION)
# Of the first mode of long waves below a rigid lid: N H / pi.
SPEED = FREQUENCY * DEPTH / np.pi
SAMPLED = 15
TIMES = np.arange(0.0, 5.0 * PERIOD, 900.0)


def at_rest(height):
    return 15.0 + GRADIENT * height


def wave(time):
    """Return by how much water in mid-depth is raised: a wave of 1 m, after a ramp of a period."""
    return np.sin(2.0 * np.pi * time / PERIOD) * np.minimum(time / PERIOD, 1.0)


def pulse(time):
    """Return a pulse of 1 m that lasts for a period."""
    return np.where(time < PERIOD, np.sin(np.pi * time / PERIOD) ** 2, 0.0)


def of_west(values, x):
    """Return series whose values (times, cells, layers) come in the west alone."""
    return hc.Series(TIMES, np.where(x < 0.5 * CELLS * WIDTH, values, 0.0))


def temperatures(raised):
    """Return the temperatures of the first mode beyond the western end; at rest in the east."""

    def beyond(x, y, height):
        mode = GRADIENT * np.sin(np.pi * height / DEPTH)
        moved = of_west(raised(TIMES)[:, None, None] * mode, x)
        return hc.Series(TIMES, at_rest(height) + moved.values)

    return beyond


def currents(raised):
    """Return the currents of the first mode that goes east: -N raised cos(pi z / H)."""

    def beyond(x, y, height):
        mode = -FREQUENCY * np.cos(np.pi * height / DEPTH)
        return of_west(raised(TIMES)[:, None, None] * mode, x)

    return beyond


def channel(*sides, **more):
    """Return a channel open at some sides, without friction."""
    lines = tuple(
        ocean.OpenBoundary(side, 0 if side == "west" else CELLS - 1, 0, 1) for side in sides
    )
    return Run(
        ocean.Setup(
            flat(CELLS, 2, WIDTH, DEPTH, open=lines),
            micro_step=8.0,
            micro_steps=10,
            layers=ocean.Sigma(LAYERS),
            turbulence="constant",
            drag=FRICTIONLESS,
            temperature=lambda x, y, height: at_rest(height) + 0.0 * x,
            density=lambda t, s: -EXPANSION * (t - 10.0),
            **{**DEEP, **more},
        )
    )


def raised(run):
    """Return by how much the first mode raises the water in mid-depth of each cell along x [m]."""
    height = DEPTH * ((np.arange(LAYERS) + 0.5) / LAYERS - 1.0)
    temperature = run.model.layers.tracers[0].gather()[:, 0]
    mode = np.sin(np.pi * height / DEPTH)
    return (temperature - at_rest(height)) @ mode * 2.0 / LAYERS / GRADIENT


@pytest.mark.slow
@pytest.mark.parametrize(
    ("beyond", "name"),
    [
        ({"sea_temperature": temperatures(wave)}, "internal wave"),
        ({"layer_current": currents(wave)}, "internal wave by currents"),
    ],
    ids=["temperatures", "currents"],
)
def test_an_internal_wave_enters_at_the_speed_of_the_first_mode(beyond, name, record):
    began = perf_counter()
    run = channel("west", sponge=1, **beyond)
    # Two periods for the ramp and the way to the last cell; a third is analysed. What the closed
    # end reflects comes later.
    sample = run.setup.macro_step * SAMPLED
    samples = round(3.0 * PERIOD / sample)
    assert sample * samples < (2.0 * CELLS - 25.0) * WIDTH / SPEED
    found = np.array([raised(run.steps(SAMPLED)) for _ in range(samples)])
    times = sample * np.arange(1, samples + 1)
    is_last = times > times[-1] - PERIOD * (1.0 - 1e-9)
    turning = np.exp(-2j * np.pi * times[is_last] / PERIOD)
    amplitudes = 2.0 * np.mean(found[is_last] * turning[:, None], axis=0)[4:25]
    phases = np.unwrap(np.angle(amplitudes))
    wave_number = -np.polyfit(WIDTH * np.arange(phases.size), phases, 1)[0]
    error = abs(2.0 * np.pi / PERIOD / wave_number / SPEED - 1.0)
    seconds = perf_counter() - began
    case = f"{name}, {CELLS} cells, {LAYERS} layers"
    record(case, "phase speed, relative", "linear theory, N H / pi", error, 0.01, seconds)
    lost = np.abs(np.abs(amplitudes) - 1.0).max()
    record(case, "amplitude, greatest error", "that of the boundary", lost, 0.1, seconds)
    assert error < 0.01
    assert lost < 0.1


def left_behind(**more):
    """Return the amplitude of a pulse that crosses the channel, and of what its end sends back."""
    run = channel("west", "east", sponge=12, sea_temperature=temperatures(pulse), **more)
    crossing = CELLS * WIDTH / SPEED
    middle = slice(12, -12)
    steps = [round(time / run.setup.macro_step) for time in (0.75 * crossing, 1.5 * crossing)]
    crosses = np.abs(raised(run.steps(steps[0]))[middle]).max()
    return crosses, np.abs(raised(run.steps(steps[1] - steps[0]))[middle]).max()


@pytest.mark.slow
def test_an_internal_wave_leaves_through_a_sponge_of_tracers_and_currents(record):
    began = perf_counter()
    crosses, comes_back = left_behind(layer_current=currents(pulse))
    case = f"internal pulse, {CELLS} cells, sponge of 12"
    share, seconds = comes_back / crosses, perf_counter() - began
    record(case, "reflected share of its amplitude", "none", share, 0.2, seconds)
    assert crosses > 0.9
    assert share < 0.2
    # Without currents more than half comes back.
    alone, returned = left_behind()
    assert returned > 2.0 * share * alone
