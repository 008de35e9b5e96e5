"""A spring bloom: nutrients n, phytoplankton p, animals a and detritus d in water that warms.

python examples/plankton.py [layers days]
mpiexec -n 4 python examples/plankton.py
"""

import sys
from functools import partial
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import halocline as hc
import halocline.ocean as ocean

layers, days = map(int, sys.argv[1:] or (25, 150))
depth, day, death, decay = 100.0, 86400.0, 0.05 / 86400.0, 0.05 / 86400.0  # m, s, 1/s


def growth(n: Any, p: Any, light: Any) -> Any:  # limited by light and nutrients
    return 1.0 / day * light / (25.0 + light) * n / (0.5 + n) * p


def grazing(p: Any, a: Any) -> Any:
    return 0.6 / day * p * p / (1.0 + p * p) * a


sources: dict[str, Any] = {
    "n": lambda n, p, d, light: decay * d - growth(n, p, light),
    "p": lambda n, p, a, light: growth(n, p, light) - grazing(p, a) - death * p,
    "a": lambda p, a: 0.7 * grazing(p, a) - 2.0 * death * a,
    "d": lambda p, a, d: 0.3 * grazing(p, a) + death * (p + 2.0 * a) - decay * d,
}
start, sinking = {"n": 8.0, "p": 0.1, "a": 0.1, "d": 0.0}, {"d": 2.0 / day}
tracer, dense = partial(ocean.Tracer, unit="mmol m-3"), partial(ocean.eos80, reference=1025.0)
sea = ocean.Domain(np.full((4, 4), depth), (1e4, 1e4), periodic=(True, True), f=1.2e-4)
sigma, sunlight = ocean.Sigma(layers, zoom_surface=1.0), hc.Series([0.0, 150 * day], [60.0, 240.0])
water: dict[str, Any] = {"temperature": 8.0, "salinity": 35.0, "density": dense}
air: dict[str, Any] = {"stress": (1e-4, 0.0), "sunlight": sunlight, "heat_flux": -100.0}  # W/m²
tracers = (tracer(x, start[x], source=sources[x], settling=sinking.get(x, 0.0)) for x in start)
setup = ocean.Setup(sea, 120.0, layers=sigma, tracers=tuple(tracers), **water, **air)
model = ocean.make_model(setup)
simulation = hc.Simulation(model.grid, model.steps, dt=setup.macro_step)
n, p, a, d = (model.tracers[x] for x in start)
assert model.layers is not None
nitrogen = hc.sum((n + p + a + d) * model.layers.fraction)
first, bloom = simulation.reduce(nitrogen), []
for _ in range(days):
    simulation.run(round(day / setup.macro_step), progress=False)
    bloom.append(p[0, 0, :])
error = abs(simulation.reduce(nitrogen) / first - 1.0)
if simulation.rank == 0:
    print(f"most phytoplankton: {np.max(bloom):.6f} mmol/m³")
    print(f"error {error:.0e}: nitrogen gained or lost")
    heights = depth * (np.cumsum(sigma.fractions) - 0.5 * sigma.fractions - 1.0)
    plt.figure(figsize=(5.5, 4), layout="constrained")
    plt.contourf(1 + np.arange(days), heights, np.transpose(bloom), 20, cmap="viridis")
    plt.colorbar(label="phytoplankton [mmol/m³]"), plt.ylabel("height [m]"), plt.xlabel("day")
    plt.title("A spring bloom"), plt.savefig("plankton.png", dpi=80)
