"""Paper 000, chapter 6: the lattice Boltzmann code on a node, strong and weak scaling."""

from __future__ import annotations

from math import prod

from halocline.papers.experiment import Cell, Experiment, Findings, Panel, Series, Setting, Table
from halocline.papers.measuring import measure
from halocline.papers.predict import near_cube, near_square, predict
from halocline.papers.published import published, stated
from halocline.papers.trial import Trial
from halocline.plan.strategy import Strategy
from halocline.tune.machines import find_machine
from halocline.tune.paper_000 import Paper000, site_updates
from halocline.tune.work import Placement

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

_REMARKS = (
    "The paper's curves are figures that the text at hand does not have; what it states is the "
    "sizes, the machines and its model.",
    "The code: ours pulls and is vectorised, the paper's pushes and is not; both compute in "
    "double precision and move 19 populations to and fro. Obstacles and walls are left out.",
    "Coarray versions: none here, and not predicted.",
)


def _decompositions(ranks: int) -> dict[str, tuple[int, int, int]]:
    """Return blocks along each axis; of the paper's names only an 'x' is cut."""
    large, small = near_square(ranks)
    return {
        "(1,x,x)": (1, small, large),
        "(x,1,x)": (small, 1, large),
        "(x,x,1)": (small, large, 1),
        "(x,x,x)": near_cube(ranks),
    }


def _run_saturation(setting: Setting) -> Findings:
    cells = _QUICK_CELLS if setting.is_quick else int(stated("000", "saturation_cells_a_side"))
    counts = tuple(dict.fromkeys((1, setting.cores)))
    here = {}
    for ranks in counts:
        trial = Trial("d3q19", (cells,) * 3, (1, 1, ranks), Strategy(overlap="none"))
        (timing,) = measure([trial], ranks, setting)
        # As in the paper: the time of messages does not count.
        here[ranks] = ranks * cells**3 / timing.part("run") / 1e6
    table = published("000-4-1")
    paper: dict[str, dict[int, float]] = {"XE6": {}, "Lima": {}}
    for streams, _, processes, *rates in table.rows:
        if streams == "38":
            for name, rate in zip(paper, rates, strict=True):
                paper[name][int(processes)] = float(rate) * 1e9 / _BYTES / 1e6
    rows = [("here", ranks, rate) for ranks, rate in here.items()]
    rows += [(name, n, rate) for name, found in paper.items() for n, rate in found.items()]
    series = (
        Series("here, measured", tuple(map(float, here)), tuple(here.values()), "here"),
        *(
            Series(
                f"paper: {name}, table 4.1 / 456 B",
                tuple(map(float, f)),
                tuple(f.values()),
                "paper",
            )
            for name, f in paper.items()
        ),
    )
    return Findings(
        (Table(f"{cells}³ cells a process", ("machine", "processes", "MLUPS"), tuple(rows)),),
        (Panel("a node without messages", "processes on the node", "MLUPS", series),),
        (
            *_REMARKS,
            "The paper's points are its model: the bandwidth of copying 2·19 streams over 456 "
            "bytes an update. It states that the code reaches it, with 24 processes on a node.",
        ),
    )


