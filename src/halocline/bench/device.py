"""Rates on a device beside its own copies; results have the bits of the processor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import halocline as hc
import halocline.ocean as ocean
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
from halocline.lbm import Refinement, Setup, Wall, bgk, make_flow
from halocline.runtime import _core

# Before anything is timed this is done on the device and on the processor.
_CHECKED_CELLS, _CHECKED_STEPS = 12, 20
_COPIED_BYTES, _COPIES = 1 << 28, 20
# Each repetition lasts so many times the budget of a benchmark of messages.
_LONGER = 40
_OMEGA, _LID_SPEED = 1.6, 0.05
# Blocks along each axis that are not refined, and layers of the ocean.
_ROOTS, _LAYERS = 3, 20


class Problem(NamedTuple):
    """Something to run.

    Attributes:
        grid: Its grid.
        steps: Its steps.
        field: The field whose bits are compared.
        updates: How many cells it updates in a step.
        moved: What an update must move; None if several kernels share it [B].
    """

    grid: Any
    steps: Sequence[Step]
    field: Field
    updates: int
    moved: float | None


def _cavity(lattice: str, dtype: str, cells: int, **options: Any) -> Problem:
    dimensions = int(lattice[1])
    sides = dict.fromkeys(names_of_sides(dimensions), Wall())
    lid = (_LID_SPEED, 0.0, 0.0)[:dimensions]
    sides["xyz"[dimensions - 1] + "+"] = Wall(lid)
    setup = Setup((cells,) * dimensions, lattice, _OMEGA, bgk, sides, dtype=dtype, **options)
    flow = make_flow(setup)
    moved = None if "refinement" in options else cost(collision_kernel(flow)).bytes
    return Problem(flow.grid, flow.steps, flow.f, flow.updates, moved)


def _refined(cells: int) -> Problem:
    """Return a cavity with two more levels around a sphere: each leaf lies at a border."""
    block = cells // _ROOTS

    def wanted(x: Any, y: Any, z: Any) -> Any:
        r = np.sqrt(sum((c - cells / 2) ** 2 for c in (x, y, z)))
        return sum((np.abs(r - cells / 6) < reach * block).astype(int) for reach in (0.5, 0.2))

    near = Refinement(wanted, finest=2, block=block)
    return _cavity("D3Q19", "float32", cells, refinement=near)


def _heat(dtype: str, cells: int) -> Problem:
    grid = hc.Grid((cells,) * 3, periodic=True)
    here, there = (grid.field(name, dtype=dtype) for name in ("T", "T_new"))
    here.set(lambda x, y, z: (x + 3 * y + 5 * z) // 1 % 7)
    step = diffuse(here, there, diffusivity_dt=0.125)
    return Problem(grid, [step, hc.swap(here, there)], here, cells**3, cost(step.kernel).bytes)


@hc.kernel
def _leapfrog(u_old: Any, u: Any, u_new: Any, *, s: float) -> None:
    u_new[0, 0, 0] = 2 * u - u_old + s * hc.laplacian(u, accuracy=8)


def _wave(cells: int) -> Problem:
    grid = hc.Grid((cells,) * 3, periodic=True)
    fields = [grid.field(name, dtype="float32") for name in ("u_old", "u", "u_new")]
    for field in fields[:2]:
        field.set(lambda x, y, z: (x + 3 * y + 5 * z) // 1 % 7)
    step = _leapfrog(*fields, s=0.1)
    steps: list[Step] = [step, *hc.rotate(*fields)]
    return Problem(grid, steps, fields[1], cells**3, cost(step.kernel).bytes)


def _ocean(cells: int) -> Problem:
    """Return a box of stratified water under wind, with turbulence."""
    sea = ocean.Domain(np.full((cells, cells), 40.0), spacing=(500.0, 500.0), f=1e-4)
    model = ocean.make_model(
        ocean.Setup(
            sea,
            micro_step=10.0,
            layers=ocean.Sigma(_LAYERS),
            stress=(1e-4, 0.0),
            temperature=lambda x, y, height: 15.0 + 0.1 * height + 0.0 * (x + y),
            density=ocean.linear,
        )
    )
    return Problem(model.grid, model.steps, model.zeta, cells**2 * _LAYERS, None)


def _flow(lattice: str, dtype: str, streaming: str) -> Callable[[int], Problem]:
    return partial(_cavity, lattice, dtype, streaming=streaming)


# By name what makes it of so many cells a side, and how many, if none are asked for.
PROBLEMS: dict[str, tuple[Callable[[int], Problem], int]] = {
    "D3Q19 cavity in place, float32": (_flow("D3Q19", "float32", "in-place"), 384),
    "D3Q19 cavity in place, float64": (_flow("D3Q19", "float64", "in-place"), 384),
    "D3Q19 cavity in place, float16 stored": (_flow("D3Q19", "float16", "in-place"), 384),
    "D3Q19 cavity on two grids, float32": (_flow("D3Q19", "float32", "two-grids"), 384),
    "D3Q19 cavity on two grids, float64": (_flow("D3Q19", "float64", "two-grids"), 384),
    "D3Q19 cavity on two grids, float16 stored": (_flow("D3Q19", "float16", "two-grids"), 384),
    "D3Q19 cavity in place, float32, short": (_flow("D3Q19", "float32", "in-place"), 32),
    "D3Q19 cavity on three levels, float32": (_refined, 96),
    "D2Q9 cavity in place, float32": (_flow("D2Q9", "float32", "in-place"), 8192),
    "heat, 7 points, float32": (partial(_heat, "float32"), 768),
    "wave of eighth order, float32": (_wave, 640),
    "ocean with 20 layers": (_ocean, 512),
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
    updates, moved = problem.updates, problem.moved
    copies = (before + _copy_gb_s(device)) / 2
    rate = None if moved is None else times.gigabytes_per_s(updates * moved)
    return {
        "what": name,
        "side": cells,
        "moved [B an update]": moved,
        **times.columns(),
        "MLUPS": updates / times.median_s / 1e6,
        "GB/s": rate,
        "copies [GB/s]": copies,
        "share [%]": None if rate is None else 100 * rate / copies,
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
