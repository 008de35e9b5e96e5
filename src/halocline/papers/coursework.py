"""Paper 004: its five hypotheses about a D2Q9 code, each a value of the strategy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from halocline.apps.lbm.obstacle_flow_input import published_grids, published_parameters
from halocline.papers.experiment import Experiment, Findings, Panel, Series, Setting, Table
from halocline.papers.measuring import measure
from halocline.papers.predict import near_square, plan_of, predict
from halocline.papers.published import published, stated
from halocline.papers.trial import Timing, Trial
from halocline.plan import plan as ops
from halocline.plan.strategy import Strategy
from halocline.tune.machines import find_machine
from halocline.tune.work import Placement

if TYPE_CHECKING:
    from collections.abc import Mapping

LINK = "qdr-ib-2014"
# The paper's element type, and its code: waits for all messages, then computes.
_DTYPE = "float32"
AS_PAPER = Strategy(overlap="none", transport="two-sided")
_GRIDS = published_grids()
_CORES = 64
_RANKS_A_NODE = 16

REMARKS = (
    "The figures of the paper are missing; its tables and the numbers in its text are beside ours.",
    "The flow: obstacles, walls and the accelerated row are left out, the grid is periodic; the "
    "case 'obstacle-flow' has them.",
    f"The machine: two cores and the emulated link '{LINK}' (2.03 us as in figure 1.7; 3 GB/s "
    "assumed) instead of 64 cores on four nodes; the prediction is for those.",
    "The model's BlueCrystal takes its arithmetic from the paper's time of 1024x1024 (figure 2.5), "
    "so that this time is no check of the model; the other grids are.",
)


@dataclass(frozen=True, slots=True)
class Way:
    """A way of doing a step that is compared with others.

    Attributes:
        name: In tables.
        trial: Here.
        ranks: Here.
        paper: The same on the paper's 64 cores.
        ranks_a_node: There.
        base: The way it is related to; empty for the first.
    """

    name: str
    trial: Trial
    ranks: int
    paper: Trial
    ranks_a_node: int = _RANKS_A_NODE
    base: str = ""


def cells_of(grid: str) -> tuple[int, int]:
    """Return the cells of a published grid along x and y."""
    told = published_parameters(grid)
    return told.nx, told.ny


def trial_of(grid: str, blocks: tuple[int, int], strategy: Strategy, name: str = "d2q9") -> Trial:
    """Return a step on one of the paper's grids, cut into equal blocks, with the link."""
    nx, ny = cells_of(grid)
    block = (nx // blocks[0], ny // blocks[1])
    return Trial(name, block, blocks, strategy, dtype=_DTYPE, link=LINK)


def grids(setting: Setting) -> tuple[str, ...]:
    """Return the grids that are run."""
    return _GRIDS[:1] if setting.is_quick else _GRIDS


def compare(
    setting: Setting,
    ways: dict[str, list[Way]],
    remarks: tuple[str, ...],
    stated_rows: Table,
    printed: Mapping[str, float] = MappingProxyType({}),
) -> Findings:
    """Measure and predict ways of doing a step on several grids.

    Args:
        setting: How.
        ways: Those that are compared, by grid; the first is what the others are related to.
        remarks: What cannot be compared.
        stated_rows: What the paper says about it.
        printed: What the last way gains there, as a multiple of the first, for some grids.
    """
    every = [(grid, way) for grid, found in ways.items() for way in found]
    here = _measured(setting, every)
    machine = find_machine("bluecrystal-3")
    there = {
        (grid, way.name): predict(
            way.paper, machine, Placement(way.ranks_a_node, way.paper.threads)
        )
        for grid, way in every
    }
    bases = {(g, way.name): (g, way.base or ways[g][0].name) for g, way in every}
    rows = []
    for grid, way in every:
        key, base = (grid, way.name), bases[grid, way.name]
        timing, step = here[key], there[key]
        rows.append(
            (
                *(grid, way.name, way.ranks, setting.mark(way.ranks, way.trial.threads)),
                *(1e6 * timing.median_s, timing.median_s / here[base].median_s),
                1e6 * (timing.part("start") + timing.part("wait") + timing.part("any")),
                *(1e6 * step.seconds, step.seconds / there[base].seconds),
            )
        )
    columns = (
        *("grid", "way", "ranks", "", "step here [us]", "relative", "exchange [us]"),
        *("predicted, 64 cores [us]", "relative"),
    )
    seconds = {
        "here": {key: timing.median_s for key, timing in here.items()},
        "model": {key: step.seconds for key, step in there.items()},
    }
    panels = {kind: _relative(found, bases, kind) for kind, found in seconds.items()}
    places = tuple(grid for grid in ways if grid in printed)
    paper = Series("the paper", places, tuple(printed[grid] for grid in places), "paper")
    with_paper = (*panels["model"], *((paper,) if places else ()))
    what = "relative time of a step"
    return Findings(
        (Table("a step", columns, tuple(rows)), stated_rows),
        (
            Panel("here", "grid", what, panels["here"]),
            Panel("predicted for 64 cores of BlueCrystal", "grid", what, with_paper),
        ),
        (*REMARKS, *remarks),
    )


def _relative(
    seconds: dict[tuple[str, str], float],
    bases: dict[tuple[str, str], tuple[str, str]],
    kind: str,
) -> tuple[Series, ...]:
    """Return the time of each way over the grids, as a multiple of the way it is related to."""
    grids_of: dict[str, list[str]] = {}
    for grid, name in seconds:
        grids_of.setdefault(name, []).append(grid)
    return tuple(
        Series(
            name,
            tuple(some),
            tuple(seconds[grid, name] / seconds[bases[grid, name]] for grid in some),
            kind,
        )
        for name, some in grids_of.items()
    )


def _measured(setting: Setting, every: list[tuple[str, Way]]) -> dict[tuple[str, str], Timing]:
    """Measure ways, those on as many ranks together."""
    here: dict[tuple[str, str], Timing] = {}
    for ranks in dict.fromkeys(way.ranks for _, way in every):
        some = [(grid, way) for grid, way in every if way.ranks == ranks]
        timings = measure([way.trial for _, way in some], ranks, setting)
        here |= {(g, way.name): t for (g, way), t in zip(some, timings, strict=True)}
    # In the order in which they were named.
    return {(grid, way.name): here[grid, way.name] for grid, way in every}


def says(*quantities: str) -> Table:
    """Return what the paper states, word for word."""
    table = published("004-text")
    rows = {row[0]: (row[1], row[2], row[4]) for row in table.rows}
    return Table(
        "the paper", ("number", "unit", "words"), tuple(rows[quantity] for quantity in quantities)
    )


def _run_tiles(setting: Setting) -> Findings:
    many = 4
    ways = {}
    for grid in grids(setting):
        rows, tiles = (1, _CORES), near_square(_CORES)
        shapes = {
            f"rows, {setting.ranks} ranks": ((1, setting.ranks), rows),
            f"columns, {setting.ranks} ranks": ((setting.ranks, 1), (_CORES, 1)),
            f"rows, {many} ranks": ((1, many), rows),
            f"tiles, {many} ranks": (near_square(many), tiles),
        }
        ways[grid] = [
            Way(
                name,
                trial_of(grid, blocks, AS_PAPER),
                blocks[0] * blocks[1],
                trial_of(grid, there, AS_PAPER),
                base=f"rows, {blocks[0] * blocks[1]} ranks",
            )
            for name, (blocks, there) in shapes.items()
        ]
    found = compare(
        setting,
        ways,
        (
            "On two ranks there are no tiles: rows stand beside columns, whose sides are strided; "
            "rows and tiles of four ranks share the cores where there are fewer.",
            "The model's tiles send corners as messages of their own; the paper's 16 ranks of a "
            "node are not squares either.",
        ),
        says("tiles_gain_1024", "tiles_slower_256", "rows_1024_64", "tiles_1024_64"),
        {
            "256x256": stated("004", "tiles_slower_256"),
            "1024x1024": stated("004", "tiles_after_1024") / stated("004", "tiles_before_1024"),
        },
    )
    return replace(found, tables=(*found.tables, _volumes()))


def _volumes() -> Table:
    """Return what all 64 ranks send in a step on the largest grid."""
    rows = []
    for name, blocks in (("rows", (1, _CORES)), ("tiles", near_square(_CORES))):
        nx, ny = cells_of(_GRIDS[-1])
        block = (nx // blocks[0], ny // blocks[1])
        sides = 2 * sum(block[1 - axis] for axis, count in enumerate(blocks) if count > 1)
        plan = plan_of(trial_of(_GRIDS[-1], blocks, AS_PAPER))
        started = (op.exchange for op in ops.walk(plan.steps[0]) if isinstance(op, ops.Start))
        messages = sum(len(plan.exchanges[number].sends) for number in started)
        rows.append((name, _CORES * sides, _CORES * messages, _CORES * plan.bytes_sent()))
    return Table(
        "1024x1024 on 64 ranks, all ranks together",
        ("way", "cells of sides", "messages", "bytes in a step"),
        tuple(rows),
    )


def _run_hybrid(setting: Setting) -> Findings:
    ways = {}
    for grid in grids(setting):
        alone = replace(trial_of(grid, (1, 1), AS_PAPER), threads=setting.ranks, link="")
        found = [
            Way(
                f"{setting.ranks} ranks",
                trial_of(grid, (1, setting.ranks), AS_PAPER),
                setting.ranks,
                trial_of(grid, (1, _CORES), AS_PAPER),
            ),
            Way(
                f"1 rank of {setting.ranks} threads",
                alone,
                1,
                replace(trial_of(grid, (1, _CORES // 16), AS_PAPER), threads=16),
                1,
            ),
        ]
        ways[grid] = found
    return compare(
        setting,
        ways,
        (
            "The paper did not write a hybrid code; it compares MPI with OpenMP, without numbers.",
            "Predicted: 64 ranks, and 4 ranks of 16 threads, one on each node.",
        ),
        says("communication_share_128"),
    )


def _run_overlap(setting: Setting) -> Findings:
    strategies = {
        "wait, then compute": AS_PAPER,
        "core first": Strategy(transport="two-sided"),
        "core first, any side": Strategy(transport="two-sided", wait="any"),
        "rim first": Strategy(transport="two-sided", overlap="rim-first"),
        "postponed": Strategy(transport="two-sided", overlap="postponed"),
    }
    return compare(
        setting,
        _ways(setting, {name: ("d2q9", strategy) for name, strategy in strategies.items()}),
        ("The paper's gain includes leaving synchronous sends that wait in turns.",),
        says("overlap_before_1024", "overlap_after_1024", "communication_share_128"),
        {"1024x1024": stated("004", "overlap_after_1024") / stated("004", "overlap_before_1024")},
    )


def _run_message_size(setting: Setting) -> Findings:
    apart = replace(AS_PAPER, messages="field")
    return compare(
        setting,
        _ways(
            setting,
            {
                "a message for each population": ("d2q9-apart", apart),
                "one message a neighbour": ("d2q9-apart", AS_PAPER),
            },
        ),
        ("The paper gives no numbers for its gain.",),
        says("row_message", "tile_message"),
    )


def _ways(setting: Setting, named: dict[str, tuple[str, Strategy]]) -> dict[str, list[Way]]:
    """Return ways on rows, as the paper has them, for every grid."""
    return {
        grid: [
            Way(
                name,
                trial_of(grid, (1, setting.ranks), strategy, step),
                setting.ranks,
                trial_of(grid, (1, _CORES), strategy, step),
            )
            for name, (step, strategy) in named.items()
        ]
        for grid in grids(setting)
    }


EXPERIMENTS = (
    Experiment(
        "004-tiles",
        "004, hypothesis 1, figures 1.0, 1.4, 1.6, 1.9",
        "tiles against rows",
        1.5,
        _run_tiles,
    ),
    Experiment(
        "004-hybrid",
        "004, hypothesis 2, figure 1.2",
        "threads inside a node, messages between nodes",
        1.0,
        _run_hybrid,
    ),
    Experiment(
        "004-overlap",
        "004, hypothesis 3, figures 2.1 and 2.2",
        "computing while messages are on their way",
        1.5,
        _run_overlap,
    ),
    Experiment(
        "004-message-size",
        "004, hypothesis 4, figure 1.8",
        "one message a neighbour instead of one for each population",
        1.0,
        _run_message_size,
    ),
)
