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
p_old, p, p_new = (grid.field(name, dtype="float32") for name in ("p_old", "p", "p_new"))
damping = grid.field("damping", dtype="float32")
for side in ("x-", "x+", "y-", "y+"):
    p.boundary(side, hc.Dirichlet(0.0))


@hc.kernel
def wave(p_old, p, p_new, damping, *, speed):
    g, change = damping[0, 0], speed**2 * hc.laplacian(p, accuracy=4)
    p_new[0, 0] = (2 * p[0, 0] - (1 - g) * p_old[0, 0] + change) / (1 + g)


def sponge(x, y):  # 200 m wide
    inside = np.minimum(np.minimum(x, width - x), np.minimum(y, width - y))
    return 0.08 * np.clip(1 - inside / 200.0, 0, 1) ** 2


def ricker(t):
    a = (np.pi * frequency * (t - 1.2 / frequency)) ** 2
    return (1 - 2 * a) * np.exp(-a)


times, ends = np.arange(steps) * dt, np.linspace(0.3, 0.7, 41) * width
source = hc.Points([(0.5 * width + 1.3, 0.4 * width + 0.7)], "sinc")
receivers = hc.Points([(x, 0.6 * width + 2.1) for x in ends], "sinc")
shot = receivers.record(p)
shoot = source.inject(hc.Series(times, ricker(times)), into=p_new, scale=(c * dt / h) ** 2)
time_step = [shot, wave(p_old, p, p_new, damping, speed=c * dt), shoot, hc.rotate(p_old, p, p_new)]
damping.set(sponge)
simulation = hc.Simulation(grid, time_step, dt=dt)
simulation.run(steps)
seismogram, last = shot.values, p.to_xarray()
if simulation.rank == 0:
    heard = np.abs(seismogram[:, 20])
    at = times[heard.argmax()]
    print(f"strongest at the middle receiver at {at:.3f} s, pressure {heard.max():.9f}")
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.5, 4), layout="constrained")
    limit = float(np.abs(last).max()) / 2
    last.plot.imshow(ax=left, x="x", vmin=-limit, vmax=limit, cmap="RdBu_r", add_colorbar=False)
    left.plot(*source.coordinates.T, "k*"), left.plot(*receivers.coordinates.T, "k.", markersize=2)
    left.set(title=f"Pressure after {steps * dt:.1f} s", xlabel="x [m]", ylabel="y [m]", aspect=1)
    shape = (*ends[[0, -1]], steps * dt, 0)
    right.imshow(seismogram, aspect="auto", extent=shape, cmap="RdBu_r", vmin=-limit, vmax=limit)
    right.set(title="What the receivers hear", xlabel="x [m]", ylabel="time [s]")
    figure.savefig("acoustic_wave.png", dpi=80)
