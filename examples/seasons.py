"""A year at sea: the air heats and cools a column of water, which the wind mixes.

python examples/seasons.py [layers days]
mpiexec -n 4 python examples/seasons.py
"""

import sys
from datetime import datetime
from functools import partial
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import halocline as hc
import halocline.ocean as ocean

layers, days = map(int, sys.argv[1:] or (40, 365))
depth, day, hour, heat_capacity = 60.0, 86400.0, 3600.0, 1025.0 * 3985.0  # m, s, s, J/m³/K
times = np.arange(0.0, (days + 1.0) * day, 3.0 * hour)
season = np.cos(2.0 * np.pi * (times / day - 30.0) / 365.0)  # the coldest day is 31 January
storms = np.sin(2.0 * np.pi * times / (5.0 * day)) ** 2
warmth = 10.0 - 7.0 * season + 1.5 * np.sin(2.0 * np.pi * (times / day - 0.4))
air = ocean.Atmosphere(
    wind=(hc.Series(times, 4.0 + (6.0 + 4.0 * season) * storms), 1.0),  # m/s
    temperature=hc.Series(times, warmth),  # degC
    humidity=hc.Series(times, 0.0030 * np.exp(0.065 * warmth)),  # kg/kg
    cloud=hc.Series(times, 0.5 + 0.3 * storms),
    begin=datetime(2026, 1, 1),
    place=(54.0, 7.0),
)
sea = ocean.Domain(np.full((4, 4), depth), (1e5, 1e5), periodic=(True, True), f=1.2e-4)
sigma = ocean.Sigma(layers, zoom_surface=1.0)
dense = partial(ocean.eos80, reference=ocean.REFERENCE_DENSITY)
water: dict[str, Any] = {"temperature": 7.0, "salinity": 34.0, "density": dense, "water_type": "II"}
setup = ocean.Setup(sea, hour / 10.0, layers=sigma, atmosphere=air, **water)
model = ocean.make_model(setup)
assert model.layers is not None
temperature = model.tracers["temperature"]
forcing: Any = model.forcing
entered = model.grid.field("entered", axes="xy", unit="J m-2")


@hc.kernel
def add(entered: Any, heat: Any, light: Any) -> None:
    entered[...] = entered + setup.macro_step * (heat + light)


steps = (*model.steps, add(entered, forcing.heat_flux, forcing.sunlight))
simulation = hc.Simulation(model.grid, steps, dt=setup.macro_step)
content, year = hc.sum(temperature * model.layers.fraction), []
first = simulation.reduce(content)
for _ in range(days):
    simulation.run(24, progress=False)
    year.append(temperature[0, 0, :])
gained = heat_capacity * depth * (simulation.reduce(content) - first)
error = abs(simulation.reduce(hc.sum(entered)) - gained) / (heat_capacity * depth * first)
if simulation.rank == 0:
    print(f"warmest surface: {np.max(year):.6f} degC")
    print(f"error {error:.0e}: heat that the water lacks of what entered")
    heights = depth * (np.cumsum(sigma.fractions) - 0.5 * sigma.fractions - 1.0)
    plt.figure(figsize=(5.5, 4), layout="constrained")
    plt.contourf(1 + np.arange(days), heights, np.transpose(year), 24, cmap="RdYlBu_r")
    plt.colorbar(label="temperature [degC]"), plt.ylabel("height [m]"), plt.xlabel("day")
    plt.title("A year under the air"), plt.savefig("seasons.png", dpi=80)
