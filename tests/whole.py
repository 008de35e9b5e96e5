"""A program with fields on whole grids beside fields that are cut, and the same in plain NumPy."""

from __future__ import annotations

import numpy as np

import halocline as hc

EXTENT, RATIO, STEPS = (24, 20), 4, 3
FIRST, GRADIENT = 1.0, 0.25


@hc.kernel
def spread(u, v):
    v[0, 0] = 0.5 * u[0, 0] + 0.125 * (u[1, 0] + u[-1, 0] + u[0, 1] + u[0, -1])


@hc.kernel
def mean(v, w):  # of cut cells for a whole field: gathered
    total = sum(v[i, j] for j in range(RATIO) for i in range(RATIO))
    w[0, 0] = total * (1.0 / RATIO**2)


@hc.kernel
def smooth(w, other, profile):  # of whole fields alone: computed by every block
    other[0, 0] = 0.25 * (w[1, 0] + w[-1, 0] + w[0, 1] + w[0, -1]) + profile[0]


@hc.kernel
def add(w, v, u):  # of a whole field for cut cells: at hand
    u[0, 0] = v[0, 0] + 0.25 * w[0, 0] - 0.125 * (w[1, 0] + w[0, -1])


class Whole:
    """The program.

    Attributes:
        grid: The first grid.
        fields: By name.
        steps: A time step.
        numbers: Reductions of a whole field, and of it together with one that is cut.
    """

    def __init__(self):
        self.grid = hc.Grid(EXTENT, periodic=(True, False))
        coarse = self.grid.coarsen(RATIO).replicated()
        u, v = (self.grid.field(name) for name in "uv")
        w, other = (coarse.field(name) for name in ("w", "other"))
        profile = coarse.field("profile", axes="y")
        for field in (u, w):
            field.boundary("y-", hc.Dirichlet(FIRST))
            field.boundary("y+", hc.Neumann(GRADIENT))
        random = np.random.default_rng(5)
        self.given = {"u": random.random(EXTENT), "profile": random.random(EXTENT[1] // RATIO)}
        for name, values in self.given.items():
            self.grid.fields[name].set(values)
        self.fields = {field.name: field for field in (u, v, w, other, profile)}
        self.numbers = [hc.sum(w), hc.max(w * u)]
        self.steps = [
            spread(u, v),
            mean(v, w),
            smooth(w, other, profile),
            hc.swap(w, other),
            smooth(w, other, profile),
            hc.swap(w, other),
            add(w, v, u),
            *self.numbers,
        ]

    def differences(self, simulation):
        """Return the names of fields and numbers that differ from those of NumPy; collective."""
        expected, numbers = reference(self.given, simulation.step)
        found = {name: self.fields[name][...] for name in expected}
        wrong = [name for name, value in expected.items() if not _same(found[name], value)]
        wrong += [
            f"{name} here"
            for name in ("w", "other")
            if any(not np.array_equal(one, found[name]) for one in self.fields[name].local())
        ]
        pairs = zip(self.numbers, numbers, strict=True)
        return wrong + [one.name for one, value in pairs if abs(one.value - value) > 1e-12]


def _same(found, expected):
    return np.allclose(found, expected, rtol=0, atol=1e-13)


def _around(u, spacing):
    """Return values with those beyond sides: x closes, y- has a value, y+ a gradient."""
    u = np.pad(u, ((1, 1), (0, 0)), mode="wrap")
    low, high = 2 * FIRST - u[:, :1], u[:, -1:] + spacing * GRADIENT
    return np.concatenate([low, u, high], axis=1)


def reference(given, steps):
    """Return fields by name, and the numbers, after some steps."""
    u, profile = given["u"].copy(), given["profile"]
    for _ in range(steps):
        p = _around(u, 1.0)
        beside = p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2]
        v = 0.5 * u + 0.125 * beside
        w = v.reshape(EXTENT[0] // RATIO, RATIO, EXTENT[1] // RATIO, RATIO).mean(axis=(1, 3))
        for _ in range(2):
            p = _around(w, RATIO)
            beside = p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2]
            other, w = w, 0.25 * beside + profile
        p = _around(w, RATIO)
        seen = 0.25 * w - 0.125 * (p[2:, 1:-1] + p[1:-1, :-2])
        u = v + seen.repeat(RATIO, axis=0).repeat(RATIO, axis=1)
        product = (w.repeat(RATIO, axis=0).repeat(RATIO, axis=1) * u).max()
    return {"u": u, "v": v, "w": w, "other": other}, (w.sum(), product)


def differences(**options):
    """Return what differs from NumPy after some steps with some options; collective."""
    problem = Whole()
    simulation = hc.Simulation(problem.grid, problem.steps, threads=1, **options)
    simulation.run(STEPS, progress=False)
    return problem.differences(simulation)


def bits(**options):
    """Return the bytes of all fields after some steps."""
    problem = Whole()
    simulation = hc.Simulation(problem.grid, problem.steps, threads=1, **options)
    simulation.run(STEPS, progress=False)
    fields = [problem.fields[name][...].tobytes() for name in ("u", "v", "w", "other")]
    return [*fields, *(number.value for number in problem.numbers)]
