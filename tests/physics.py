"""Programs of derivatives, stretched axes and boundaries, which tests run in many ways."""

from __future__ import annotations

from typing import Any

import numpy as np

import halocline as hc


def widths(n: int) -> np.ndarray:
    """Return widths that vary smoothly."""
    return 1.0 + 0.5 * np.sin(2.0 * np.pi * (np.arange(n) + 0.5) / n)


@hc.kernel
def _accelerate(p, u, v, *, dt):
    fluxes = hc.grad(p, accuracy=4)
    u[0, 0] = u - dt * fluxes[0]
    v[0, 0] = v - dt * fluxes[1]


@hc.kernel
def _compress(p, u, v, *, dt):
    p[0, 0] = p - dt * hc.div((u, v), accuracy=4) * (1.0 + 0.1 * hc.sin(hc.coordinate("x")))


def staggered_waves() -> tuple[hc.Grid, list[Any]]:
    """Waves on a staggered grid with differences of fourth order, periodic along x."""
    grid = hc.Grid((24, 17), periodic=(True, False), spacing=(0.5, 0.25))
    p = grid.field("p")
    u, v = grid.field("u", location="x_face"), grid.field("v", location="y_face")
    for sign in "-+":
        p.boundary("y" + sign, hc.Neumann(0.0))
        u.boundary("y" + sign, hc.Neumann(0.0))
        v.boundary("y" + sign, hc.Dirichlet(0.0))
    return grid, [_accelerate(p, u, v, dt=0.05), _compress(p, u, v, dt=0.05)]


@hc.kernel
def _spread(T, k, T_new, *, dt):
    flux = hc.average(k, "x") * hc.d(T, "x"), hc.average(k, "y") * hc.d(T, "y")
    T_new[0, 0] = T + dt * (hc.div(flux) + hc.d(T, "x", accuracy=4)) * hc.spacing("x")


def stretched_heat() -> tuple[hc.Grid, list[Any]]:
    """Heat with a conductivity of each cell, on cells with widths of their own."""
    grid = hc.Grid((19, 22), periodic=(False, True), spacing=(widths(19), widths(22)))
    T, k, T_new = grid.field("T"), grid.field("k"), grid.field("T_new")
    T.boundary("x-", hc.Dirichlet(1.0))
    T.boundary("x+", hc.Neumann(0.5))
    for sign in "-+":
        k.boundary("x" + sign, hc.Neumann(0.0))
    return grid, [_spread(T, k, T_new, dt=0.02), hc.swap(T, T_new)]


@hc.kernel
def _drift(T, T_new):
    T_new[0, 0] = 0.25 * (T[-2, 0] + T[2, 0] + T[1, -1] + T[0, 2]) + 0.1 * T[-1, -2]


@hc.kernel
def _extrapolated(T):
    T[0, 0] = 1.5 * T[-1, 0] - 0.5 * T[-2, 0]


@hc.kernel
def _slower(given):
    given[0] = 0.9 * given


def prescribed_sides() -> tuple[hc.Grid, list[Any]]:
    """Two layers on each side, given by arrays, functions, fields, kernels and on parts."""
    grid = hc.Grid((18, 15), spacing=(0.5, 0.25))
    T, T_new = grid.field("T"), grid.field("T_new")
    given = grid.field("given", axes="x")
    chance = np.random.default_rng(5)
    T.boundary("y-", hc.Dirichlet(given))
    T.boundary("y+", hc.Robin(1.0, 0.5, lambda x, t: hc.cos(x) * hc.sin(t)))
    T.boundary("y+", hc.Dirichlet(chance.random(18)), where=lambda x: x > 4.0)
    T.boundary("x-", hc.Neumann(chance.random(15)))
    T.boundary("x-", hc.Dirichlet(lambda y: y), where=hc.Box((0, 3), (1, 9)))
    T.boundary("x+", _extrapolated)
    return grid, [_drift(T, T_new), hc.swap(T, T_new), _slower(given)]


def absorbed_waves() -> tuple[hc.Grid, list[Any]]:
    """Waves on a staggered grid with matched layers on two sides and sponges on others."""
    grid = hc.Grid((25, 22))
    p = grid.field("p")
    u, v = grid.field("u", location="x_face"), grid.field("v", location="y_face")
    pml = hc.PML(grid, speed=1.0, dt=0.5, width=4, sides=("x-", "x+"), frequency=0.05)

    @hc.kernel
    def accelerate(p, u, v):
        u[0, 0] = u - 0.5 * pml.d(p, "x")
        v[0, 0] = v - 0.5 * hc.d(p, "y")

    @hc.kernel
    def compress(p, u, v):
        p[0, 0] = p - 0.5 * (pml.d(u, "x") + hc.d(v, "y"))

    for sign in "-+":
        u.boundary("x" + sign, hc.Dirichlet(0.0))
        v.boundary("y" + sign, hc.Dirichlet(0.0))
    calm = [hc.sponge(f, ["y-", "y+"], width=5, strength=0.2) for f in (p, u, v)]
    return grid, [accelerate(p, u, v), compress(p, u, v), *calm]


PROGRAMS = {
    "staggered waves": staggered_waves,
    "stretched heat": stretched_heat,
    "prescribed sides": prescribed_sides,
    "absorbed waves": absorbed_waves,
}


def run(name: str, steps: int = 5, **options: Any) -> tuple[hc.Simulation, dict[str, np.ndarray]]:
    """Run a program from random values; return its fields, on rank 0."""
    grid, program = PROGRAMS[name]()
    chance = np.random.default_rng(3)
    visible = [field for field in grid.fields.values() if not field.is_hidden]
    for field in visible:
        field.set(0.1 + chance.random(field.space.shape))
    simulation = hc.Simulation(grid, program, dt=0.1, **options)
    simulation.run(steps, progress=False)
    found = {field.name: field.gather() for field in visible}
    if simulation.rank == 0:
        assert all(np.isfinite(values).all() for values in found.values())
    return simulation, found
