"""An internal wave enters a channel: the sea beyond its open end rises and falls.

python examples/internal_wave.py [cells hours]
mpiexec -n 4 python examples/internal_wave.py
"""

import sys
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import halocline as hc
import halocline.ocean as ocean

cells, hours = map(int, sys.argv[1:] or (80, 30))
length, depth, layers = 40e3, 100.0, 20  # m, m
period, frequency, expansion, amplitude = 12.0 * 3600.0, 0.01, 0.2, 2.0  # s, 1/s, kg/m³/K, m
gradient = frequency**2 * 1025.0 / (9.81 * expansion)  # K/m
speed = frequency * depth / np.pi  # m/s, of the first mode of long waves


def raised(time: Any) -> Any:  # of the water in the middle of the depth [m]
    ramp = np.clip(time / period, 0.0, 1.0)
    return amplitude * ramp * np.sin(2.0 * np.pi * time / period)


def at_rest(height: Any) -> Any:
    return 15.0 + gradient * height


def beyond(x: Any, y: Any, height: Any) -> Any:  # of open cells and their layers
    times = np.arange(0.0, 3600.0 * (hours + 1), 600.0)
    mode = np.sin(np.pi * height / depth)
    return hc.Series(times, at_rest(height) + gradient * raised(times)[:, None, None] * mode)


west, width = ocean.OpenBoundary("west", 0, 0, 1), length / cells
channel = ocean.Domain(np.full((cells, 2), depth), (width, width), open=(west,))
setup = ocean.Setup(
    *(channel, 8.0, 10),
    layers=ocean.Sigma(layers),
    turbulence="constant",
    drag=ocean.LinearDrag(0.0),
    temperature=lambda x, y, height: at_rest(height) + 0.0 * (x + y),
    sea_temperature=beyond,
    density=lambda t, s: -expansion * (t - 10.0),
    sponge=1,
)
model = ocean.make_model(setup)
simulation = hc.Simulation(model.grid, model.steps, dt=setup.macro_step)
simulation.run(round(hours * 3600.0 / setup.macro_step), progress=False)
temperature = model.tracers["temperature"][:, 0, :]
x, height = width * np.arange(cells), depth * ((np.arange(layers) + 0.5) / layers - 1.0)
mode = np.sin(np.pi * height / depth)
found = (temperature - at_rest(height)) @ mode * 2.0 / layers / gradient
error = np.abs(found - raised(hours * 3600.0 - x / speed)).max() / amplitude
if simulation.rank == 0:
    print(f"error {error:.3f}: of the wave, over its amplitude, against linear theory")
    plt.figure(figsize=(5.5, 4), layout="constrained")
    plt.contourf(x / 1e3, height, np.transpose(temperature), 24, cmap="RdYlBu_r")
    plt.plot(x / 1e3, found - 0.5 * depth, "k", label="water of mid-depth"), plt.legend()
    plt.colorbar(label="temperature [degC]"), plt.ylabel("height [m]"), plt.xlabel("x [km]")
    plt.title(f"An internal wave after {hours} hours"), plt.savefig("internal_wave.png", dpi=80)
