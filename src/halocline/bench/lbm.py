"""The rate of D3Q19 on two grids and in place, beside the baseline of the same minute."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
from msgspec.structs import replace

import halocline as hc
from halocline.analysis.cost import cost
from halocline.bench.baseline import Baseline
from halocline.bench.benchmark import Benchmark
from halocline.bench.job import measure_on_ranks
from halocline.bench.settings import Settings, dtype_of
from halocline.bench.stepping import TimedSteps, take_turns
from halocline.errors import HaloclineError
from halocline.io.results import Chart, Row
from halocline.language.expressions.kernel import Kernel
from halocline.language.grids.sides import names_of_sides
from halocline.language.steps.steps import Call
from halocline.lbm import Flow, Setup, Wall, bgk, make_flow, mrt, trt
from halocline.runtime.job import Job

_EDGES = (128, 184)
# Each repetition lasts so many times the budget of a benchmark of messages.
_LONGER = 200
_FIRST_STEPS = 4
_OMEGA = 1.6
COLLISIONS = {"bgk": bgk, "trt": trt(), "mrt": mrt()}
# Hand-written loops with the same traffic.
YARDSTICKS = {"two-grids": "copy_19_streamed", "in-place": "update_19_in_place"}
# Of the mass of a cell, for each type.
_TOLERANCES = {"float64": 1e-10, "float32": 1e-3, "float16": 1e-1}


# By column of the table what a flow in a cube can have: around it is nothing ('periodic'), walls on
# all sides, or a mask without solid cells.
_USUAL = {"collision": "bgk", "around": "periodic", "layout": "soa"}
# On all cubes, and on the smallest one only.
_EVERYWHERE = tuple({"streaming": streaming, **_USUAL} for streaming in YARDSTICKS)
_CHANGES = (
    {"collision": "trt"},
    {"collision": "mrt"},
    {"around": "walls"},
    {"around": "mask"},
    {"layout": "aos"},
)
_SMALLEST = tuple(usual | change for usual in _EVERYWHERE for change in _CHANGES)


def _flow(variant: dict[str, str], cells: int, dtype: str) -> Flow:
    sides = dict.fromkeys(names_of_sides(3), Wall())
    setup = Setup(
        (cells,) * 3,
        "D3Q19",
        _OMEGA,
        COLLISIONS[variant["collision"]],
        sides if variant["around"] == "walls" else {},
        np.zeros((cells,) * 3, bool) if variant["around"] == "mask" else None,
        streaming=variant["streaming"],
        dtype=dtype,
        layout=variant["layout"],
    )
    return make_flow(setup)


def measure(variant: dict[str, str], _job: Job, settings: Settings) -> Row:
    """Measure the first cube and type of the settings with all cores of the machine.

    Raises:
        HaloclineError: Mass was not conserved.
    """
    cells, dtype = settings.sizes[0], dtype_of(settings.element_bytes[0])
    flow = _flow(variant, cells, dtype)
    simulation = hc.Simulation(flow.grid, flow.steps, check_every=0)
    # Exactly representable in 16 bits, too.
    many = len(flow.velocity_set)
    flow.f.set(lambda x, y, z: [2.0**-10 * ((x + 3 * y + 5 * z + i) // 1 % 7) for i in range(many)])
    masses = [hc.sum(flow.f[i], name=f"mass_{i}") for i in range(many)]
    before = sum(simulation.reduce(mass) for mass in masses)
    timed = TimedSteps(simulation, _LONGER * settings.budget_s, _FIRST_STEPS, [flow.f])
    take_turns([timed], settings.repetitions)
    after = sum(simulation.reduce(mass) for mass in masses)
    if abs(after - before) > _TOLERANCES[dtype] * cells**3:
        raise HaloclineError(f"Mass changed from {before} to {after}: the result is wrong.")
    moved = cost(collision_kernel(flow)).bytes
    stored = [field for name, field in flow.grid.fields.items() if name in ("f", "f_next")]
    updates = cells**3 * flow.lattice_steps
    return {
        "cube": f"{cells}³",
        **variant,
        "type": dtype,
        "ranks": simulation.size,
        "threads": simulation.threads,
        "moved [B a cell]": moved,
        "stored [B a cell]": simulation.bytes_stored(stored) / cells**3,
        "MLUPS min": updates / timed.times.max_s / 1e6,
        "MLUPS": updates / timed.times.median_s / 1e6,
        "MLUPS max": updates / timed.times.min_s / 1e6,
        "GB/s": timed.times.gigabytes_per_s(moved * updates),
        "checksum": f"{timed.checksum:08x}",
    }


def collision_kernel(flow: Flow) -> Kernel:
    """Return the kernel that does most of a step."""
    calls = (step for step in flow.steps if isinstance(step, Call))
    return next(call.kernel for call in calls if call.kernel.name.startswith("coll"))


def run(settings: Settings) -> list[Row]:
    """Measure each variant as threads and as ranks, beside the baseline of the same minute.

    Raises:
        HaloclineError: Threads and ranks gave different bits.
    """
    rows: list[Row] = []
    edges = settings.sizes or _EDGES
    for cells, element in product(edges, settings.element_bytes):
        for variant in (*_EVERYWHERE, *(_SMALLEST if cells == min(edges) else ())):
            case = replace(settings, sizes=(cells,), element_bytes=(element,), link=None)
            counts = dict.fromkeys((1, settings.cores))
            rows_of_variant = [_beside_baseline(case, variant, ranks) for ranks in counts]
            if len({row["checksum"] for row in rows_of_variant}) > 1:
                name = f"{cells}³ {dtype_of(element)}, {', '.join(variant.values())}"
                raise HaloclineError(f"{name}: ranks and threads gave different bits.")
            rows += rows_of_variant
    return rows


def _beside_baseline(settings: Settings, variant: dict[str, str], ranks: int) -> Row:
    before = _baseline(variant, settings)
    task = partial(measure, variant)
    row = measure_on_ranks(task, replace(settings, ranks=ranks, ranks_per_node=None))
    rate = (before + _baseline(variant, settings)) / 2
    return {**row, "baseline [GB/s]": rate, "share [%]": 100 * row["GB/s"] / rate}


def _baseline(variant: dict[str, str], settings: Settings) -> float:
    loop, cells = YARDSTICKS[variant["streaming"]], settings.sizes[0] ** 3
    with Baseline(loop, cells, settings.cores) as baseline:
        times = baseline.sample(settings.repetitions, 10 * settings.budget_s)
        return times.gigabytes_per_s(baseline.bytes)


BENCHMARK = Benchmark(
    "lbm",
    "D3Q19 on two grids and in place; baselines: 19 streams copied, or updated in place.",
    run,
    Chart(
        ("cube", "type", "collision", "around", "layout"),
        "MLUPS",
        ("streaming", "ranks", "threads"),
    ),
    element_bytes=(8, 4),
)
