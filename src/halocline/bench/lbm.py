"""The rate of D3Q19 in a periodic box, beside the yardstick of the same minute."""

from __future__ import annotations

import os
import statistics
import time
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

import halocline as hc
from halocline.analysis.cost import cost
from halocline.apps.lbm.collision import bgk, mrt, trt
from halocline.apps.lbm.kernels import collide_stream
from halocline.apps.lbm.velocity_set import velocity_set
from halocline.bench.checksum import checksum
from halocline.bench.job import measure_on_ranks
from halocline.bench.settings import dtype_of
from halocline.bench.stepping import step_time
from halocline.bench.table import Benchmark, Chart, Column
from halocline.bench.yardstick import Yardstick
from halocline.errors import HaloclineError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from halocline.bench.settings import Settings
    from halocline.runtime.job import Job

_EDGES = (128, 184)
# Each repetition lasts so many times the budget of a benchmark of messages.
_LONGER = 200
_OMEGA = 1.6
# BGK on all cubes, the others on the smallest only.
COLLISIONS = {"bgk": bgk, "trt": trt(), "mrt": mrt()}


@dataclass(frozen=True, slots=True)
class Rate:
    """A measured rate.

    Attributes:
        cells: Edge of the cube.
        collision: One of COLLISIONS.
        ranks: MPI ranks.
        threads: OpenMP threads a rank.
        dtype: Element type of the populations.
        bytes_a_cell: Bytes that must move for each update.
        mlups: Million cell updates a second: minimum, median and maximum of the repetitions.
        checksum: Of the populations after the same number of steps: equal for any ranks
            and threads, or the result is wrong.
        yardstick_gb_s: What copying 19 streams past the cache gives before and after [GB/s].
    """

    cells: int
    collision: str
    ranks: int
    threads: int
    dtype: str
    bytes_a_cell: int
    mlups: tuple[float, float, float]
    checksum: int
    yardstick_gb_s: float = 0.0

    @property
    def gigabytes_per_s(self) -> float:
        """Median traffic [GB/s]."""
        return self.mlups[1] * self.bytes_a_cell / 1e3

    @property
    def share(self) -> float:
        """Traffic in terms of the yardstick."""
        return self.gigabytes_per_s / self.yardstick_gb_s


def measure(collision: str, _job: Job, settings: Settings) -> Rate:
    """Measure the first cube and type of the settings with all cores of the machine.

    Raises:
        HaloclineError: Mass was not conserved.
    """
    cells, dtype = settings.sizes[0], dtype_of(settings.element_bytes[0])
    lattice = velocity_set("D3Q19")
    grid = hc.Grid((cells, cells, cells), periodic=True)
    f = grid.field("f", components=len(lattice), dtype=dtype)
    f_next = grid.field("f_next", components=len(lattice), dtype=dtype)
    call = collide_stream(
        f, f_next, velocity_set=lattice, omega=_OMEGA, collision=COLLISIONS[collision]
    )
    simulation = hc.Simulation(grid, [call, hc.swap(f, f_next)], check_every=0)
    f.set(lambda x, y, z: [1e-3 * ((x + 3 * y + 5 * z + i) % 7) for i in range(len(lattice))])
    masses = [hc.sum(f[i], name=f"mass_{i}") for i in range(len(lattice))]
    before = sum(simulation.reduce(mass) for mass in masses)
    simulation.run(2, progress=False)
    crc = checksum(simulation)
    rates = sorted(_rates(simulation, cells**3, settings))
    after = sum(simulation.reduce(mass) for mass in masses)
    tolerance = 1e-10 if dtype == "float64" else 1e-3
    if abs(after - before) > tolerance * cells**3:
        raise HaloclineError(f"Mass changed from {before} to {after}: the result is wrong.")
    summary = (rates[0], statistics.median(rates), rates[-1])
    moved = cost(call.kernel).bytes
    ranks, threads = simulation.size, simulation.threads
    return Rate(cells, collision, ranks, threads, dtype, moved, summary, crc)


def _rates(simulation: hc.Simulation, cells: int, settings: Settings) -> Iterator[float]:
    """Yield million cell updates a second."""
    steps = 4
    started = time.perf_counter()
    simulation.run(steps, progress=False)
    steps = max(4, int(steps * _LONGER * settings.budget_s / (time.perf_counter() - started)))
    if simulation.communicator:
        steps = simulation.communicator.bcast(steps, root=0)
    for _ in range(settings.repetitions):
        yield cells / step_time(simulation, steps) / 1e6


def run(settings: Settings) -> list[Rate]:
    """Measure each case as threads and as ranks, beside the yardstick of the same minute.

    Raises:
        HaloclineError: Two ways of running the same case gave different bits.
    """
    cores = len(os.sched_getaffinity(0))
    rates = []
    edges = settings.sizes or _EDGES
    for cells, element, collision in product(edges, settings.element_bytes, COLLISIONS):
        if cells != min(edges) and collision != "bgk":
            continue
        case = replace(settings, sizes=(cells,), element_bytes=(element,), link=None)
        found = [_beside_yardstick(case, collision, n) for n in dict.fromkeys((1, cores))]
        if len({rate.checksum for rate in found}) > 1:
            raise HaloclineError(
                f"{cells}³ {found[0].dtype} {collision}: ranks and threads gave different bits."
            )
        rates += found
    return rates


def _beside_yardstick(settings: Settings, collision: str, ranks: int) -> Rate:
    before = _yardstick(settings)
    task = partial(measure, collision)
    rate = measure_on_ranks(task, replace(settings, ranks=ranks, ranks_per_node=None))
    return replace(rate, yardstick_gb_s=(before + _yardstick(settings)) / 2)


def _yardstick(settings: Settings) -> float:
    cores = len(os.sched_getaffinity(0))
    with Yardstick("copy_19_streamed", settings.sizes[0] ** 3, cores) as yardstick:
        times = yardstick.sample(settings.repetitions, 10 * settings.budget_s)
        return yardstick.bytes / times.median_s / 1e9


BENCHMARK = Benchmark(
    "lbm",
    "D3Q19 in a periodic box; yardstick: 19 streams copied past the cache, same minute.",
    run,
    (
        Column("cube", lambda row: f"{row.cells}³"),
        Column("collision", lambda row: row.collision),
        Column("type", lambda row: row.dtype),
        Column("ranks", lambda row: str(row.ranks)),
        Column("threads", lambda row: str(row.threads)),
        Column("MLUPS min", lambda row: f"{row.mlups[0]:.1f}"),
        Column("median", lambda row: f"{row.mlups[1]:.1f}"),
        Column("max", lambda row: f"{row.mlups[2]:.1f}"),
        Column("GB/s", lambda row: f"{row.gigabytes_per_s:.1f}"),
        Column("yardstick", lambda row: f"{row.yardstick_gb_s:.1f}"),
        Column("share", lambda row: f"{row.share:.0%}"),
    ),
    Chart(
        x=lambda row: f"{row.cells}³ {row.dtype} {row.collision}",
        y=lambda row: row.mlups[1],
        series=lambda row: f"{row.ranks} ranks x {row.threads} threads",
        x_label="case",
        y_label="million cell updates a second",
    ),
    element_bytes=(8, 4),
)
