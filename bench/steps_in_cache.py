"""Measure several steps in the caches beside single steps: 'python bench/steps_in_cache.py'.

For each case the numbers of steps take turns; the median of the ratios to single steps is printed.
What they compute is compared to the bit before. Where 'halocline probe' has measured the machine,
a second line has the time that the model says in terms of the measured one, after single steps and
four steps at once have taught it how fast the kernels are.
"""

from __future__ import annotations

import sys
import time
from statistics import median
from typing import Any

import numpy as np
from peers.kernels import heat, lattice, stencil, wave

import halocline as hc
from halocline.tune.calibration import CompletedSteps, kernel_rates
from halocline.tune.machines import machine_here
from halocline.tune.model import Model, predict_step
from halocline.tune.work import Placement

TURNS, SECONDS = 5, 1.0
STEPS = (1, 2, 4, 8)
TEACHING = (1, 4)


@hc.kernel
def shallow_water(  # noqa: PLR0913 (a field each)
    h: Any, u: Any, v: Any, h_new: Any, u_new: Any, v_new: Any, *, a: float
) -> None:
    """One step of linear shallow water."""
    u_new[0, 0] = u - a * (h[1, 0] - h[-1, 0])
    v_new[0, 0] = v - a * (h[0, 1] - h[0, -1])
    h_new[0, 0] = h - a * (u[1, 0] - u[-1, 0] + v[0, 1] - v[0, -1])


Case = tuple[hc.Grid, list[Any], hc.Field, int]


def on_cube(kernel: Any, n: int, dtype: str) -> Case:
    """Return a grid with steps of a stencil, a field, and the cells that a step updates."""

    def initial(x: Any, y: Any, z: Any) -> Any:
        return np.sin(0.3 * x) * np.cos(0.2 * y) + 0.1 * np.sin(z)

    return *stencil(kernel, n, dtype, initial), n**3


def water(n: int, dtype: str) -> Case:
    """Return the same of shallow water."""
    grid = hc.Grid((n, n), periodic=True)
    names = ("h", "u", "v", "h_new", "u_new", "v_new")
    fields = [grid.field(name, dtype=dtype) for name in names]
    fields[0].set(lambda x, y: np.sin(0.1 * x) * np.cos(0.1 * y))
    swaps = [hc.swap(fields[i], fields[i + 3]) for i in range(3)]
    return grid, [shallow_water(*fields, a=0.1), *swaps], fields[0], n**2


def flow(name: str, streaming: str, n: int, dtype: str) -> Case:
    """Return the same of a periodic flow."""
    found = lattice(name, streaming, n, dtype)
    weights = found.velocity_set.weights
    found.f.set(lambda *place: [0.01 * w * np.sin(0.1 * place[0]) for w in weights])
    return found.grid, found.steps, found.f, n ** int(name[1]) * found.lattice_steps


CASES = {
    "heat 512^3 float64": lambda: on_cube(heat, 512, "float64"),
    "heat 512^3 float32": lambda: on_cube(heat, 512, "float32"),
    "wave 384^3 float32": lambda: on_cube(wave, 384, "float32"),
    "shallow water 2048^2 float64": lambda: water(2048, "float64"),
    "shallow water 2048^2 float32": lambda: water(2048, "float32"),
    **{
        f"{name} {streaming} {n}^{name[1]} {dtype}": (
            lambda name=name, streaming=streaming, n=n, dtype=dtype: flow(name, streaming, n, dtype)
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


def predicted(simulations: list[hc.Simulation], turns: int, steps: int) -> list[float]:
    """Return the time of a step of each simulation as the model says it [s].

    Args:
        simulations: What the timers of the runtime belong to since all had their turns.
        turns: How many.
        steps: Of a turn.
    """
    model = Model(machine_here(), Placement(1, simulations[0].threads))
    for simulation, number in zip(simulations, STEPS, strict=True):
        if number in TEACHING:
            done = [CompletedSteps(simulation.plan, turns * steps)]
            rates = kernel_rates(done, simulation.timers(), model)
            model = Model(model.machine.with_kernels(rates), model.placement)
    return [
        predict_step(simulation.plan, model.machine, model.placement).seconds
        for simulation in simulations
    ]


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
    for simulation in simulations:
        simulation.timers(reset=True)
    turns = [[rate(one, cells, each) for one in simulations] for _ in range(TURNS)]
    single = median(turn[0] for turn in turns)
    ratios = [median(turn[n] / turn[0] for turn in turns) for n in range(1, len(STEPS))]
    print_line(f"{name:<36}{single:>8.0f}", ratios)
    if machine_here().identity:
        times = predicted(simulations, TURNS, each)
        said = [s * 1e6 / cells * median(turn[n] for turn in turns) for n, s in enumerate(times)]
        print_line(f"{'  predicted / measured':<36}", said)


def print_line(title: str, ratios: list[float]) -> None:
    """Print what ratios are of, and them."""
    print(title + "".join(f"{one:>8.2f}" for one in ratios), flush=True)


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
