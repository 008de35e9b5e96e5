"""The rate of D3Q19 on two grids and in place, beside the yardstick of the same minute."""

from __future__ import annotations

import os
import statistics
import time
from dataclasses import astuple, dataclass, replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

import halocline as hc
from halocline.analysis.cost import cost
from halocline.apps.lbm.boundaries import Wall
from halocline.apps.lbm.collision import bgk, mrt, trt
from halocline.apps.lbm.flow import Flow, Setup, make_flow
from halocline.bench.checksum import checksum
from halocline.bench.job import measure_on_ranks
from halocline.bench.settings import dtype_of
from halocline.bench.stepping import agreed, step_time
from halocline.bench.table import Benchmark, Chart, Column
from halocline.bench.yardstick import Yardstick
from halocline.errors import HaloclineError
from halocline.language.steps import Call

if TYPE_CHECKING:
    from collections.abc import Iterator

    from halocline.bench.settings import Settings
    from halocline.language.fields import Field
    from halocline.language.kernel import Kernel
    from halocline.runtime.job import Job

_EDGES = (128, 184)
# Each repetition lasts so many times the budget of a benchmark of messages.
_LONGER = 200
_OMEGA = 1.6
COLLISIONS = {"bgk": bgk, "trt": trt(), "mrt": mrt()}
YARDSTICKS = {"two-grids": "copy_19_streamed", "in-place": "update_19_in_place"}


@dataclass(frozen=True, slots=True)
class Kind:
    """What is measured on a cube.

    Attributes:
        streaming: 'two-grids' or 'in-place'.
        collision: One of COLLISIONS.
        around: 'periodic', 'walls' on all sides, or a 'mask' without solid cells.
        layout: Of the populations.
    """

    streaming: str
    collision: str = "bgk"
    around: str = "periodic"
    layout: str = "soa"


# On all cubes, and on the smallest one only.
_EVERYWHERE = tuple(Kind(streaming) for streaming in YARDSTICKS)
_SMALLEST = tuple(
    Kind(streaming, **changed)
    for streaming in YARDSTICKS
    for changed in (
        {"collision": "trt"},
        {"collision": "mrt"},
        {"around": "walls"},
        {"around": "mask"},
        {"layout": "aos"},
    )
)


@dataclass(frozen=True, slots=True)
class Rate:
    """A measured rate.

    Attributes:
        cells: Edge of the cube.
        kind: What was measured.
        ranks: MPI ranks.
        threads: OpenMP threads a rank.
        dtype: Element type of the populations as they are stored.
        bytes_a_cell: Bytes that must move for each update.
        bytes_stored: Of populations, for each cell of the domain, halos and padding included.
        mlups: Million cell updates a second: minimum, median and maximum of the repetitions.
        checksum: Of the populations after the same number of steps: equal for any ranks
            and threads, or the result is wrong.
        yardstick_gb_s: What a hand-written loop with the same traffic gives before and after: 19
            streams copied past the cache, or updated in place [GB/s].
    """

    cells: int
    kind: Kind
    ranks: int
    threads: int
    dtype: str
    bytes_a_cell: int
    bytes_stored: float
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


