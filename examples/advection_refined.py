"""A cloud carried once around a periodic domain, through cells of half the width.

python examples/advection_refined.py [cells of the coarsest level]
mpiexec -n 3 python examples/advection_refined.py
"""

import sys
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import halocline as hc

cells = int(sys.argv[1]) if sys.argv[1:] else 128


def cloud(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.exp(-((x - 0.25) ** 2 + (y - 0.25) ** 2) / 0.01)


def face(T: hc.Field, axis: str) -> Any:  # third order, upwind
    a, b, c = (hc.at(T, **{axis: offset}) for offset in (-2, -1, 0))
    return (5 * b + 2 * c - a) / 6


@hc.kernel
def predict(T: hc.Field, T1: hc.Field) -> None:
    x, y = face(T, "x"), face(T, "y")
    T1[0, 0] = T[0, 0] - 0.25 * (hc.at(x, x=1) - x + hc.at(y, y=1) - y)


@hc.kernel
def flow(T: hc.Field, T1: hc.Field, Fx: hc.Field, Fy: hc.Field) -> None:
    # Heun's rule: the mean of what flows before and after.
    Fx[0, 0] = 0.125 * (face(T, "x") + face(T1, "x"))
    Fy[0, 0] = 0.125 * (face(T, "y") + face(T1, "y"))


@hc.kernel
def carry(T: hc.Field, Fx: hc.Field, Fy: hc.Field) -> None:
    T[0, 0] = T[0, 0] - (Fx[1, 0] - Fx[0, 0] + Fy[0, 1] - Fy[0, 0])


forest = hc.Forest((cells, cells), spacing=1 / cells, periodic=True, refine=lambda x, y: x + y > 1)
T, T1 = forest.field("T"), forest.field("T1")
Fx, Fy = (forest.field(f"F{a}", location=f"{a}_face", coupling="flux") for a in "xy")
simulation = hc.Simulation(forest, [predict(T, T1), flow(T, T1, Fx, Fy), carry(T, Fx, Fy)])
T.set(cloud)
before, error = simulation.reduce(hc.sum(T)), 0.0
simulation.run(4 * cells, progress=False)
lost, levels = simulation.reduce(hc.sum(T)) / before - 1, [field.gather() for field in T.levels]
if simulation.rank == 0:
    for level, values in enumerate(levels):
        for box in forest.leaves.boxes(level):
            x, y = forest.level(level).coordinates("center", box)
            wrong = values[box.slices((0, 0))] - cloud(x, y)
            error = max(error, np.abs(wrong).max())
            plt.pcolormesh(x.ravel(), y.ravel(), wrong.T, vmin=-0.01, vmax=0.01, cmap="RdBu_r")
    print(f"error {error:.1e}: from the cloud that it was; content lost {abs(lost):.0e}")
    plt.colorbar(label="error after once around")
    plt.savefig("advection_refined.png", dpi=64)
