"""A wave packet spreads as it moves: Schroedinger's equation, beside its exact solution.

python examples/schroedinger.py [cells steps]
mpiexec -n 4 python examples/schroedinger.py
"""

import sys
from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import halocline as hc

cells, steps = map(int, sys.argv[1:] or (256, 1500))
size, width, k, start = 40.0, 1.5, (3.0, 1.0), (10.0, 14.0)  # in atomic units
h, end = size / cells, 5.0
dt = end / steps  # stable below 0.15 h**2

grid = hc.Grid((cells, cells), periodic=True, spacing=h)
psi_old, psi, psi_new = (grid.field(name, dtype="complex128") for name in ("old", "psi", "new"))


@hc.kernel
def leap(psi_old: hc.Field, psi: hc.Field, psi_new: hc.Field) -> None:
    # i dpsi/dt = -1/2 laplacian(psi), over two time steps.
    psi_new[0, 0] = psi_old + 1j * dt * hc.laplacian(psi, accuracy=8)


def packet(t: float) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    # Exact: a product of two in one dimension.
    def along(x: np.ndarray, x0: float, k: float) -> Any:
        spread = 1 + 0.5j * t / width**2
        shape = np.exp(-((x - x0 - k * t) ** 2) / (4 * width**2 * spread))
        phase = np.exp(1j * k * (x - x0 - 0.5 * k * t))
        return (2 * np.pi * width**2) ** -0.25 / np.sqrt(spread) * shape * phase

    return lambda x, y: along(x, start[0], k[0]) * along(y, start[1], k[1])


psi_old.set(packet(-dt))
psi.set(packet(0.0))
simulation = hc.Simulation(grid, [leap(psi_old, psi, psi_new), hc.rotate(psi_old, psi, psi_new)])
probability = hc.sum(abs(psi) ** 2)
before = simulation.reduce(probability) * h * h
simulation.run(steps)
after, found = simulation.reduce(probability) * h * h, psi.to_xarray()
if simulation.rank == 0:
    exact = packet(end)(found.x.values[:, None], found.y.values)
    print(f"probability {before:.12f} before, {after:.12f} after")
    print(f"error {abs(found.values - exact).max() / abs(exact).max():.6e}")
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
    first = found.copy(data=packet(0.0)(found.x.values[:, None], found.y.values))
    for panel, state, t in zip(axes, (first, found), (0.0, end), strict=True):
        state.real.plot.imshow(ax=panel, x="x", cmap="RdBu_r", vmin=-0.27, vmax=0.27)
        panel.set(title=f"real part of the wave packet at t = {t:g}", aspect=1)
    plt.savefig("schroedinger.png", dpi=80)
