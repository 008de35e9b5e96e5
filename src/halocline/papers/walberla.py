"""Paper 001, the worst case for communication: a periodic domain, so that all sides exchange."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from halocline.apps.lbm.velocity_set import velocity_set
from halocline.papers.experiment import Cell, Experiment, Findings, Panel, Series, Setting, Table
from halocline.papers.predict import near_square
from halocline.papers.published import stated
from halocline.papers.walberla_trial import FlowTimes, FlowTrial, measure_flows, predict_flow
from halocline.plan.decomposition import decompose
from halocline.plan.strategy import Overlap, Strategy
from halocline.runtime.link import LINKS
from halocline.tune.machines import machine_here
from halocline.tune.work import Placement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.tune.machine import Machine

LINK, SHARED = "qdr-ib-2014", "shared memory"
_EDGES, _QUICK_EDGES = (16, 32, 64, 128), (8,)
# Blocks with so many cells along an edge need gigabytes: they are measured a few at a time, and
# only where there is something to hide.
_LARGE_EDGE = 128
# The largest blocks of the paper: one a rank, in place, takes 2.7 GB.
_WHOLE_EDGE = 256
_STREAMINGS = ("two-grids", "in-place")
_WAITING = Strategy(overlap="none")
_OVERLAPS: tuple[Overlap, ...] = ("none", "core-first", "rim-first")
_PAPER_BLOCKS, _WISHED_BLOCKS = (1, 2, 2), (3, 3, 3)

REMARKS = (
    "Its rates: they are of GPUs (Tesla K40m), of copies to and from them over PCIe and of CUDA "
    "streams. Nothing here runs on a GPU: what compares are shares and ratios. Its rates are "
    "predicted by '001-devices'.",
    "Its three schemes (GPUPackInfo, the same with streams, and GPUBufferedScheme, where MPI sends "
    "from GPU memory) differ in how a GPU is driven. Of ours, 'none' waits as the first does, "
    "'core-first' and 'rim-first' hide as the second does; the third has no counterpart on a "
    "processor.",
    "Its figures (6.3 to 6.7) are missing; a few of their rates are in the text.",
    f"The link: emulated, '{LINK}' (2 us, 3 GB/s); the paper names the cards (ConnectX-3), not "
    "their rates. It delays messages and gives the processor no work.",
    "Times are the least of the repetitions, as in the paper; five here, of some hundredths of a "
    "second. Other users of the machine disturb them: hence shares below 0 or above 100 %.",
)

Found = dict[FlowTrial, FlowTimes]


def blocks_for(ranks: int) -> tuple[int, int, int]:
    """Return the paper's 1x2x2 blocks if so many ranks can share them, else one block a rank."""
    if prod(_PAPER_BLOCKS) % ranks == 0:
        return _PAPER_BLOCKS
    large, small = near_square(ranks)
    return 1, small, large


def neighbours_elsewhere(blocks: tuple[int, ...], ranks: int) -> int:
    """Return how many of the 18 neighbours of the first block belong to another rank."""
    split = decompose(blocks, (True,) * 3, ranks, blocks)
    block = split.block(0)
    around = [split.neighbour(block, c) for c in velocity_set("D3Q19").velocities[1:]]
    return sum(found is not None and found[0].rank != block.rank for found in around)


def place_of(trial: FlowTrial) -> str:
    """Return what is between the ranks of a trial."""
    return trial.link or SHARED


def machine_with_link() -> Machine:
    """Return what is known of this machine, with the link between its nodes."""
    link = LINKS[LINK]
    return machine_here().with_link(link.name, link.latency_s, link.seconds_per_byte)


def exposed(found: Found, trial: FlowTrial) -> float:
    """Return the share of a step that is not computing, as fast as where nothing is split [%]."""
    return 100 * (1 - _alone(found, trial) / found[trial].step_s)


def _alone(found: Found, trial: FlowTrial) -> float:
    """Return the time of computing alone [s]."""
    return found[replace(trial, strategy=_WAITING)].computing_s


def _groups(edges: Sequence[int], blocks: tuple[int, ...]) -> list[list[FlowTrial]]:
    """Return what is measured together, in turns."""
    groups: list[list[FlowTrial]] = []
    for edge in edges:
        is_large = edge >= _LARGE_EDGE
        ways = [
            [FlowTrial((edge,) * 3, blocks, Strategy(overlap=o), link, name) for o in _OVERLAPS]
            for link, name in product((LINK,) if is_large else ("", LINK), _STREAMINGS)
        ]
        groups += ways if is_large else [[trial for way in ways for trial in way]]
    return groups


