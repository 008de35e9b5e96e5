"""Paper 001, the worst case for communication: a periodic domain, so that all sides exchange."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from math import prod

from msgspec.structs import replace

from halocline.bench.settings import Settings
from halocline.geometry import by_axes
from halocline.io.results import FROM, Row, Table
from halocline.lbm import velocity_set
from halocline.plan.blocks.shapes import decompose
from halocline.plan.cells.strategy import Overlap, Strategy
from halocline.runtime.link import LINKS
from halocline.tune.machine import Machine
from halocline.tune.machines import machine_here
from halocline.tune.work import Placement
from halocline_reproduction.configuration import Configuration, Found, measure, near_square, predict
from halocline_reproduction.experiment import Experiment
from halocline_reproduction.published import stated

LINK, SHARED = "qdr-ib-2014", "shared memory"
# Times are the least of the repetitions, as in the paper.
EFFORT = (5, 0.06)
_EDGES, _QUICK_EDGES = (16, 32, 64, 128), (8,)
# Blocks with so many cells along an edge need gigabytes: they are measured a few at a time, and
# only where there is something to hide.
_LARGE_EDGE = 128
# The largest blocks of the paper: one a rank, in place, takes 2.7 GB.
_WHOLE_EDGE = 256
# Streamings and their steps.
_STEPS = {"flow": "two-grids", "flow-in-place": "in-place"}
_WAITING = Strategy(overlap="none")
_OVERLAPS: tuple[Overlap, ...] = ("none", "core-first", "rim-first")
_PAPER_BLOCKS, _WISHED_BLOCKS = (1, 2, 2), (3, 3, 3)
# The paper's schemes and the rates that it states of them.
_STATED = {
    "GPUPackInfo": "worst_packinfo_256",
    "GPUBufferedScheme": "worst_buffered_256",
    "with streams": "worst_asynchronous_256",
}


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
    around = (split.base.beside(block, c) for c in velocity_set("D3Q19").velocities[1:])
    return sum(other.rank != block.rank for found in around for other, _ in found)


def machine_with_link() -> Machine:
    """Return what is known of this machine, with the link between its nodes."""
    link = LINKS[LINK]
    return machine_here().with_link(link.name, link.latency_s, link.seconds_per_byte)


def groups(edges: Iterable[int], blocks: tuple[int, ...], ranks: int) -> list[list[Configuration]]:
    """Return what is measured together, in turns."""
    found: list[list[Configuration]] = []
    for edge in edges:
        is_large = edge >= _LARGE_EDGE
        ways = [
            _overlaps(step, edge, blocks, link, ranks)
            for link, step in product((LINK,) if is_large else ("", LINK), _STEPS)
        ]
        found += ways if is_large else [[c for way in ways for c in way]]
    return found


def _overlaps(
    step: str, edge: int, blocks: tuple[int, ...], link: str, ranks: int
) -> list[Configuration]:
    strategies = [Strategy(overlap=overlap) for overlap in _OVERLAPS]
    cube = (edge,) * 3
    return [Configuration(step, cube, blocks, s, link=link, shared_by=ranks) for s in strategies]


def study(_: Experiment, settings: Settings) -> list[Table]:
    """Return what waiting and hiding leave exposed: here, predicted, amid 27 blocks, printed."""
    edges = _QUICK_EDGES if settings.is_quick else _EDGES
    ranks, blocks, machine = settings.ranks, blocks_for(settings.ranks), machine_with_link()
    here: Found = {}
    for together in groups(edges, blocks, ranks):
        here |= measure(together, settings, EFFORT)
    # All ranks are on this machine, whatever is said of nodes.
    where = Placement(1, ranks_sharing_memory=ranks)
    model = {c: predict(c, machine, where) for c in here if c.link}
    many = int(stated("001", "wished_gpus"))
    inside = {
        c: predict(c, machine, Placement(1))
        for c in (replace(c, blocks=_WISHED_BLOCKS, shared_by=many) for c in model)
        if c.step == "flow"
    }
    large = edges[0] if settings.is_quick else _WHOLE_EDGE
    tables = [_table(here, model, settings)]
    for cut in ((1, 1, ranks), (ranks, 1, 1)):
        one_each = _overlaps("flow-in-place", large, cut, LINK, ranks)
        tables.append(_table(measure(one_each, settings, EFFORT), {}, settings))
    title = f"predicted for '{machine.name}': 3x3x3 blocks, all neighbours elsewhere"
    return [*tables, Table(title, _rows(inside, {})), _reached(here, edges[-1])]


def _table(here: Found, model: Found, settings: Settings) -> Table:
    blocks = next(iter(here)).blocks
    title = (
        f"here: {by_axes(blocks)} blocks on {settings.ranks} ranks, periodic; of the 18 neighbours "
        f"of a block {neighbours_elsewhere(blocks, settings.ranks)} are another rank's"
    )
    note = settings.mark(settings.ranks)
    return Table(title, [{**row, "note": note} for row in _rows(here, model)])


def _rows(found: Found, model: Found) -> list[Row]:
    """Return a row a configuration: what is exposed, and what hiding gains over waiting."""
    rows: list[Row] = []
    for c, times in found.items():
        waiting, alone = found[replace(c, strategy=_WAITING)].least(), _alone(found, c)
        saved = waiting - times.least()
        is_base = c.strategy == _WAITING
        rows.append(
            {
                **place(c),
                "streaming": _STEPS[c.step],
                "edge": c.block[0],
                "overlap": c.strategy.overlap,
                "computing alone [MLUPS]": c.cells / alone / 1e6,
                "step [MLUPS]": c.cells / times.least() / 1e6,
                "exposed [%]": exposed(found, c),
                "exchange [us]": 1e6 * times.least("exchange"),
                "exposed, predicted [%]": exposed(model, c) if c in model else None,
                "hidden [%]": None if is_base else 100 * saved / (waiting - alone),
                "faster by [%]": None if is_base else 100 * saved / times.least(),
            }
        )
    return rows


def place(c: Configuration) -> dict[str, str]:
    """Return the column that says what is between the ranks."""
    return {"between ranks": c.link or SHARED}


def exposed(found: Found, c: Configuration) -> float:
    """Return the share of a step that is not computing, as fast as where nothing is split [%]."""
    return 100 * (1 - _alone(found, c) / found[c].least())


def _alone(found: Found, c: Configuration) -> float:
    """Return the time of computing alone [s]."""
    return found[replace(c, strategy=_WAITING)].least("computing")


def _reached(here: Found, edge: int) -> Table:
    """Return the rate in terms of that of computing alone: printed, and of the largest blocks."""
    whole = stated("001", "all_hidden")
    rates = {name: 100 * stated("001", key) / whole for name, key in _STATED.items()}
    shares: list[Row] = [
        {FROM: "paper", "scheme": name, "who": "256³, 4 GPUs", "%": rate}
        for name, rate in rates.items()
    ]
    for c in here:
        if c.block[0] == edge:
            who = f"{_STEPS[c.step]}, {edge}³, {c.link or SHARED}"
            share = 100 - exposed(here, c)
            shares.append({FROM: "here", "scheme": c.strategy.overlap, "who": who, "%": share})
    return Table("the rate in terms of that of computing alone", shares)


STUDIES = {"001-worst-case": study}
