"""Burgers' equation: a wave steepens into a shock, which friction keeps smooth.

python examples/burgers.py [cells steps]
mpiexec -n 4 python examples/burgers.py
"""

import sys
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import halocline as hc

cells, steps = map(int, sys.argv[1:] or (512, 3000))
viscosity, end = 0.05, 3.0
dt = end / steps

grid = hc.Grid(cells, periodic=True, spacing=2 * np.pi / cells)
u, half = grid.field("u", description="velocity"), grid.field("half")


def change(u: hc.Field) -> Any:
    return viscosity * hc.d(u, "x", order=2, accuracy=4) - hc.d(u**2 / 2, "x", accuracy=4)


@hc.kernel
def begin(u: hc.Field, half: hc.Field) -> None:  # the midpoint rule
    half[0] = u + 0.5 * dt * change(u)


@hc.kernel
def finish(u: hc.Field, half: hc.Field) -> None:
    u[0] = u + dt * change(half)


def exact(x: np.ndarray, t: float) -> np.ndarray:
    # Cole and Hopf: the logarithm's derivative of what only diffuses.
    k = np.arange(len(x) // 2 + 1)
    theta = np.fft.rfft(np.exp(np.cos(x) / (2 * viscosity))) * np.exp(-viscosity * k**2 * t)
    return -2 * viscosity * np.fft.irfft(1j * k * theta) / np.fft.irfft(theta)


def keep() -> None:
    shown[simulation.step * dt] = u.to_xarray()


u.set(np.sin)
shown: dict[float, Any] = {}
time_step = [begin(u, half), finish(u, half), hc.every(steps // 3, keep)]
simulation = hc.Simulation(grid, time_step, dt=dt)
simulation.run(steps)

energy = simulation.reduce(hc.sum(0.5 * u[0] ** 2)) * 2 * np.pi / cells
if simulation.rank == 0:
    error = max(np.abs(now - exact(now.x.values, t)).max() for t, now in shown.items())
    print(f"energy {energy:.9f} after {end:g} s, {np.pi / 2:.9f} at first")
    print(f"error {float(error):.1e}: largest difference from the exact solution")
    plt.figure(figsize=(5.5, 4), layout="constrained")
    for t, now in shown.items():
        now.plot(label=f"t = {t:.0f} s")
        plt.plot(now.x[::16], exact(now.x.values, t)[::16], "k.", markersize=3)
    plt.plot([], [], "k.", label="exact"), plt.legend(), plt.title("Burgers' equation")
    plt.xlabel("x [m]"), plt.ylabel("velocity [m/s]")
    plt.savefig("burgers.png", dpi=80)