def _run_worst_case(setting: Setting) -> Findings:
    edges = _QUICK_EDGES if setting.is_quick else _EDGES
    blocks = blocks_for(setting.ranks)
    here: Found = {}
    for trials in _groups(edges, blocks):
        here |= _times(trials, setting)
    machine, linked = machine_with_link(), [trial for trial in here if trial.link]
    # All ranks are on this machine, whatever is said of nodes.
    where = Placement(1, ranks_sharing_memory=setting.ranks)
    model = {trial: predict_flow(trial, setting.ranks, machine, where) for trial in linked}
    wished = [replace(t, blocks=_WISHED_BLOCKS) for t in linked if t.streaming == "two-grids"]
    many = int(stated("001", "wished_gpus"))
    inside = {trial: predict_flow(trial, many, machine, Placement(1)) for trial in wished}
    return Findings(
        (
            _measured(here, model, blocks, setting),
            *_one_each(edges[0] if setting.is_quick else _WHOLE_EDGE, setting),
            _hidden(here),
            _inside(inside),
            _published(here, edges[-1]),
        ),
        (*_panels(here, model, inside), _shares_panel(here, edges[-1])),
        (
            *REMARKS,
            "Which neighbours are elsewhere: across x a block is its own neighbour, as in the "
            "paper; with two ranks the second block across y is on the same rank, as the second "
            "GPU of a node.",
            "The paper calls 1149 of 2200 MLUP/s '52 % hidden': that is the rate in terms of "
            "computing alone, so that 48 % of the step are exposed. It compares rates of 256³ "
            "cells with four times that of one GPU at 320³.",
            "Blocks of 256³ cells: four of them take 20 GB on two grids, and minutes.",
            "A block amid 27 is what the paper wished for and had no GPUs for; predicted for 27 "
            f"nodes of one block each, machine '{machine.name}'.",
        ),
    )


def _times(trials: Sequence[FlowTrial], setting: Setting) -> Found:
    return dict(zip(trials, measure_flows(trials, setting.ranks, setting), strict=True))


def _one_each(edge: int, setting: Setting) -> list[Table]:
    """Return what a block of the paper's size on each rank takes in place, over the link."""
    tables = []
    for blocks in ((1, 1, setting.ranks), (setting.ranks, 1, 1)):
        trials = [
            FlowTrial((edge,) * 3, blocks, Strategy(overlap=o), LINK, "in-place") for o in _OVERLAPS
        ]
        tables.append(_measured(_times(trials, setting), {}, blocks, setting))
    return tables


def _rate(found: FlowTimes, cells: int) -> float:
    return cells / found.step_s / 1e6


def _names(trial: FlowTrial) -> tuple[str, str, str]:
    return trial.streaming, f"{trial.block[0]}³", trial.strategy.overlap


def _measured(here: Found, model: Found, blocks: tuple[int, ...], setting: Setting) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            *(place_of(trial), *_names(trial), setting.mark(setting.ranks)),
            *(trial.cells / _alone(here, trial) / 1e6, _rate(times, trial.cells)),
            *(exposed(here, trial), 1e6 * times.exchange_s),
            exposed(model, trial) if trial in model else None,
        )
        for trial, times in here.items()
    ]
    columns = (
        *("between ranks", "streaming", "block", "overlap", "", "computing alone [MLUPS]"),
        *("step [MLUPS]", "exposed [%]", "exchange [us]", "exposed, predicted [%]"),
    )
    shape, all_around = "x".join(map(str, blocks)), int(stated("001", "neighbours"))
    elsewhere = neighbours_elsewhere(blocks, setting.ranks)
    return Table(
        f"here: {shape} blocks on {setting.ranks} ranks, periodic; of the {all_around} neighbours "
        f"of a block {elsewhere} are another rank's",
        columns,
        tuple(rows),
    )


