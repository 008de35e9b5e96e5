"""Programs on grids that close with a shift, on any ranks, beside plain NumPy."""

from __future__ import annotations

from functools import partial

import numpy as np
from parallel.poisoned import in_turn

import halocline as hc
from halocline.errors import PlanError
from halocline.runtime.job import join

NX, NY = 20, 24
Strategy = partial(hc.Strategy, poison=True)


@hc.kernel
def pull(u, v):
    """Reads all around, wider along x, and indices and coordinates of cells beside its own."""
    there = hc.index("y")[-1, 0] + 2 * hc.index("x")[0, 1] + hc.coordinate("y")[2, -1]
    v[0, 0] = 0.25 * (u[-2, 1] + u[1, -1] + u[0, 1] - u[1, 1]) + 1e-3 * there


@hc.kernel
def tilt(v, u):
    u[0, 0] = 0.5 * v[1, 0] + 0.25 * v[-1, -1] + 1e-3 * hc.index("y") * v[0, 1]


@hc.kernel
def push(u, v):
    v[1, 1] = 0.5 * u[0, 0] + 1e-3 * hc.index("y")


@hc.kernel
def inner(u, v):
    v[0, 0] = u[0, 0] + u[-1, 0]


@hc.kernel
def red(u, *, colour):
    is_red = (hc.index("x") + hc.index("y")) % 2 == colour
    u[0, 0] = hc.where(is_red, 0.25 * (u[1, 0] + u[-1, 0] + u[0, 1] + u[0, -1]), u[0, 0])


def seen(u, i, j, shift, across=0):
    """Return what lies 'i' and 'j' cells further along the axes, found in two steps."""
    along, ways = 1 - across, (i, j)
    moved = np.roll(u, -ways[along], along)
    result = np.roll(moved, -ways[across], across)
    n = u.shape[across]
    for cell in range(n):
        times = (cell + ways[across]) // n
        line = [slice(None)] * 2
        line[across] = cell
        result[tuple(line)] = np.roll(result[tuple(line)], -times * shift)
    return result


def plain_pull(u, shift, across):
    def at(a, i, j):
        return seen(a, i, j, shift, across)

    x, y = np.indices(u.shape).astype(float)
    there = at(y, -1, 0) + 2 * at(x, 0, 1) + (at(y, 2, -1) + 0.5)
    v = 0.25 * (at(u, -2, 1) + at(u, 1, -1) + at(u, 0, 1) - at(u, 1, 1)) + 1e-3 * there
    return 0.5 * at(v, 1, 0) + 0.25 * at(v, -1, -1) + 1e-3 * y * at(v, 0, 1)


def plain_push(u, shift, across):
    y = np.indices(u.shape)[1]
    return seen(0.5 * u + 1e-3 * y, -1, -1, shift, across)


def plain_inner(u, shift, across):
    v = u.copy()
    sides = np.s_[0:4, 3:9]
    v[sides] = (u + seen(u, -1, 0, shift, across))[sides]
    return v


def plain_red(u, shift, across):
    x, y = np.indices(u.shape)
    for colour in (0, 1):
        ways = ((1, 0), (-1, 0), (0, 1), (0, -1))
        first, *others = (seen(u, *way, shift, across) for way in ways)
        total = first
        for other in others:
            total = total + other
        u = np.where((x + y) % 2 == colour, 0.25 * total, u)
    return u


def program(what, shift, across):
    """Return a grid, its field and steps."""
    sides = {"xy"[across]: (0, shift) if across == 0 else (shift, 0)}
    grid = hc.Grid((NX, NY), periodic=True, shift=sides)
    u, v = grid.field("u"), grid.field("v")
    steps = {
        "pull": lambda: [pull(u, v), tilt(v, u)],
        "push": lambda: [push(u, v), hc.swap(u, v)],
        "inner": lambda: [
            copied(u, v),
            inner(u, v, on=hc.Box((0, 3), (4, 9))),
            hc.swap(u, v),
        ],
        "column": lambda: [*add_up(u, v, start=0.0), beside(v, u)],
        "red": lambda: [red(u, colour=0), red(u, colour=1)],
    }[what]()
    return grid, u, steps


@hc.sweep("y+")
def add_up(before, u, v):
    total = before + u[0, 0]
    v[0, 0] = total
    return total


@hc.kernel
def beside(v, u):
    u[0, 0] = 0.125 * (v[-1, 1] - v[1, 0])


def plain_column(u, shift, across):
    v = np.cumsum(u, axis=1)
    return 0.125 * (seen(v, -1, 1, shift, across) - seen(v, 1, 0, shift, across))


@hc.kernel
def copied(u, v):
    v[0, 0] = u[0, 0]


PLAIN = {
    "pull": plain_pull,
    "push": plain_push,
    "inner": plain_inner,
    "column": plain_column,
    "red": plain_red,
}
STRATEGIES = [
    Strategy(),
    Strategy(neighbours="staged"),
    Strategy(overlap="core-first", wait="any"),
    Strategy(overlap="rim-first"),
    Strategy(overlap="postponed"),
    Strategy(width="full"),
    Strategy(depth=2),
    Strategy(depth=2, neighbours="staged", overlap="core-first"),
    Strategy(depth=3),
]


def options(ranks):
    """Yield ways to execute a program."""
    yield from ({"strategy": strategy} for strategy in STRATEGIES)
    yield {"blocks": 2, "strategy": Strategy(depth=2)}
    yield {"target": "numpy", "strategy": Strategy(depth=2)}
    yield {"device": "emulated"}
    if ranks == 1:
        yield {"blocks": 6, "decomposition": (3, 2)}


def check(nth, what, shift, across, steps=4):
    """Compare a program, executed in some ways, with plain NumPy: the same bits."""
    start = np.random.default_rng(5).random((NX, NY))
    expected = start
    for _ in range(steps):
        expected = PLAIN[what](expected, shift, across)
    ranks = join().size
    for given in in_turn(options(ranks), nth, ranks):
        grid, u, made = program(what, shift, across)
        u.set(start)
        simulation = hc.Simulation(grid, made, threads=1, **given)
        try:
            simulation.run(steps, progress=False)
        except PlanError as error:
            # Halos of several steps may be wider than small blocks.
            if "smaller depth" not in str(error):
                raise
            continue
        found = u.gather()
        if simulation.rank == 0:
            assert np.array_equal(found, expected), (what, shift, across, given)


def check_all():
    """Compare all programs, in some ways each."""
    for nth, what in enumerate(PLAIN):
        for shift, across in ((3, 0), (-1, 0), (4, 1)):
            is_refused = (what == "red" and shift % 2) or (what == "column" and across == 1)
            if not is_refused:
                check(nth + shift, what, shift, across)
    check(0, "red", 6, 0)
    return "the same bits"