def _run_strong(setting: Setting) -> Findings:
    cells = _QUICK_CELLS if setting.is_quick else _STRONG_CELLS
    rows: list[tuple[Cell, ...]] = []
    here = {}
    trials = {}
    for axis, name in enumerate(("(x,1,1)", "(1,x,1)", "(1,1,x)")):
        blocks = tuple(setting.ranks if n == axis else 1 for n in range(3))
        block = tuple(cells // n for n in blocks)
        trials[name] = Trial("d3q19", block, blocks, AS_PAPER)
    timings = measure(list(trials.values()), setting.ranks, setting)
    for (name, trial), timing in zip(trials.items(), timings, strict=True):
        here[name] = prod(trial.extent) / timing.median_s / 1e6
        rows.append((name, setting.ranks, setting.mark(setting.ranks), here[name]))
    curves, predicted = [], []
    nodes = (1,) if setting.is_quick else (1, 4, 8, 16, 32, 54, 63)
    for machine in ("lima",) if setting.is_quick else ("lima", "xe6"):
        found, series = _predict_strong(machine, nodes)
        predicted += found
        curves.append(
            Panel(f"predicted: {machine}, 350³ cells", "nodes", "MLUPS a node", tuple(series))
        )
    bars = Series(f"here, {setting.ranks} ranks", tuple(here), tuple(here.values()), "here")
    return Findings(
        (
            Table(f"here, {cells}³ cells", ("decomposition", "ranks", "", "MLUPS"), tuple(rows)),
            Table(
                "predicted for the paper's machines, 24 processes a node",
                ("machine", "nodes", "decomposition", "blocks", "MLUPS a node", "wait [%]"),
                tuple(predicted),
            ),
        ),
        (Panel(f"here: {cells}³ cells", "decomposition", "MLUPS", (bars,)), *curves),
        (
            *_REMARKS,
            "The grid here is smaller than the paper's 350³ cells (13 GB).",
            "The XE6's torus: the model shares the link of a node, not those between routers.",
            "The paper states: on the XE6 (1,x,x) and (x,x,x) are equally fast and cuts across "
            "the fast axis slower; on Lima (1,x,x) is fastest.",
        ),
    )


def _predict_strong(
    machine: str, nodes: tuple[int, ...]
) -> tuple[list[tuple[Cell, ...]], list[Series]]:
    """Return rows and curves of the paper's grid on numbers of nodes."""
    edge = int(stated("000", "strong_scaling_cells_a_side"))
    rows: list[tuple[Cell, ...]] = []
    curves: dict[str, tuple[list[float], list[float]]] = {}
    for count in nodes:
        ranks = _PROCESSES * count
        for name, blocks in _decompositions(ranks).items():
            block = tuple(-(-edge // n) for n in blocks)
            trial = Trial("d3q19", block, blocks, AS_PAPER)
            if prod(trial.extent) > _MOST_GROWTH * edge**3:
                continue
            step = predict(trial, find_machine(machine), Placement(_PROCESSES))
            rate = prod(trial.extent) / step.seconds / 1e6 / count
            wait = 100 * step.wait / step.seconds
            rows.append((machine, count, name, "x".join(map(str, blocks)), rate, wait))
            x, y = curves.setdefault(name, ([], []))
            x.append(float(count))
            y.append(rate)
    return rows, [Series(name, tuple(x), tuple(y), "model") for name, (x, y) in curves.items()]


def _run_weak(setting: Setting) -> Findings:
    cells = _QUICK_CELLS if setting.is_quick else int(stated("000", "weak_scaling_cells_a_side"))
    block = (cells,) * 3
    here: dict[str, float] = {}
    rows: list[tuple[Cell, ...]] = []
    for ranks, links in ((1, ("",)), (setting.ranks, ("", _LINK))):
        shape = (1, *near_square(ranks))
        trials = [Trial("d3q19", block, shape, AS_PAPER, link=link) for link in links]
        for trial, timing in zip(trials, measure(trials, ranks, setting), strict=True):
            where = f"{ranks} over link" if trial.link else str(ranks)
            here[where] = cells**3 / timing.median_s / 1e6
            times = timing.part("run"), timing.part("start") + timing.part("wait")
            rows.append((where, setting.mark(ranks), here[where], *(1e3 * s for s in times)))
    nodes = (1,) if setting.is_quick else (1, 2, 3, 4, 7, 14, 21, 28, 42, 56)
    predicted, curves = _predict_weak(nodes)
    return Findings(
        (
            Table(
                f"here, {cells}³ cells a rank",
                ("ranks", "", "MLUPS a rank", "computing [ms]", "exchange [ms]"),
                tuple(rows),
            ),
            Table(
                "predicted for Lima, 96³ cells a process, 24 processes a node",
                ("nodes", "MLUPS a node", "of that paper's model", "exchange [%]"),
                tuple(predicted),
            ),
        ),
        (
            Panel(
                "here",
                "ranks",
                "MLUPS a rank",
                (Series("measured", tuple(here), tuple(here.values()), "here"),),
            ),
            Panel("predicted: Lima", "nodes", "MLUPS a node", curves),
        ),
        (
            *_REMARKS,
            "The paper's own model (section 5.7) is for a cube of nodes with all neighbours and "
            "does not change with their number; ours walks the plan of a 2-D decomposition.",
            "The paper explains differences by ranks that run out of step; the model lets all "
            "ranks run in step.",
        ),
    )


def _predict_weak(
    nodes: tuple[int, ...],
) -> tuple[list[tuple[Cell, ...]], tuple[Series, ...]]:
    """Return rows and curves: our model, and the paper's with the same numbers."""
    lima = find_machine("lima")
    edge = int(stated("000", "weak_scaling_cells_a_side"))
    between = lima.times("two-sided", is_same_node=False).range_of(0).latency_s
    inside = lima.times("two-sided", is_same_node=True).range_of(0).latency_s
    network = float({row[0]: row[3] for row in published("000-3-1").rows}[_NETWORK]) * 1e9
    copies = float(published("000-4-1").rows[-1][4]) * 1e9
    halves = stated("000", "ring_shift_share_of_memory_bandwidth")
    paper = Paper000(_PROCESSES, between, inside, network, halves * copies, copies / _PROCESSES)
    ours: list[float] = []
    theirs: list[float] = []
    rows: list[tuple[Cell, ...]] = []
    for count in nodes:
        ranks = _PROCESSES * count
        large, small = near_square(ranks)
        trial = Trial("d3q19", (edge,) * 3, (1, small, large), AS_PAPER)
        step = predict(trial, lima, Placement(_PROCESSES))
        ours.append(ranks * edge**3 / step.seconds / 1e6 / count)
        theirs.append(site_updates(paper, edge, ranks) / 1e6 / count)
        rows.append((count, ours[-1], theirs[-1], 100 * (1 - step.compute / step.seconds)))
    x = tuple(map(float, nodes))
    return rows, (
        Series("our model", x, tuple(ours), "model"),
        Series("the paper's model", x, tuple(theirs), "paper"),
    )


_NETWORK = "measured network bandwidth a connection"

EXPERIMENTS = (
    Experiment(
        "000-node-saturation",
        "000, section 6.1, figure 6.1",
        "updates a second on a node against the number of processes, without messages",
        0.5,
        _run_saturation,
    ),
    Experiment(
        "000-strong-scaling",
        "000, section 6.2, figures 6.2 and 6.3",
        "one grid on more and more ranks, cut along one, two or three axes",
        1.5,
        _run_strong,
    ),
    Experiment(
        "000-weak-scaling",
        "000, section 6.3, figure 6.4",
        "96³ cells a rank on more and more ranks",
        1.0,
        _run_weak,
    ),
)
