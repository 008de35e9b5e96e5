"""Devito's part of 'compare.py': CASE CELLS DTYPE."""

import sys

import numpy as np
from devito import Eq, Grid, Operator, TimeFunction, configuration
from turns import bump, places_of, serve

case, n, dtype = sys.argv[1], int(sys.argv[2]), sys.argv[3]
configuration["language"] = "openmp"
configuration["log-level"] = "ERROR"

grid = Grid(shape=(n, n, n), extent=(n - 1.0,) * 3, dtype=np.dtype(dtype).type)
order = 1 if case == "heat" else 2
u = TimeFunction(name="u", grid=grid, time_order=order, space_order=2 if case == "heat" else 8)
if case == "heat":
    update = Eq(u.forward, u + 0.1 * u.laplace)
else:
    update = Eq(u.forward, 2 * u - u.backward + 0.1 * u.laplace)
operator = Operator([update])
along = np.arange(n) + 0.5
for level in range(order):
    u.data[level] = bump(n, along[:, None, None], along[None, :, None], along[None, None, :])
done = 0


def step(steps: int) -> None:
    """Do so many steps."""
    global done  # noqa: PLW0603
    operator.apply(time_m=done + order - 1, time_M=done + order + steps - 2)
    done += steps


def verify() -> list[float]:
    """Do eight steps and return values."""
    step(8)
    return [float(u.data[(done + order - 1) % (order + 1)][place]) for place in places_of(n)]


serve(step, n**3, verify)
