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


def at_rest(height):
    return 15.0 + GRADIENT * height


def beyond(x, y, height):
    """Return temperatures that rise and fall by 1 m in mid-depth, after a ramp of a period."""
    times = np.arange(0.0, 4.0 * PERIOD, 900.0)
    raised = np.sin(2.0 * np.pi * times / PERIOD) * np.minimum(times / PERIOD, 1.0)
    mode = np.sin(np.pi * height / DEPTH)
    return hc.Series(times, at_rest(height) + GRADIENT * raised[:, None, None] * mode)


@pytest.mark.slow
def test_an_internal_wave_enters_at_the_speed_of_the_first_mode(record):
    began = perf_counter()
    west = ocean.OpenBoundary("west", 0, 0, 1)
    setup = ocean.Setup(
        flat(CELLS, 2, WIDTH, DEPTH, open=(west,)),
        micro_step=8.0,
        micro_steps=10,
        layers=ocean.Sigma(LAYERS),
        turbulence="constant",
        drag=FRICTIONLESS,
        temperature=lambda x, y, height: at_rest(height) + 0.0 * x,
        sea_temperature=beyond,
        sponge=1,
        density=lambda t, s: -EXPANSION * (t - 10.0),
        **DEEP,
    )
    run = Run(setup)
    # Two periods for the ramp and the way to the last cell; a third is analysed. What the closed
    # end reflects comes later.
    samples = round(3.0 * PERIOD / setup.macro_step / SAMPLED)
    assert setup.macro_step * SAMPLED * samples < (2.0 * CELLS - 25.0) * WIDTH / SPEED
    height = DEPTH * ((np.arange(LAYERS) + 0.5) / LAYERS - 1.0)
    mode = np.sin(np.pi * height / DEPTH)
    raised = []
    for _ in range(samples):
        temperature = run.steps(SAMPLED).model.layers.tracers[0].gather()[:, 0]
        raised.append((temperature - at_rest(height)) @ mode * 2.0 / LAYERS / GRADIENT)
    times = setup.macro_step * SAMPLED * np.arange(1, samples + 1)
    is_last = times > times[-1] - PERIOD * (1.0 - 1e-9)
    turning = np.exp(-2j * np.pi * times[is_last] / PERIOD)
    wave = 2.0 * np.mean(np.array(raised)[is_last] * turning[:, None], axis=0)[4:25]
    wave_number = -np.polyfit(WIDTH * np.arange(wave.size), np.unwrap(np.angle(wave)), 1)[0]
    error = abs(2.0 * np.pi / PERIOD / wave_number / SPEED - 1.0)
    seconds = perf_counter() - began
    case = f"internal wave, {CELLS} cells, {LAYERS} layers"
    record(case, "phase speed, relative", "linear theory, N H / pi", error, 0.01, seconds)
    lost = np.abs(np.abs(wave) - 1.0).max()
    record(case, "amplitude, greatest error", "that of the boundary", lost, 0.1, seconds)
    assert error < 0.01
    assert lost < 0.1
