"""Rates of kernels on a device beside its own copies; results are compared with the processor's."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.analysis.cost import cost
from halocline.apps.heat.kernels import diffuse
from halocline.apps.lbm.boundaries import Wall
from halocline.apps.lbm.collision import bgk
from halocline.apps.lbm.flow import Setup, make_flow
from halocline.bench.checksum import checksum
from halocline.bench.lbm import collision_kernel
from halocline.bench.probe_device import device_of
from halocline.bench.stepping import step_time
from halocline.bench.table import Benchmark, Chart, Column
from halocline.errors import HaloclineError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.bench.settings import Settings
    from halocline.language.fields import Field
    from halocline.language.steps import Step
    from halocline.runtime import _core

# Before anything is timed this is done on the device and on the processor.
_CHECKED_CELLS, _CHECKED_STEPS = 12, 20
_COPIED_BYTES, _COPIES = 1 << 28, 20
# Each repetition lasts so many times the budget of a benchmark of messages.
_LONGER = 40
_OMEGA, _LID_SPEED = 1.6, 0.05


@dataclass(frozen=True, slots=True)
class Problem:
    """Something to run.

    Attributes:
        grid: The grid.
        steps: The time step.
        fields: What is compared.
        kernel: The kernel that does the work.
        updates: Of each cell in a step.
    """

    grid: hc.Grid
    steps: Sequence[Step]
    fields: Sequence[Field]
    kernel: Any
    updates: int = 1


def _cavity(lattice: str, dtype: str, cells: int) -> Problem:
    dimensions = int(lattice[1])
    sides = {axis + sign: Wall() for axis in "xyz"[:dimensions] for sign in "-+"}
    lid = (_LID_SPEED, 0.0, 0.0)[:dimensions]
    sides["xyz"[dimensions - 1] + "+"] = Wall(lid)
    extent = (cells,) * dimensions
    setup = Setup(extent, lattice, _OMEGA, bgk, sides, streaming="in-place", dtype=dtype)
    flow = make_flow(setup)
    return Problem(flow.grid, flow.steps, [flow.f], collision_kernel(flow), flow.lattice_steps)


def _heat(dtype: str, cells: int) -> Problem:
    grid = hc.Grid((cells,) * 3, periodic=True)
    here, there = (grid.field(name, dtype=dtype) for name in ("T", "T_new"))
    here.set(lambda x, y, z: (x + 3 * y + 5 * z) // 1 % 7)
    step = diffuse(here, there, diffusivity_dt=0.125)
    return Problem(grid, [step, hc.swap(here, there)], [here], step.kernel)


@dataclass(frozen=True, slots=True)
class Kind:
    """What is measured.

    Attributes:
        name: What it is called.
        make: Makes it of so many cells a side.
        cells: A side, if none are asked for.
    """

    name: str
    make: Any = field(repr=False)
    cells: int


KINDS = (
    Kind("D3Q19 cavity in place, float32", partial(_cavity, "D3Q19", "float32"), 384),
    Kind("D3Q19 cavity in place, float64", partial(_cavity, "D3Q19", "float64"), 384),
    Kind("D3Q19 cavity in place, float16 stored", partial(_cavity, "D3Q19", "float16"), 384),
    Kind("D3Q19 cavity in place, float32, short", partial(_cavity, "D3Q19", "float32"), 32),
    Kind("D2Q9 cavity in place, float32", partial(_cavity, "D2Q9", "float32"), 8192),
    Kind("heat, 7 points, float32", partial(_heat, "float32"), 768),
)


@dataclass(frozen=True, slots=True)
class Rate:
    """A measured rate.

    Attributes:
        kind: What was measured.
        cells: A side.
        where: The device.
        bytes_a_cell: What must move for each update [bytes].
        step_us: Time of a step: minimum, median and maximum of the repetitions [us].
        mlups: Million updates of a cell a second, at the median.
        copy_gb_s: What the device's own copies gave before and after, read plus written [GB/s].
    """

    kind: str
    cells: int
    where: str
    bytes_a_cell: int
    step_us: tuple[float, float, float]
    mlups: float
    copy_gb_s: float

    @property
    def gigabytes_per_s(self) -> float:
        """Traffic at the median [GB/s]."""
        return self.mlups * self.bytes_a_cell / 1e3


def measure(kind: Kind, settings: Settings) -> Rate:
    """Measure on the device of the settings.

    Raises:
        HaloclineError: There is no such device, or it gave other bits than the processor.
    """
    cells = settings.sizes[0] if settings.sizes else kind.cells
    problem = kind.make(cells)
    simulation = hc.Simulation(problem.grid, problem.steps, device=settings.device, check_every=0)
    device = device_of(simulation)
    _compare(kind, settings.device)
    simulation.run(2 * _CHECKED_STEPS, progress=False)  # so that what can be is recorded
    steps = max(4, int(_LONGER * settings.budget_s / step_time(simulation, 4)))
    before = _copy_gb_s(device)
    times = sorted(step_time(simulation, steps) for _ in range(settings.repetitions))
    median = statistics.median(times)
    return Rate(
        kind.name,
        cells,
        simulation.device.where,
        cost(problem.kernel).bytes,
        (times[0] * 1e6, median * 1e6, times[-1] * 1e6),
        problem.grid.domain.cells * problem.updates / median / 1e6,
        (before + _copy_gb_s(device)) / 2,
    )


def _compare(kind: Kind, device: str) -> None:
    found = []
    for where in ("cpu", device):
        problem = kind.make(_CHECKED_CELLS)
        simulation = hc.Simulation(problem.grid, problem.steps, device=where, check_every=0)
        simulation.run(_CHECKED_STEPS, progress=False)
        found.append(checksum(simulation, problem.fields))
    if found[0] != found[1]:
        raise HaloclineError(f"{kind.name}: the device '{device}' gave other bits than the cpu.")


def _copy_gb_s(device: _core.Device) -> float:
    """Return what the copies of a device give [GB/s]."""
    seconds = device.copy_seconds(_COPIED_BYTES, _COPIES)
    return 2 * _COPIED_BYTES * _COPIES / seconds / 1e9


def run(settings: Settings) -> list[Rate]:
    """Measure each kind."""
    return [measure(kind, settings) for kind in KINDS]


BENCHMARK = Benchmark(
    "device",
    "Kernels on a device (--device), beside its own copies; results have the processor's bits.",
    run,
    (
        Column("what", lambda row: row.kind),
        Column("side", lambda row: str(row.cells)),
        Column("B an update", lambda row: str(row.bytes_a_cell)),
        Column("us a step, min", lambda row: f"{row.step_us[0]:.2f}"),
        Column("median", lambda row: f"{row.step_us[1]:.2f}"),
        Column("max", lambda row: f"{row.step_us[2]:.2f}"),
        Column("MLUPS", lambda row: f"{row.mlups:,.0f}"),
        Column("GB/s", lambda row: f"{row.gigabytes_per_s:,.0f}"),
        Column("copies", lambda row: f"{row.copy_gb_s:,.0f}"),
        Column("share", lambda row: f"{row.gigabytes_per_s / row.copy_gb_s:.0%}"),
        Column("where", lambda row: row.where.removeprefix("kernels on ")),
    ),
    Chart(
        x=lambda row: row.kind,
        y=lambda row: row.mlups,
        series=lambda row: row.where,
        x_label="case",
        y_label="million cell updates a second",
    ),
)
