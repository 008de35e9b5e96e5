"""Paper 004: hypotheses about a D2Q9 code, deep halos, speed-up, and the latencies of its table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

from msgspec.structs import replace

from halocline.bench.benchmarks import BENCHMARKS
from halocline.bench.settings import Settings
from halocline.io.results import Row, Table
from halocline.plan.cells.strategy import Strategy
from halocline.plan.value import operations as ops
from halocline.tune.machines import find_machine, machine_here
from halocline.tune.work import Placement
from halocline_reproduction.comparison import Variant, compare
from halocline_reproduction.configuration import (
    Configuration,
    measure,
    near_square,
    plan_of,
    predict,
)
from halocline_reproduction.experiment import Experiment, Study
from halocline_reproduction.obstacle_flow_input import published_grids, published_parameters
from halocline_reproduction.published import printed, stated

LINK = "qdr-ib-2014"
# The paper's code waits for all messages, then computes.
AS_PAPER = Strategy(overlap="none", transport="two-sided")
_MACHINE, _CORES, _RANKS_A_NODE = "bluecrystal-3", 64, 16
_DEPTHS = (1, 2, 3, 4, 6)
# Edges of the block of a rank: messages of the smallest are nothing but latency.
_EDGES = (16, 32, 64, 128, 256, 512)
# Latency [s] and time a byte [s] of links.
_LINKS = {"gigabit-2011": (0.13e-3, 8e-9), "qdr-ib-2014": (2.03e-6, 1 / 3e9)}
# The paper's names of links and ours.
_LATENCIES = {
    "within-socket": "within-socket",
    "across-sockets": "across-sockets",
    "QDR IB": "qdr-ib-2014",
    "10G RoCE": "10g-roce",
    "tcp/ip": "tcp-ip",
}
_SMALLEST_BYTES = 8
# How ranks share a grid.
_LAYOUTS: dict[str, Callable[[int], tuple[int, int]]] = {
    "rows": lambda ranks: (1, ranks),
    "columns": lambda ranks: (ranks, 1),
    "tiles": near_square,
}


def on_grid(grid: str, blocks: tuple[int, int], strategy: Strategy, **more: Any) -> Configuration:
    """Return a step on one of the paper's grids, cut into equal blocks."""
    known = published_parameters(grid)
    block = (known.nx // blocks[0], known.ny // blocks[1])
    return Configuration(block=block, blocks=blocks, strategy=strategy, dtype="float32", **more)


def _grids(settings: Settings) -> tuple[str, ...]:
    return published_grids()[:1] if settings.is_quick else published_grids()


def _variant(grid: str, settings: Settings, said: Mapping[str, Any], base: str) -> Variant:
    """Return a variant as the file of experiments says it, on one grid.

    Its keys: 'name'; 'step', a proxy kernel; 'layout', one of _LAYOUTS; 'ranks' here, as many as
    asked for if there are none; 'threaded' for one rank with threads instead; 'base'; 'strategy';
    'printed', by grid the quantity that is its relative time, or two of which it is the ratio.
    """
    step, ranks = said.get("step", "d2q9"), said.get("ranks", settings.ranks)
    strategy = replace(AS_PAPER, **said.get("strategy", {}))
    cut = _LAYOUTS[said.get("layout", "rows")]
    # Here threads instead of ranks; there a rank on each node.
    is_threaded = said.get("threaded", False)
    there, threads = (_CORES // _RANKS_A_NODE, _RANKS_A_NODE) if is_threaded else (_CORES, 1)
    return Variant(
        grid,
        said["name"],
        said.get("base", base),
        on_grid(grid, (1, 1), strategy, step=step, threads=ranks)
        if is_threaded
        else on_grid(grid, cut(ranks), strategy, step=step, link=LINK),
        on_grid(grid, cut(there), strategy, step=step, threads=threads),
        Placement(_RANKS_A_NODE // threads, threads),
    )


def study_variants(experiment: Experiment, settings: Settings) -> list[Table]:
    """Return the variants of an experiment on all grids."""
    base, relative = experiment.variants[0]["name"], {}
    for said in experiment.variants:
        for grid, (quantity, *over) in said.get("printed", {}).items():
            number = stated("004", quantity)
            relative[grid, said["name"]] = number / stated("004", over[0]) if over else number
    every = product(_grids(settings), experiment.variants)
    variants = [_variant(grid, settings, said, base) for grid, said in every]
    return [compare(variants, find_machine(_MACHINE), settings, {"printed relative": relative})]


def study_tiles(experiment: Experiment, settings: Settings) -> list[Table]:
    """Return tiles against rows, and what all 64 ranks send in a step on the largest grid."""
    grid, volumes = published_grids()[-1], []
    for name in ("rows", "tiles"):
        c = on_grid(grid, _LAYOUTS[name](_CORES), AS_PAPER, step="d2q9")
        sides = 2 * sum(c.block[1 - axis] for axis, count in enumerate(c.blocks) if count > 1)
        plan, _ = plan_of(c)
        started = (op.exchange for op in ops.walk(plan.steps[0]) if isinstance(op, ops.Start))
        messages = sum(len(plan.exchanges[number].sends) for number in started)
        volumes.append(
            {
                "layout": name,
                "cells of sides": _CORES * sides,
                "messages": _CORES * messages,
                "sent [B]": _CORES * plan.bytes_sent(),
            }
        )
    title = f"{grid} on 64 ranks, all ranks together"
    return [*study_variants(experiment, settings), Table(title, volumes)]


def study_depth(_: Experiment, settings: Settings) -> list[Table]:
    """Return deep halos on blocks of all sizes, where each depth pays, and the paper's grid."""
    edges = _EDGES[:1] if settings.is_quick else _EDGES
    depths = _DEPTHS[:2] if settings.is_quick else _DEPTHS
    # All ranks are on this machine, whatever is said of nodes.
    where = Placement(1, ranks_sharing_memory=settings.ranks)
    tables: list[Table] = []
    paying: list[Row] = []
    for link, numbers in _LINKS.items():
        variants = []
        for edge, depth in product(edges, depths):
            strategy = replace(AS_PAPER, depth=depth)
            c = Configuration(
                *("d2q9", (edge, edge), (1, settings.ranks), strategy), dtype="float32", link=link
            )
            variants.append(Variant(edge, depth, 1, c, c, where))
        table = compare(variants, machine_here().with_link(link, *numbers), settings, {})
        tables.append(table)
        for depth in depths[1:]:
            row: dict[str, Any] = {"link": link, "depth": depth}
            for name, column in (("here", "relative"), ("predicted", "predicted relative")):
                faster = [r for r in table.rows if r["variant"] == depth and r[column] < 1.0]
                row[name] = max((r["case"] for r in faster), default=None)
            paying.append(row)
    pays = Table("largest edge of a block at which the depth pays", paying)
    return [*tables, pays, _depth_there(depths)]


def _depth_there(depths: Sequence[int]) -> Table:
    """Return what the model says of the paper's largest grid on its 64 cores."""
    rows = []
    for depth in depths:
        c = on_grid("1024x1024", (1, _CORES), replace(AS_PAPER, depth=depth), step="d2q9")
        step = predict(c, find_machine(_MACHINE), Placement(_RANKS_A_NODE))
        rows.append(
            {
                "depth": depth,
                "step [us]": 1e6 * step.least(),
                "computing [us]": 1e6 * step.least("computing"),
                "wait [us]": 1e6 * step.least("idle"),
            }
        )
    return Table("predicted for 64 cores of BlueCrystal, 1024x1024 in rows", rows)


def study_speedup(_: Experiment, settings: Settings) -> list[Table]:
    """Return the speed-up over one rank on all grids."""
    strategy, machine = Strategy(transport="two-sided"), find_machine(_MACHINE)
    make = partial(on_grid, strategy=strategy, step="d2q9")
    alone = {grid: make(grid, (1, 1)) for grid in _grids(settings)}
    shared = {grid: make(grid, (1, settings.ranks), link=LINK) for grid in alone}
    found = measure((*alone.values(), *shared.values()), settings)
    rows: list[Row] = []
    for grid, one in alone.items():
        serial = predict(one, machine, Placement(1)).least()
        many = make(grid, (1, _CORES))
        step = predict(many, machine, Placement(_RANKS_A_NODE)).least()
        paper = printed("004-fig-2-5", grid)
        rows.append(
            {
                "grid": grid,
                "note": settings.mark(settings.ranks),
                "speed-up here": found[one].median() / found[shared[grid]].median(),
                "paper, 64 cores [s]": paper["time_s"],
                "predicted [s]": step * published_parameters(grid).iterations,
                "paper, speed-up": paper["speedup"],
                "predicted, speed-up": serial / step,
            }
        )
    return [Table(f"speed-up over one rank; here {settings.ranks} ranks", rows)]


def study_latency(_: Experiment, settings: Settings) -> list[Table]:
    """Return the time of the smallest message over emulated links."""
    links = dict(list(_LATENCIES.items())[-2:]) if settings.is_quick else _LATENCIES
    smallest = replace(
        settings,
        ranks=2,
        transports=("two-sided",),
        ranks_per_node=1,
        largest_bytes=_SMALLEST_BYTES,
    )
    rows: list[Row] = []
    for name, link in {**links, "no link": None}.items():
        (row,) = BENCHMARKS["ping-pong"].run(replace(smallest, link=link))
        paper = printed("004-fig-1-7", name)["latency_us"] if link else None
        rows.append({"link": name, "paper, 0 bytes [us]": paper, "here [us]": row["median [us]"]})
    return [Table(f"time of a message of {_SMALLEST_BYTES} bytes", rows)]


STUDIES: dict[str, Study] = {
    "004-tiles": study_tiles,
    "004-hybrid": study_variants,
    "004-overlap": study_variants,
    "004-message-size": study_variants,
    "004-depth": study_depth,
    "004-speedup": study_speedup,
    "004-latency": study_latency,
}
