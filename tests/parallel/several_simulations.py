"""Several simulations on one grid, one after the other; rank 0 prints the values as JSON."""

from __future__ import annotations

import numpy as np

import halocline as hc


@hc.kernel
def heat(T, T_new, *, a):
    T_new[0, 0] = T[0, 0] + a * (T[1, 0] + T[-1, 0] + T[0, 1] + T[0, -1] - 4.0 * T[0, 0])


@hc.kernel
def decay(T):
    T[0, 0] = 0.875 * T[0, 0]


def run():
    """Heat on tiles, decay on rows in its own simulation, heat again with another boundary."""
    grid = hc.Grid((12, 9), periodic=(True, False))
    T, T_new = grid.field("T"), grid.field("T_new")
    T.boundary("y-", hc.Dirichlet(1.0))
    T.boundary("y+", hc.Dirichlet(0.0))
    first = hc.Simulation(grid, [heat(T, T_new, a=0.125), hc.swap(T, T_new)], threads=1)
    T.set(lambda x, y: x + 10.0 * y)
    first.run(3, progress=False)
    second = hc.Simulation(grid, [decay(T)], decomposition="rows", threads=1)
    second.run(2, progress=False)
    T.boundary("y+", hc.Dirichlet(2.0))
    first.run(3, progress=False)
    T.boundary("y-", hc.Neumann(0.0))
    first.run(1, progress=False)
    return T, (first.step, second.step)


def expected():
    """The same in NumPy."""
    x, y = np.meshgrid(np.arange(12) + 0.5, np.arange(9) + 0.5, indexing="ij")
    T = x + 10.0 * y

    def step(T, low, high):
        wide = np.concatenate([low(T), T, high(T)], axis=1)
        around = np.roll(wide, -1, 0) + np.roll(wide, 1, 0)
        around = around[:, 1:-1] + wide[:, 2:] + wide[:, :-2] - 4.0 * T
        return T + 0.125 * around

    def fixed(value, row):
        return lambda T: 2.0 * value - T[:, [row]]

    for _ in range(3):
        T = step(T, fixed(1.0, 0), fixed(0.0, -1))
    T = 0.875 * (0.875 * T)
    for _ in range(3):
        T = step(T, fixed(1.0, 0), fixed(2.0, -1))
    return step(T, lambda T: T[:, [0]], fixed(2.0, -1))


def values_and_steps():
    """Return the values in all cells, on rank 0, and the steps."""
    T, steps = run()
    found = T.gather()
    return None if found is None else found.tolist(), steps