def _hidden(here: Found) -> Table:
    """Return how much of what 'none' leaves exposed the other ways hide."""
    rows: list[tuple[Cell, ...]] = []
    for trial, times in here.items():
        if trial.strategy != _WAITING:
            waiting = here[replace(trial, strategy=_WAITING)].step_s
            hidden = (waiting - times.step_s) / (waiting - _alone(here, trial))
            gain = waiting / times.step_s - 1
            rows.append((place_of(trial), *_names(trial), 100 * hidden, 100 * gain))
    columns = ("between ranks", "streaming", "block", "overlap", "hidden [%]", "faster by [%]")
    return Table("here: what hiding gains over waiting at once", columns, tuple(rows))


def _inside(inside: Found) -> Table:
    rows = [
        (*_names(trial)[1:], _rate(times, trial.cells), exposed(inside, trial))
        for trial, times in inside.items()
    ]
    return Table(
        f"predicted: 3x3x3 blocks, all neighbours elsewhere, two grids, link '{LINK}'",
        ("block", "overlap", "step [MLUPS]", "exposed [%]"),
        tuple(rows),
    )


def _paper_shares() -> dict[str, float]:
    """Return the printed rates of 256³ in terms of that with everything hidden [%]."""
    names = {
        "GPUPackInfo": "worst_packinfo_256",
        "GPUBufferedScheme": "worst_buffered_256",
        "with streams": "worst_asynchronous_256",
    }
    whole = stated("001", "all_hidden")
    return {name: 100 * stated("001", quantity) / whole for name, quantity in names.items()}


def _published(here: Found, edge: int) -> Table:
    """Return the rate in terms of that of computing alone: printed, and of the largest blocks."""
    rows = [(f"paper: {name}, 256³, 4 GPUs", share) for name, share in _paper_shares().items()]
    rows += [
        (f"here: {', '.join((place_of(trial), *_names(trial)))}", 100 - exposed(here, trial))
        for trial in here
        if trial.block[0] == edge
    ]
    return Table(
        "the rate in terms of that of computing alone",
        ("who", "reached [%]", "exposed [%]"),
        tuple((who, share, 100 - share) for who, share in rows),
    )


def _panels(here: Found, model: Found, inside: Found) -> list[Panel]:
    """Return the exposed share over the size of blocks, a panel for each link and streaming."""
    panels = []
    for link, streaming in product(("", LINK), _STREAMINGS):
        series = []
        for label, found, kind in (("here", here, "here"), ("predicted", model, "model")):
            chosen = {t: s for t, s in found.items() if (t.link, t.streaming) == (link, streaming)}
            series += _exposed_series(label, chosen, kind)
        panels.append(_exposed_panel(f"{streaming}, {link or SHARED}", series))
    predicted = _exposed_series("predicted", inside, "model")
    return [*panels, _exposed_panel(f"3x3x3 blocks, {LINK}", predicted)]


def _exposed_series(label: str, found: Found, kind: str) -> list[Series]:
    """Return a series for each overlap of which something was found."""
    series = []
    for overlap in _OVERLAPS:
        trials = [trial for trial in found if trial.strategy.overlap == overlap]
        x = tuple(float(trial.block[0]) for trial in trials)
        y = tuple(exposed(found, trial) for trial in trials)
        series += [Series(f"{label}: {overlap}", x, y, kind)] if trials else []
    return series


def _exposed_panel(title: str, series: Sequence[Series]) -> Panel:
    return Panel(
        f"exposed: {title}",
        "cells along a block's edge",
        "% of a step",
        tuple(series),
        is_log_x=True,
    )


def _shares_panel(here: Found, edge: int) -> Panel:
    paper = _paper_shares()
    series = [Series("paper: 256³ on 4 GPUs", tuple(paper), tuple(paper.values()), "paper")]
    for streaming in _STREAMINGS:
        found = {
            trial.strategy.overlap: 100 - exposed(here, trial)
            for trial in here
            if (trial.link, trial.streaming, trial.block[0]) == (LINK, streaming, edge)
        }
        label = f"here: {streaming}, {edge}³, link"
        series.append(Series(label, tuple(found), tuple(found.values()), "here"))
    return Panel("rate in terms of computing alone", "", "%", tuple(series))


EXPERIMENTS = (
    Experiment(
        "001-worst-case",
        "001, sections 5.3.1 and 6.2.1, figure 6.3",
        "a periodic domain: computing alone, waiting for all 18 neighbours, and hiding it",
        1.5,
        _run_worst_case,
    ),
)
