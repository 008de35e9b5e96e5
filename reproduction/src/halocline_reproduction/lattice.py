"""Paper 000, chapter 6: the lattice Boltzmann code on a node, strong and weak scaling."""

from __future__ import annotations

from collections.abc import Iterator

from halocline.bench.settings import Settings
from halocline.geometry import by_axes
from halocline.io.results import FROM, Row, Table
from halocline.plan.cells.strategy import Strategy
from halocline.tune.machines import find_machine
from halocline.tune.work import Placement
from halocline_reproduction.configuration import (
    Configuration,
    measure,
    near_cube,
    near_square,
    predict,
)
from halocline_reproduction.experiment import Experiment
from halocline_reproduction.node_model import NodeModel
from halocline_reproduction.published import published, stated

# The paper's MPI code: axis after axis, packed messages, then computing.
AS_PAPER = Strategy(neighbours="staged", overlap="none", transport="two-sided")
_PROCESSES = 24
# Bytes of an update in the paper's counting: a store through the cache fetches its line.
_BYTES = 3 * 19 * 8
# A grid that grows by more than this to be divisible is left out, as in the paper.
_MOST_GROWTH = 1.1
_LINK = "qdr-infiniband"
# Cells a side here, where there is neither the memory nor the time for the paper's grid.
_STRONG_CELLS, _QUICK_CELLS = 128, 16
_STRONG_NODES = (1, 4, 8, 16, 32, 54, 63)
_WEAK_NODES = (1, 2, 3, 4, 7, 14, 21, 28, 42, 56)


def _decompositions(ranks: int) -> dict[str, tuple[int, int, int]]:
    """Return blocks along each axis; of the paper's names only an 'x' is cut."""
    large, small = near_square(ranks)
    return {
        "(1,x,x)": (1, small, large),
        "(x,1,x)": (small, 1, large),
        "(x,x,1)": (small, large, 1),
        "(x,x,x)": near_cube(ranks),
    }


def study_saturation(_: Experiment, settings: Settings) -> list[Table]:
    """Return updates on a node without messages; the paper's are its bandwidth over bytes."""
    cells = _QUICK_CELLS if settings.is_quick else int(stated("000", "saturation_cells_a_side"))
    waiting = Strategy(overlap="none")
    every = [
        Configuration("d3q19", (cells,) * 3, (1, 1, ranks), waiting)
        for ranks in dict.fromkeys((1, settings.cores))
    ]
    found = [
        # As in the paper: the time of messages does not count.
        ("here", "measured", c.ranks, c.cells / times.median("computing") / 1e6)
        for c, times in measure(every, settings).items()
    ]
    found += [
        ("paper", name, int(row["processes"]), float(row[f"{name}_gb_s"]) * 1e9 / _BYTES / 1e6)
        for name in ("xe6", "lima")
        for row in published("000-4-1")
        if row["streams"] == "38"
    ]
    columns = (FROM, "machine", "processes", "MLUPS")
    rows = [dict(zip(columns, values, strict=True)) for values in found]
    return [Table(f"{cells}³ cells a process", rows)]


