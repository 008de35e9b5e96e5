"""A shot in water: a source and receivers off the grid, in a sponge that lets waves out.

python examples/acoustic_wave.py [cells steps]
mpiexec -n 4 python examples/acoustic_wave.py
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import halocline as hc

cells, steps = map(int, sys.argv[1:] or (400, 600))
h, dt, c, frequency = 5.0, 1e-3, 1500.0, 15.0  # m, s, m/s, Hz
grid, width = hc.Grid((cells, cells), spacing=h), cells * h
names = ("p_old", "p", "p_new", "damping")
p_old, p, p_new, damping = (grid.field(name, dtype="float32") for name in names)
p.boundary(grid.sides, hc.Dirichlet(0.0))


def sponge(x: np.ndarray, y: np.ndarray) -> np.ndarray:  # 200 m wide
    outside = np.maximum(abs(x - width / 2), abs(y - width / 2)) - (width / 2 - 200.0)
    return 0.08 * np.clip(outside / 200.0, 0, 1) ** 2


@hc.kernel
def wave(p_old: hc.Field, p: hc.Field, p_new: hc.Field, damping: hc.Field, *, speed: float) -> None:
    change = speed**2 * hc.laplacian(p, accuracy=4)
    p_new[0, 0] = (2 * p - (1 - damping) * p_old + change) / (1 + damping)


def ricker(t: np.ndarray) -> np.ndarray:
    a = (np.pi * frequency * (t - 1.2 / frequency)) ** 2
    return (1 - 2 * a) * np.exp(-a)


times, ends = np.arange(steps) * dt, np.linspace(0.3, 0.7, 41) * width
source = hc.Points([(0.5 * width + 1.3, 0.4 * width + 0.7)], "sinc")
receivers = hc.Points([(x, 0.6 * width + 2.1) for x in ends], "sinc")
shot = receivers.record(p)
shoot = source.inject(hc.Series(times, ricker(times)), into=p_new, scale=(c * dt / h) ** 2)
damping.set(sponge)
time_step = [shot, wave(p_old, p, p_new, damping, speed=c * dt), shoot, hc.rotate(p_old, p, p_new)]
simulation = hc.Simulation(grid, time_step, dt=dt)
simulation.run(steps)
seismogram, last = shot.values, p.to_xarray()
if simulation.rank == 0:
    at = np.abs(seismogram[:, 20]).argmax()
    print(f"strongest at the middle receiver at {times[at]:.3f} s: {seismogram[at, 20]:.9f}")
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.5, 4), layout="constrained")
    limit = float(np.abs(last).max()) / 2
    last.plot.imshow(ax=left, x="x", vmin=-limit, vmax=limit, cmap="RdBu_r", add_colorbar=False)
    left.plot(*source.coordinates.T, "k*"), left.plot(*receivers.coordinates.T, "k.", markersize=2)
    left.set(title=f"Pressure after {steps * dt:.1f} s", xlabel="x [m]", ylabel="y [m]", aspect=1)
    shape = (*ends[[0, -1]], steps * dt, 0)
    right.imshow(seismogram, aspect="auto", extent=shape, cmap="RdBu_r", vmin=-limit, vmax=limit)
    right.set(title="What the receivers hear", xlabel="x [m]", ylabel="time [s]")
    figure.savefig("acoustic_wave.png", dpi=80)
