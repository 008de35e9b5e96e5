"""A program that has the same bits on a coarse grid that is whole as on one that is cut."""

from __future__ import annotations

import hashlib

import numpy as np

import halocline as hc


@hc.kernel
def push(w, x):  # assigns next door
    x[1, -1, 0] = 0.9 * w[0, 0, 0] + 0.05 * w[0, 0, 1]


@hc.kernel
def pair(u, v, y):
    y[0][0, 0, 0] = u[1, 0, 0] - v[0, 1, 0]
    y[1][0, 0, 0] = u[0, 0, -1] + v[-2, 0, 0]


@hc.kernel
def back(y, u, s, t):
    u[0, 0, 0] = 0.5 * u[0, 0, 0] + 0.1 * y[0][1, 0, 0] - 0.1 * y[1][0, -1, 0] + s[1, 0] * t[0, 1]


@hc.sweep("z+")
def down(above, w, u):  # a cut field from a whole one
    u[0, 0, 0] = u[0, 0, 0] + 0.1 * above
    return 0.5 * above + 0.1 * w[0, 0, 0]


@hc.sweep("y+")
def along(before, w, x):  # whole fields alone
    x[0, 0, 0] = w[0, 0, 0] + 0.1 * before
    return 0.5 * before + 0.1 * w[0, 0, 0]


def digest(*, is_replicated: bool, steps: int = 3, **options):
    """Return the bits of all fields after some steps, the same on all ranks; collective."""
    grid = hc.Grid((16, 12, 8), periodic=(True, True, False))
    coarse = grid.coarsen((2, 2, 1))
    coarse = coarse.replicated() if is_replicated else coarse
    u, v, t = grid.field("u"), grid.field("v"), grid.field("t", axes="xy")
    w, x, s = coarse.field("w"), coarse.field("x"), coarse.field("s", axes="xy")
    y = coarse.field("y", dtype="float32", components=2, layout="aos")
    for field in (u, v, w, x):
        field.boundary("z-", hc.Neumann(0.0))
        field.boundary("z+", hc.Dirichlet(1.0))
    u.set(np.random.default_rng(2).random((16, 12, 8)))
    greatest = hc.max(w)
    refined = [hc.restrict(u, w), push(w, x), hc.prolong(x, v), back(y, u, s, t), greatest]
    swapped = [hc.restrict(u, w), push(w, x), hc.swap(w, x), hc.prolong(w, u, add=True)]
    program = [
        *swapped,
        pair(u, v, y),
        hc.sum(w, over="z", into=s),
        hc.sum(u, over="z", into=t),
        back(y, u, s, t),
        down(w, u, start=0.0),
        along(w, x, start=0.0),
        hc.swap(w, x),
        hc.repeat(3, *swapped, hc.rotate(u, v)),
        hc.every(2, hc.restrict(u, x), hc.prolong(x, v)),
        hc.until(greatest < 0.3, *refined, max_iterations=3, on_failure="ignore"),
    ]
    simulation = hc.Simulation(grid, program, threads=1, **options)
    simulation.run(steps, progress=False)
    simulation.execute(hc.restrict(u, w))
    simulation.run(1, progress=False)
    found = hashlib.sha256(repr(greatest.value).encode())
    for field in (u, v, t, w, x, s, y):
        values = field[...]
        assert np.isfinite(values).all()
        assert not is_replicated or all(
            np.array_equal(one, values) for one in field.local() if one.shape == values.shape
        )
        found.update(values.tobytes())
    return found.hexdigest()[:16]
