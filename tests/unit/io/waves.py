"""A small simulation for tests of output: no compiler is needed."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

import halocline as hc
from halocline.io.quantity import Integral, Quantity


@hc.kernel
def drift(a, a_new, total, *, weight):
    a_new[0][0, 0] = a[0][-1, 0] + weight * a[1][0, 1]
    a_new[1][0, 0] = a[1][1, 0] - weight * a[0][0, 0]
    total[0, 0] = total[0, 0] + a[0][0, 0]


def waves(extent=(6, 4), weight=0.25, dtype="float64", **options):
    """Return a simulation with two swapped fields of two components, and a field that grows.

    The weight is the greatest value of the step before: something that only a parameter knows.
    """
    grid = hc.Grid(extent, periodic=True, spacing=0.5, origin=1.0)
    a = grid.field("a", components=2, dtype=dtype, unit="m", description="height")
    a_new = grid.field("a_new", components=2, dtype=dtype)
    total = grid.field("sum", dtype=dtype)
    greatest = hc.max(a[0], name="greatest")
    greatest.value = weight
    steps = [drift(a, a_new, total, weight=greatest), hc.swap(a, a_new), greatest]
    simulation = hc.Simulation(grid, steps, dt=0.5, target="numpy", threads=1, **options)
    a.set(lambda x, y: [np.cos(x) * y / 8, np.sin(x * y) / 8])
    quantities = (
        Quantity("h", a, unit="m", description="height", vector="wave"),
        Quantity("g", a, 1, lambda stored: 2.0 * stored, description="twice", vector="wave"),
        Quantity("sum", total, unit="m", description="sum"),
    )
    mass = Integral("mass", hc.sum(a[0]), 0.25, "m3", "volume")
    return SimpleNamespace(
        simulation=simulation, grid=grid, a=a, a_new=a_new, sum=total, greatest=greatest,
        quantities=quantities, mass=mass,
    )  # fmt: skip


def bits(made) -> tuple[bytes, bytes, int]:
    return made.a.gather().tobytes(), made.sum.gather().tobytes(), made.simulation.step
