"""Small programs that many tests run: heat, a chain on a staggered grid, lid-driven cavities."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

import halocline as hc
from halocline.frozen import Frozen
from halocline.geometry import AXES
from halocline.lbm import FreeSlip, Outflow, Setup, Velocity, Wall, bgk, make_flow, trt

STEPS = 5


class Problem(Frozen):
    """A grid with its steps.

    Attributes:
        grid: The grid, with its fields.
        steps: One time step.
        scale: Of the random initial values.
    """

    grid: hc.Grid
    steps: list[Any]
    scale: float = 1.0


def heat(extent, periodic, dtype="float64") -> Problem:
    """Diffusion with a Dirichlet low side and a Neumann high side where not periodic."""
    grid = hc.Grid(extent, periodic=periodic)
    old, new = grid.field("T", dtype=dtype), grid.field("T_new", dtype=dtype)

    @hc.kernel
    def diffuse(T, T_new, *, a):
        here = (0,) * len(extent)
        T_new[here] = T[here] + a * hc.laplacian(T)

    for axis in range(len(extent)):
        if not grid.periodic[axis]:
            old.boundary(AXES[axis] + "-", hc.Dirichlet(1.0))
            old.boundary(AXES[axis] + "+", hc.Neumann(0.5))
    return Problem(grid, [diffuse(old, new, a=0.125), hc.swap(old, new)])


def waves(extent, periodic, dtype="float64") -> Problem:
    """Waves on a staggered grid: one kernel for the velocities, one for the surface, in place."""
    grid = hc.Grid(extent, periodic=periodic)
    surface = grid.field("eta", dtype=dtype)
    names = "uvw"[: grid.dimensions]
    faces = [
        grid.field(n, dtype=dtype, location=f"{a}_face") for n, a in zip(names, AXES, strict=False)
    ]
    for axis in range(grid.dimensions):
        if not grid.periodic[axis]:
            for sign in "-+":
                faces[axis].boundary(AXES[axis] + sign, hc.Dirichlet(0.0))
                surface.boundary(AXES[axis] + sign, hc.Neumann(0.0))
    momentum, continuity = _WAVES[grid.dimensions]
    return Problem(grid, [momentum(surface, *faces, a=0.2), continuity(surface, *faces, a=0.2)])


def _along(axis: int, distance: int, dimensions: int) -> tuple[int, ...]:
    return tuple(distance if a == axis else 0 for a in range(dimensions))


def _momentum(eta, faces, a):
    n = len(faces)
    for axis, u in enumerate(faces):
        here = (0,) * n
        u[here] = u[here] - a * (eta[here] - eta[_along(axis, -1, n)]) * (1.0 + 0.1 * eta[here])


def _continuity(eta, faces, a):
    n = len(faces)
    total = sum((u[_along(axis, 1, n)] - u for axis, u in enumerate(faces)), 0.0)
    eta[(0,) * n] = eta - a * total


@hc.kernel
def momentum_1(eta, u, *, a):
    _momentum(eta, (u,), a)


@hc.kernel
def momentum_2(eta, u, v, *, a):
    _momentum(eta, (u, v), a)


@hc.kernel
def momentum_3(eta, u, v, w, *, a):
    _momentum(eta, (u, v, w), a)


@hc.kernel
def continuity_1(eta, u, *, a):
    _continuity(eta, (u,), a)


@hc.kernel
def continuity_2(eta, u, v, *, a):
    _continuity(eta, (u, v), a)


@hc.kernel
def continuity_3(eta, u, v, w, *, a):
    _continuity(eta, (u, v, w), a)


_WAVES = {
    1: (momentum_1, continuity_1),
    2: (momentum_2, continuity_2),
    3: (momentum_3, continuity_3),
}


@hc.kernel
def relax_colour(u, f, *, colour):
    new = 0.25 * (u[1, 0] + u[-1, 0] + u[0, 1] + u[0, -1] - f[0, 0])
    is_mine = ((hc.index("x") + hc.index("y")) & 1) == colour
    u[0, 0] = hc.where(is_mine, new, u[0, 0])


def red_black(extent, periodic, dtype="float64") -> Problem:
    """A Poisson equation, relaxed in place: first the cells of one colour, then the others."""
    grid = hc.Grid(extent, periodic=periodic)
    u, f = (grid.field(name, dtype=dtype) for name in ("u", "f"))
    for axis in (axis for axis, closes in zip("xy", grid.periodic) if not closes):
        u.boundary(f"{axis}-", hc.Dirichlet(1.0))
        u.boundary(f"{axis}+", hc.Neumann(0.0))
    return Problem(grid, [relax_colour(u, f, colour=0), relax_colour(u, f, colour=1)])


def cavity(extent, periodic, dtype="float64", streaming="two-grids", layout="soa") -> Problem:
    """D2Q9 or D3Q19 with walls where not periodic; that at x+ is smooth, that at y+ moves."""
    lattice = {2: "D2Q9", 3: "D3Q19"}[len(extent)]
    periodic = hc.Grid(extent, periodic=periodic).periodic
    sides = {a + s: Wall() for a, p in zip(AXES, periodic, strict=False) if not p for s in "-+"}
    kinds = {"x+": FreeSlip(), "y+": Wall((0.1, 0.0, 0.0)[: len(extent)])}
    sides |= {side: kind for side, kind in kinds.items() if side in sides}
    flow = make_flow(
        Setup(extent, lattice, 1.25, bgk, sides, streaming=streaming, dtype=dtype, layout=layout)
    )
    return Problem(flow.grid, list(flow.steps), scale=0.01)


def noise(extent, periodic, dtype="float64") -> Problem:
    """Random numbers, of neighbours too, in twice two passes, and bits of small integers."""
    grid = hc.Grid(extent, periodic=periodic)
    heat, spin = grid.field("T", dtype=dtype), grid.field("spin", dtype="int16")
    turned = grid.field("turned", dtype="uint8")

    @hc.kernel
    def turn(spin, turned, *, seed):
        bits = hc.random_bits(seed=seed, dtype="int16")
        near = spin[-1, 0] + (spin[1, 0] ^ bits) - spin[0, 1] // 3
        turned[0, 0] = ((near >> 3) % 17).astype("uint8") + hc.random_bits(dtype="uint8") // 2

    @hc.kernel
    def flip(T, spin, turned):
        draw = hc.random(seed=2**40, dtype=dtype)
        spin[0, 0] = turned[0, -1] - turned[1, 0].astype("int16") * 5 << 2
        T[0, 0] = 0.5 * T[0, 0] + draw[1, 0] * draw + turned[-1, 0] % 4

    for axis in range(2):
        for field in (spin, turned) if not grid.periodic[axis] else ():
            field.boundary(AXES[axis] + "-", hc.Dirichlet(1))
            field.boundary(AXES[axis] + "+", hc.Neumann(0))
    both = hc.repeat(2, turn(spin, turned, seed=hc.Parameter(7)), flip(heat, spin, turned))
    return Problem(grid, [both, turn(spin, turned, seed=3)])


def interleaved(extent, periodic, dtype="float64") -> Problem:
    """The same, with the populations of a cell side by side."""
    return cavity(extent, periodic, dtype, layout="aos")


def in_place(extent, periodic, dtype="float64") -> Problem:
    """The cavity on one grid."""
    return cavity(extent, periodic, dtype, "in-place")


def obstacles(extent, periodic, dtype="float64") -> Problem:
    """In place, with two rates, past solid cells; through the domain along x where not periodic."""
    lattice = {2: "D2Q9", 3: "D3Q19"}[len(extent)]
    periodic = hc.Grid(extent, periodic=periodic).periodic
    sides = {a + s: Wall() for a, p in zip(AXES, periodic, strict=False) if not p for s in "-+"}
    inflow = Velocity((0.05, 0.0, 0.0)[: len(extent)])
    sides |= {"x-": inflow, "x+": Outflow()} if "x-" in sides else {}
    solid = np.random.default_rng(2).random(extent) < 0.2
    solid[[0, -1, -2]] = False
    return Problem(
        *_grid_and_steps(
            Setup(extent, lattice, 1.25, trt(), sides, solid, streaming="in-place", dtype=dtype)
        ),
        scale=0.01,
    )


def _grid_and_steps(setup: Setup) -> tuple[hc.Grid, list[Any]]:
    flow = make_flow(setup)
    return flow.grid, list(flow.steps)


def fill(problem: Problem, seed: int = 1) -> None:
    """Give every field random values that do not depend on the decomposition."""
    random = np.random.default_rng(seed)
    for field in problem.grid.fields.values():
        if field.dtype == "uint8":
            continue
        shape = ((field.components,) if field.components > 1 else ()) + field.space.shape
        if field.dtype == "int16":
            field.set(random.integers(-999, 999, shape))
            continue
        field.set(problem.scale * random.random(shape))


def run(problem: Problem, steps: int = STEPS, **options) -> hc.Simulation:
    """Fill, run and return the simulation."""
    fill(problem)
    simulation = hc.Simulation(problem.grid, problem.steps, **options)
    simulation.run(steps, progress=False)
    return simulation


def values(problem: Problem) -> dict[str, np.ndarray]:
    """Return all fields on rank 0; an empty table elsewhere."""
    found = {name: field.gather() for name, field in problem.grid.fields.items()}
    return {name: array for name, array in found.items() if array is not None}


def checksum(problem: Problem) -> int:
    """Return the crc of all fields on rank 0, 0 elsewhere."""
    crc = 0
    for array in values(problem).values():
        assert np.isfinite(array).all()
        crc = zlib.crc32(np.ascontiguousarray(array).tobytes(), crc)
    return crc


def reductions(field: Any, simulation: hc.Simulation) -> list[str]:
    """Return sum, min and max of an expression, to the last bit."""
    one = field[0] if field.components > 1 else field
    square = one * one + 0.25
    return [simulation.reduce(kind(square)).hex() for kind in (hc.sum, hc.min, hc.max)]


# name: (what makes the problem, its extent: sizes that no number of ranks divides)
PROBLEMS = {
    "heat 1-D": (heat, (37,)),
    "heat 2-D": (heat, (17, 13)),
    "heat 3-D": (heat, (11, 9, 10)),
    "waves 1-D": (waves, (31,)),
    "waves 2-D": (waves, (13, 17)),
    "waves 3-D": (waves, (7, 9, 11)),
    "noise 2-D": (noise, (13, 25)),
    "red-black 2-D": (red_black, (14, 12)),
    "cavity 2-D, interleaved": (interleaved, (14, 13)),
    "cavity 3-D": (cavity, (9, 7, 10)),
    "in place 2-D": (in_place, (14, 13)),
    "obstacles 2-D": (obstacles, (14, 13)),
}


def make(name: str, periodic: str, dtype: str) -> Problem:
    """Return a problem by name; 'periodic' is 'none', 'all' or 'first'."""
    maker, extent = PROBLEMS[name]
    axes = {"none": False, "all": True, "first": (True, *(False,) * (len(extent) - 1))}
    return maker(extent, axes[periodic], dtype)
