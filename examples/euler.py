"""A membrane in a tube of gas breaks: Euler's equations with a limiter; the flow gives the step.

python examples/euler.py [cells]
mpiexec -n 4 python examples/euler.py
"""

import sys
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import halocline as hc

cells = int(*sys.argv[1:] or (400,))
g, end, dx = 1.4, 0.2, 1.0 / cells  # ratio of specific heats; s, m
grid = hc.Grid(cells, spacing=dx)
q, q_new = (grid.field(name, components=3) for name in ("q", "q_new"))  # mass, momentum, energy
now, dt = hc.Parameter(0.0, "now"), hc.Parameter(0.0, "dt")
q.boundary(grid.sides, hc.Neumann())


def fluxes(q: Any) -> Any:  # and how fast sound moves with the gas
    u, p = q[1] / q[0], (g - 1) * (q[2] - 0.5 * q[1] ** 2 / q[0])
    return (q[1], q[1] * u + p, (q[2] + p) * u), abs(u) + hc.sqrt(g * p / q[0])


@hc.kernel
def advance(q: hc.Field, q_new: hc.Field) -> None:
    # Hancock's scheme, with ends of cells half a step later, and Rusanov's flux.
    ways = [(c[0] - c[-1], c[1] - c[0]) for c in q]  # the limiter: the smaller slope, or none
    slopes = [hc.where(a * b > 0, hc.where(abs(a) < abs(b), a, b), 0.0) for a, b in ways]
    ends = [[q[k][0] + part * slopes[k] for k in range(3)] for part in (-0.5, 0.5)]
    (ins, _), (outs, _) = map(fluxes, ends)
    low, high = ([e[k] + 0.5 * dt / dx * (ins[k] - outs[k]) for k in range(3)] for e in ends)
    below = [one[-1] for one in high]  # and beyond the face x-
    (ins, fast), (outs, faster) = fluxes(below), fluxes(low)
    for k in range(3):
        across = 0.5 * (ins[k] + outs[k] - hc.maximum(fast, faster) * (low[k] - below[k]))
        q_new[k][0] = q[k][0] + dt / dx * (across - across[1])


def exact(x: np.ndarray) -> np.ndarray:
    # Fan, contact and shock: Toro (2009), section 4.3.3, test 1.
    v = (x - 0.5) / end
    ends = [v < -1.18322, v < -0.07027, v < 0.92745, v < 1.75216]
    return np.select(ends, [1.0, (5 / 6 - v / 7.09930) ** 5, 0.42632, 0.26557], 0.125)


q.set(lambda x: np.where(x < 0.5, *np.array([[[1.0], [0.0], [2.5]], [[0.125], [0.0], [0.25]]])))
fastest = hc.max(fluxes([q[k][0] for k in range(3)])[1])
step = hc.assign(dt, hc.minimum(0.4 * dx / fastest, end - now))
steps = [step, advance(q, q_new), hc.swap(q, q_new), hc.assign(now, now + dt)]
simulation = hc.Simulation(grid, [hc.until(now >= end, *steps, max_iterations=100 * cells)])
simulation.run(1)

mass, final = simulation.reduce(hc.sum(q[0])) * dx, q.to_xarray()
if simulation.rank == 0:
    density, x = final[0], final.x.values
    print(f"mass {mass:.12f}, 0.5625 at first")
    print(f"error {np.abs(density.values - exact(x)).mean():.1e}: mean, from the exact density")
    plt.plot(x, density, ".", x, exact(x), "k-"), plt.legend(["computed", "exact"])
    plt.xlabel("x [m]"), plt.ylabel("density [kg/m³]"), plt.savefig("euler.png", dpi=80)
