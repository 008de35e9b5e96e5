"""Rates of kernels on a device beside its own copies; results are compared with the processor's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import halocline as hc
from halocline.analysis.cost import cost
from halocline.apps.heat.kernels import diffuse
from halocline.bench.benchmark import Benchmark
from halocline.bench.lbm import collision_kernel
from halocline.bench.probe_device import device_of
from halocline.bench.settings import Settings
from halocline.bench.stepping import checksum, step_time
from halocline.bench.times import Times
from halocline.errors import HaloclineError
from halocline.io.results import Chart, Row
from halocline.language.grids.fields import Field
from halocline.language.grids.sides import names_of_sides
from halocline.language.steps.steps import Step
from halocline.lbm import Setup, Wall, bgk, make_flow
from halocline.runtime import _core

# Before anything is timed this is done on the device and on the processor.
_CHECKED_CELLS, _CHECKED_STEPS = 12, 20
_COPIED_BYTES, _COPIES = 1 << 28, 20
# Each repetition lasts so many times the budget of a benchmark of messages.
_LONGER = 40
_OMEGA, _LID_SPEED = 1.6, 0.05


class Problem(NamedTuple):
    """Something to run: the kernel that does the work updates each cell so often in a step."""

    grid: hc.Grid
    steps: Sequence[Step]
    field: Field
    kernel: Any
    updates: int = 1


def _cavity(lattice: str, dtype: str, cells: int) -> Problem:
    dimensions = int(lattice[1])
    sides = dict.fromkeys(names_of_sides(dimensions), Wall())
    lid = (_LID_SPEED, 0.0, 0.0)[:dimensions]
    sides["xyz"[dimensions - 1] + "+"] = Wall(lid)
    extent = (cells,) * dimensions
    setup = Setup(extent, lattice, _OMEGA, bgk, sides, streaming="in-place", dtype=dtype)
    flow = make_flow(setup)
    return Problem(flow.grid, flow.steps, flow.f, collision_kernel(flow), flow.lattice_steps)


def _heat(dtype: str, cells: int) -> Problem:
    grid = hc.Grid((cells,) * 3, periodic=True)
    here, there = (grid.field(name, dtype=dtype) for name in ("T", "T_new"))
    here.set(lambda x, y, z: (x + 3 * y + 5 * z) // 1 % 7)
    step = diffuse(here, there, diffusivity_dt=0.125)
    return Problem(grid, [step, hc.swap(here, there)], here, step.kernel)


# By name what makes it of so many cells a side, and how many, if none are asked for.
PROBLEMS: dict[str, tuple[Callable[[int], Problem], int]] = {
    "D3Q19 cavity in place, float32": (partial(_cavity, "D3Q19", "float32"), 384),
    "D3Q19 cavity in place, float64": (partial(_cavity, "D3Q19", "float64"), 384),
    "D3Q19 cavity in place, float16 stored": (partial(_cavity, "D3Q19", "float16"), 384),
    "D3Q19 cavity in place, float32, short": (partial(_cavity, "D3Q19", "float32"), 32),
    "D2Q9 cavity in place, float32": (partial(_cavity, "D2Q9", "float32"), 8192),
    "heat, 7 points, float32": (partial(_heat, "float32"), 768),
}


def measure(name: str, settings: Settings) -> Row:
    """Measure a problem on the device of the settings, between the device's own copies.

    Raises:
        HaloclineError: There is no such device, or it gave other bits than the processor.
    """
    make, usual = PROBLEMS[name]
    cells = settings.sizes[0] if settings.sizes else usual
    problem = make(cells)
    simulation = hc.Simulation(problem.grid, problem.steps, device=settings.device, check_every=0)
    device = device_of(simulation)
    _compare(name, settings.device)
    simulation.run(2 * _CHECKED_STEPS, progress=False)  # so that what can be is recorded
    steps = max(4, int(_LONGER * settings.budget_s / step_time(simulation, 4)))
    before = _copy_gb_s(device)
    times = Times.of((step_time(simulation, steps) for _ in range(settings.repetitions)), steps)
    updates, moved = problem.grid.domain.cells * problem.updates, cost(problem.kernel).bytes
    copies = (before + _copy_gb_s(device)) / 2
    return {
        "what": name,
        "side": cells,
        "moved [B an update]": moved,
        **times.columns(),
        "MLUPS": updates / times.median_s / 1e6,
        "GB/s": times.gigabytes_per_s(updates * moved),
        "copies [GB/s]": copies,
        "share [%]": 100 * times.gigabytes_per_s(updates * moved) / copies,
        "where": simulation.device.where.removeprefix("kernels on "),
    }


def _compare(name: str, device: str) -> None:
    checksums = []
    for where in ("cpu", device):
        problem = PROBLEMS[name][0](_CHECKED_CELLS)
        simulation = hc.Simulation(problem.grid, problem.steps, device=where, check_every=0)
        simulation.run(_CHECKED_STEPS, progress=False)
        checksums.append(checksum(simulation, [problem.field]))
    if checksums[0] != checksums[1]:
        raise HaloclineError(f"{name}: the device '{device}' gave other bits than the cpu.")


def _copy_gb_s(device: _core.Device) -> float:
    """Return what the copies of a device give, read plus written [GB/s]."""
    seconds = device.copy_seconds(_COPIED_BYTES, _COPIES)
    return 2 * _COPIED_BYTES * _COPIES / seconds / 1e9


def run(settings: Settings) -> list[Row]:
    """Measure each problem."""
    return [measure(name, settings) for name in PROBLEMS]


BENCHMARK = Benchmark(
    "device",
    "Kernels on a device (--device), beside its own copies; results have the processor's bits.",
    run,
    Chart("what", "MLUPS", ("where",)),
)
