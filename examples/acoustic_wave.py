"""A shot in water: a source and receivers off the grid, in a sponge that lets waves out.

python examples/acoustic_wave.py [cells steps]
mpiexec -n 4 python examples/acoustic_wave.py
"""

import sys
from time import perf_counter

import numpy as np
from matplotlib.figure import Figure

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
started = perf_counter()
simulation.run(steps)
rate = 20 * cells**2 * steps / (perf_counter() - started) / 1e9
seismogram, field = shot.values, p.gather()
if simulation.rank == 0:
    heard = np.abs(seismogram[:, 20])
    print(
        f"after {steps * dt:.3f} s: strongest at the middle receiver at {times[heard.argmax()]:.3f}"
    )
    print(f"highest pressure there {heard.max():.9f}")
    if len(sys.argv) == 1:
        left, right = (figure := Figure((9, 4), layout="constrained")).subplots(1, 2)
        left.imshow(field.T, origin="lower", extent=(0, width, 0, width), cmap="RdBu_r")
        right.imshow(seismogram, aspect="auto", extent=(0, 41, steps * dt, 0), cmap="RdBu_r")
        figure.savefig("acoustic_wave.png")
    print(f"effective memory throughput {rate:.1f} GB/s")
