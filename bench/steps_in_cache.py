"""Measure several steps in the caches beside single steps: 'python bench/steps_in_cache.py'.

For each case the numbers of steps take turns; the median of the ratios to single steps is printed.
What they compute is compared to the bit before.
"""

from __future__ import annotations

import sys
import time
from statistics import median
from typing import Any

import numpy as np

import halocline as hc
from halocline.apps.lbm.collision import bgk
from halocline.apps.lbm.flow import Setup, make_flow

TURNS, SECONDS = 5, 1.0
STEPS = (1, 2, 4, 8)


@hc.kernel
def heat(u: Any, u_new: Any, *, a: float) -> None:
    """One step of diffusion."""
    u_new[0, 0, 0] = u + a * hc.laplacian(u)


@hc.kernel
def wave(u_old: Any, u: Any, u_new: Any, *, s: float) -> None:
    """One leapfrog step of eighth order."""
    u_new[0, 0, 0] = 2 * u - u_old + s * hc.laplacian(u, accuracy=8)


@hc.kernel
def shallow_water(  # noqa: PLR0913 (a field each)
    h: Any, u: Any, v: Any, h_new: Any, u_new: Any, v_new: Any, *, a: float
) -> None:
    """One step of linear shallow water."""
    u_new[0, 0] = u - a * (h[1, 0] - h[-1, 0])
    v_new[0, 0] = v - a * (h[0, 1] - h[0, -1])
    h_new[0, 0] = h - a * (u[1, 0] - u[-1, 0] + v[0, 1] - v[0, -1])


def stencil(kernel: Any, n: int, dtype: str) -> tuple[hc.Grid, list[Any], hc.Field, int]:
    """Return a grid with steps of a stencil, a field, and the cells that a step updates."""
    grid = hc.Grid((n,) * 3)
    names = {heat: ("u", "u_new"), wave: ("u_old", "u", "u_new")}[kernel]
    fields = [grid.field(name, dtype=dtype) for name in names]
    for field in fields[-2:]:
        field.boundary(grid.sides, hc.Dirichlet(0.0))
    for field in fields[:-1]:
        field.set(lambda x, y, z: np.sin(0.3 * x) * np.cos(0.2 * y) + 0.1 * np.sin(z))
    if kernel is heat:
        return grid, [heat(*fields, a=0.1), hc.swap(*fields)], fields[0], n**3
    return grid, [wave(*fields, s=0.01), hc.rotate(*fields)], fields[1], n**3


def water(n: int, dtype: str) -> tuple[hc.Grid, list[Any], hc.Field, int]:
    """Return the same of shallow water."""
    grid = hc.Grid((n, n), periodic=True)
    names = ("h", "u", "v", "h_new", "u_new", "v_new")
    fields = [grid.field(name, dtype=dtype) for name in names]
    fields[0].set(lambda x, y: np.sin(0.1 * x) * np.cos(0.1 * y))
    swaps = [hc.swap(fields[i], fields[i + 3]) for i in range(3)]
    return grid, [shallow_water(*fields, a=0.1), *swaps], fields[0], n**2


def lattice(name: str, streaming: str, n: int, dtype: str) -> tuple[Any, Any, hc.Field, int]:
    """Return the same of a periodic flow."""
    dimensions = int(name[1])
    setup = Setup((n,) * dimensions, name, 1.6, bgk, {}, None, streaming=streaming, dtype=dtype)
    flow = make_flow(setup)
    weights = flow.velocity_set.weights
    flow.f.set(lambda *place: [0.01 * w * np.sin(0.1 * place[0]) for w in weights])
    return flow.grid, flow.steps, flow.f, n**dimensions * flow.lattice_steps


CASES = {
    "heat 512^3 float64": lambda: stencil(heat, 512, "float64"),
    "heat 512^3 float32": lambda: stencil(heat, 512, "float32"),
    "wave 384^3 float32": lambda: stencil(wave, 384, "float32"),
    "shallow water 2048^2 float64": lambda: water(2048, "float64"),
    "shallow water 2048^2 float32": lambda: water(2048, "float32"),
    **{
        f"{name} {streaming} {n}^{name[1]} {dtype}": (
            lambda name=name, streaming=streaming, n=n, dtype=dtype: lattice(
                name, streaming, n, dtype
            )
        )
        for name, n in (("D2Q9", 1024), ("D2Q9", 2048), ("D3Q19", 128), ("D3Q19", 192))
        for streaming in ("two-grids", "in-place")
        for dtype in ("float64", "float32")
    },
}


def rate(simulation: hc.Simulation, cells: int, steps: int) -> float:
    """Return million cells updated a second."""
    before = time.perf_counter()
    simulation.run(steps, progress=False)
    return steps * cells / (time.perf_counter() - before) / 1e6


def compare(name: str) -> None:
    """Print a line for a case."""
    simulations, expected = [], None
    for number in STEPS:
        grid, steps, field, cells = CASES[name]()
        strategy = hc.Strategy(steps_in_cache=number)
        simulation = hc.Simulation(grid, steps, strategy=strategy, check_every=0)
        simulation.run(2 * STEPS[-1], progress=False)
        values = field.gather()
        if expected is not None and not np.array_equal(values, expected):
            raise SystemExit(f"{name}: {number} steps in the caches give other numbers.")
        expected = values
        simulations.append(simulation)
    each = STEPS[-1]
    probe = rate(simulations[0], cells, each)
    each *= max(1, round(SECONDS * probe * 1e6 / cells / each))
    turns = [[rate(one, cells, each) for one in simulations] for _ in range(TURNS)]
    single = median(turn[0] for turn in turns)
    ratios = [median(turn[n] / turn[0] for turn in turns) for n in range(1, len(STEPS))]
    print(f"{name:<36}{single:>8.0f}" + "".join(f"{one:>8.2f}" for one in ratios), flush=True)


def main() -> None:
    """Print a line for each case whose name has one of the arguments in it."""
    titles = "".join(f"{f'{n} steps':>8}" for n in STEPS[1:])
    print(f"{'case':<36}{'M/s':>8}{titles}", flush=True)
    wanted = sys.argv[1:]
    for name in CASES:
        if not wanted or any(one in name for one in wanted):
            compare(name)


if __name__ == "__main__":
    main()
