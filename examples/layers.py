"""Four kinds of layers above a seamount in water at rest, and the currents that they make by error.

python examples/layers.py [cells hours]
mpiexec -n 4 python examples/layers.py
"""

import sys
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import halocline as hc
import halocline.ocean as ocean

cells, hours = map(int, sys.argv[1:] or (34, 24))
depth, width, count = 4500.0, 8e3 * 34 / cells, 20
x = (np.arange(cells) + 0.5 - 0.5 * cells) * width / 1e3  # km
bed = depth * (1.0 - 0.6 * np.exp(-(x[:, None] ** 2 + x**2) / 50.0**2))
sea = ocean.Domain(bed, (width, width))
faces = depth * np.cumsum(ocean.Sigma(count, zoom_surface=1.5).fractions[:0:-1])
kinds: dict[str, Any] = {
    "Sigma": ocean.Sigma(count, zoom_surface=1.5),
    "BlendedSigma": ocean.BlendedSigma(count, zoom_surface=2.0, even_depth=2500.0),
    "SLevels": ocean.SLevels(count, zoom_bed=1.0, zoom_surface=5.0, even_depth=200.0),
    "ZLevels": ocean.ZLevels(tuple(map(float, faces)), thinnest=20.0),
}


def at_rest(x: Any, y: Any, height: Any) -> Any:
    return 5.0 + 15.0 * np.exp(height / 1000.0) + 0.0 * (x + y)


def lighter(temperature: Any, salinity: Any) -> Any:
    return -0.17 * (temperature - 10.0)


speeds = {}
for name, layers in kinds.items():
    setup = ocean.Setup(sea, 12.0, 30, layers=layers, temperature=at_rest, density=lighter)
    model = ocean.make_model(setup)
    simulation = hc.Simulation(model.grid, model.steps, dt=setup.macro_step)
    simulation.run(round(hours * 3600.0 / setup.macro_step), progress=False)
    u, v = model.U[1:, :] / bed, model.V[:, 1:] / bed
    speeds[name] = max(np.abs(u).max(), np.abs(v).max())
if simulation.rank == 0:
    for name, speed in speeds.items():
        print(f"{name}: {speed:.3e} m/s")
    middle = bed[:, cells // 2]
    _, panels = plt.subplots(2, 2, figsize=(7, 4.6), sharex=True, sharey=True, layout="constrained")
    for panel, (name, layers) in zip(panels.flat, kinds.items(), strict=True):
        shares = np.cumsum(layers.fractions_in(middle), axis=-1) - 1.0
        panel.fill_between(x, -middle, -depth, color="#c8b79e")
        panel.plot(x, shares * middle[:, None], color="#276fbf", linewidth=0.6)
        panel.set_title(f"{name}: up to {1e3 * speeds[name]:.2g} mm/s", fontsize=9)
        panel.set_xlabel("x [km]"), panel.set_ylabel("height [m]"), panel.label_outer()
    plt.suptitle(f"False currents over a seamount after {hours} hours", fontsize=11)
    plt.savefig("layers.png", dpi=80)