def study_strong(_: Experiment, settings: Settings) -> list[Table]:
    """Return one grid on ranks here, and the paper's on its machines."""
    cells = _QUICK_CELLS if settings.is_quick else _STRONG_CELLS
    every = []
    for axis in range(3):
        blocks = tuple(settings.ranks if n == axis else 1 for n in range(3))
        block = tuple(cells // n for n in blocks)
        every.append(Configuration("d3q19", block, blocks, AS_PAPER))
    rows: list[Row] = [
        {
            "blocks": by_axes(c.blocks),
            "note": settings.mark(c.ranks),
            "MLUPS": c.cells / times.median() / 1e6,
        }
        for c, times in measure(every, settings).items()
    ]
    machines = ("lima",) if settings.is_quick else ("lima", "xe6")
    nodes = _STRONG_NODES[:1] if settings.is_quick else _STRONG_NODES
    predicted = [row for m in machines for count in nodes for row in _predict_strong(m, count)]
    return [
        Table(f"here, {cells}³ cells", rows),
        Table("predicted for the paper's machines, 24 processes a node", predicted),
    ]


def _predict_strong(machine: str, nodes: int) -> Iterator[Row]:
    """Yield the paper's grid on a number of nodes, cut in several ways."""
    edge = int(stated("000", "strong_scaling_cells_a_side"))
    for name, blocks in _decompositions(_PROCESSES * nodes).items():
        block = tuple(-(-edge // n) for n in blocks)
        c = Configuration("d3q19", block, blocks, AS_PAPER)
        if c.cells <= _MOST_GROWTH * edge**3:
            step = predict(c, find_machine(machine), Placement(_PROCESSES))
            yield {
                FROM: "model",
                "machine": machine,
                "nodes": nodes,
                "decomposition": name,
                "blocks": by_axes(blocks),
                "MLUPS a node": c.cells / step.least() / 1e6 / nodes,
                "wait [%]": 100 * step.least("idle") / step.least(),
            }


def study_weak(_: Experiment, settings: Settings) -> list[Table]:
    """Return as many cells on each rank here, and on Lima by two models."""
    cells = _QUICK_CELLS if settings.is_quick else int(stated("000", "weak_scaling_cells_a_side"))
    every = [
        Configuration("d3q19", (cells,) * 3, (1, *near_square(ranks)), AS_PAPER, link=link)
        for ranks, link in ((1, ""), (settings.ranks, ""), (settings.ranks, _LINK))
    ]
    rows: list[Row] = [
        {
            "ranks": f"{c.ranks} over link" if c.link else str(c.ranks),
            "note": settings.mark(c.ranks),
            "MLUPS a rank": cells**3 / times.median() / 1e6,
            "computing [ms]": 1e3 * times.median("computing"),
            "exchange [ms]": 1e3 * times.median("start", "wait"),
        }
        for c, times in measure(every, settings).items()
    ]
    nodes = _WEAK_NODES[:1] if settings.is_quick else _WEAK_NODES
    return [
        Table(f"here, {cells}³ cells a rank", rows),
        Table(
            "predicted for Lima, 96³ cells and 24 processes a node", [*map(_predict_weak, nodes)]
        ),
    ]


def _predict_weak(nodes: int) -> Row:
    """Return our model, and the paper's with the same numbers."""
    lima, ranks = find_machine("lima"), _PROCESSES * nodes
    edge = int(stated("000", "weak_scaling_cells_a_side"))
    large, small = near_square(ranks)
    c = Configuration("d3q19", (edge,) * 3, (1, small, large), AS_PAPER)
    step = predict(c, lima, Placement(_PROCESSES))
    return {
        "nodes": nodes,
        "MLUPS a node": c.cells / step.least() / 1e6 / nodes,
        "MLUPS by the paper's model": _model_of_paper().updates_per_s(edge, ranks) / 1e6 / nodes,
        "exchange [%]": 100 * (1 - step.least("computing") / step.least()),
    }


def _model_of_paper() -> NodeModel:
    """Return the paper's model with the numbers of our Lima and of its tables."""
    lima = find_machine("lima")
    between, inside = (
        lima.times("two-sided", is_same_node=near).range_of(0).latency_s for near in (False, True)
    )
    quantity = "measured network bandwidth a connection"
    network = next(float(r["Lima"]) for r in published("000-3-1") if r["quantity"] == quantity)
    copies = float(published("000-4-1")[-1]["lima_gb_s"]) * 1e9
    halves = stated("000", "ring_shift_share_of_memory_bandwidth")
    return NodeModel(
        _PROCESSES, between, inside, network * 1e9, halves * copies, copies / _PROCESSES
    )


STUDIES = {
    "000-node-saturation": study_saturation,
    "000-strong-scaling": study_strong,
    "000-weak-scaling": study_weak,
}