def measure(kind: Kind, _job: Job, settings: Settings) -> Rate:
    """Measure the first cube and type of the settings with all cores of the machine.

    Raises:
        HaloclineError: Mass was not conserved.
    """
    cells, dtype = settings.sizes[0], dtype_of(settings.element_bytes[0])
    flow = make_flow(_setup(kind, cells, dtype))
    simulation = hc.Simulation(flow.grid, flow.steps, check_every=0)
    # Exactly representable in 16 bits, too.
    many = len(flow.velocity_set)
    flow.f.set(lambda x, y, z: [2.0**-10 * ((x + 3 * y + 5 * z + i) // 1 % 7) for i in range(many)])
    masses = [hc.sum(flow.f[i], name=f"mass_{i}") for i in range(many)]
    before = sum(simulation.reduce(mass) for mass in masses)
    simulation.run(2, progress=False)
    crc = checksum(simulation, [flow.f])
    rates = sorted(_rates(simulation, cells**3 * flow.lattice_steps, settings))
    after = sum(simulation.reduce(mass) for mass in masses)
    tolerance = {"float64": 1e-10, "float32": 1e-3, "float16": 1e-1}[dtype]
    if abs(after - before) > tolerance * cells**3:
        raise HaloclineError(f"Mass changed from {before} to {after}: the result is wrong.")
    return Rate(
        cells,
        kind,
        simulation.size,
        simulation.threads,
        dtype,
        cost(collision_kernel(flow)).bytes,
        simulation.bytes_stored([flow.f, *_other_grid(flow)]) / cells**3,
        (rates[0], statistics.median(rates), rates[-1]),
        crc,
    )


def collision_kernel(flow: Flow) -> Kernel:
    """Return the kernel that does most of a step."""
    calls = (step for step in flow.steps if isinstance(step, Call))
    return next(call.kernel for call in calls if call.kernel.name.startswith("coll"))


def _setup(kind: Kind, cells: int, dtype: str) -> Setup:
    sides = {axis + sign: Wall() for axis in "xyz" for sign in "-+"}
    return Setup(
        (cells,) * 3,
        "D3Q19",
        _OMEGA,
        COLLISIONS[kind.collision],
        sides if kind.around == "walls" else {},
        np.zeros((cells,) * 3, bool) if kind.around == "mask" else None,
        streaming=kind.streaming,
        dtype=dtype,
        layout=kind.layout,
    )


def _other_grid(flow: Flow) -> list[Field]:
    return [field for name, field in flow.grid.fields.items() if name == "f_next"]


def _rates(simulation: hc.Simulation, cells: int, settings: Settings) -> Iterator[float]:
    """Yield million cell updates a second."""
    steps = 4
    started = time.perf_counter()
    simulation.run(steps, progress=False)
    steps = max(4, int(steps * _LONGER * settings.budget_s / (time.perf_counter() - started)))
    steps = agreed(simulation, steps)
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
    for cells, element in product(edges, settings.element_bytes):
        for kind in (*_EVERYWHERE, *(_SMALLEST if cells == min(edges) else ())):
            case = replace(settings, sizes=(cells,), element_bytes=(element,), link=None)
            found = [_beside_yardstick(case, kind, n) for n in dict.fromkeys((1, cores))]
            if len({rate.checksum for rate in found}) > 1:
                raise HaloclineError(
                    f"{cells}³ {found[0].dtype} {kind}: ranks and threads gave different bits."
                )
            rates += found
    return rates


def _beside_yardstick(settings: Settings, kind: Kind, ranks: int) -> Rate:
    before = _yardstick(kind, settings)
    task = partial(measure, kind)
    rate = measure_on_ranks(task, replace(settings, ranks=ranks, ranks_per_node=None))
    return replace(rate, yardstick_gb_s=(before + _yardstick(kind, settings)) / 2)


def _yardstick(kind: Kind, settings: Settings) -> float:
    cores = len(os.sched_getaffinity(0))
    with Yardstick(YARDSTICKS[kind.streaming], settings.sizes[0] ** 3, cores) as yardstick:
        times = yardstick.sample(settings.repetitions, 10 * settings.budget_s)
        return yardstick.bytes / times.median_s / 1e9


BENCHMARK = Benchmark(
    "lbm",
    "D3Q19 on two grids and in place; yardsticks: 19 streams copied, or updated in place.",
    run,
    (
        Column("cube", lambda row: f"{row.cells}³"),
        Column("streaming", lambda row: row.kind.streaming),
        Column("collision", lambda row: row.kind.collision),
        Column("around", lambda row: row.kind.around),
        Column("layout", lambda row: row.kind.layout),
        Column("type", lambda row: row.dtype),
        Column("ranks", lambda row: str(row.ranks)),
        Column("threads", lambda row: str(row.threads)),
        Column("B a cell", lambda row: f"{row.bytes_stored:.1f}"),
        Column("MLUPS min", lambda row: f"{row.mlups[0]:.1f}"),
        Column("median", lambda row: f"{row.mlups[1]:.1f}"),
        Column("max", lambda row: f"{row.mlups[2]:.1f}"),
        Column("GB/s", lambda row: f"{row.gigabytes_per_s:.1f}"),
        Column("yardstick", lambda row: f"{row.yardstick_gb_s:.1f}"),
        Column("share", lambda row: f"{row.share:.0%}"),
    ),
    Chart(
        x=lambda row: " ".join([f"{row.cells}³ {row.dtype}", *map(str, astuple(row.kind)[1:])]),
        y=lambda row: row.mlups[1],
        series=lambda row: f"{row.kind.streaming}, {row.ranks} x {row.threads}",
        x_label="case",
        y_label="million cell updates a second",
    ),
    element_bytes=(8, 4),
)
