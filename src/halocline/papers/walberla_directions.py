"""Paper 001, the imbalance of directions: what a side across x, y or z costs, and what helps."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from halocline.bench import halo
from halocline.geometry import AXES
from halocline.language.steps import check_steps
from halocline.papers.experiment import Cell, Experiment, Findings, Panel, Series, Setting, Table
from halocline.papers.low_level import bench_settings
from halocline.papers.published import stated
from halocline.papers.walberla import LINK, REMARKS, SHARED, machine_with_link, place_of
from halocline.papers.walberla_trial import FlowTimes, FlowTrial, measure_flows, predict_flow
from halocline.plan.bind import bind
from halocline.plan.decomposition import decompose
from halocline.tune.sides import side_prices
from halocline.tune.work import Placement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.tune.machine import Machine

_RANKS = 2
_CUTS = {"x": (2, 1, 1), "y": (1, 2, 1), "z": (1, 1, 2)}
_EDGES, _QUICK_EDGES = (16, 32, 64, 128), (8,)
_TRANSPORTS = ("shared", "two-sided")
# The shortest edge of the domains that are measured, in the place of the paper's 256 cells.
_SHORT, _QUICK_SHORT = 64, 8
# As the paper's strong scaling (a cube) and its weak scaling along x (two cubes).
_DOMAINS = {"a cube": (1, 1, 1), "two cubes along x": (2, 1, 1), "four cubes along x": (4, 1, 1)}
_PREDICTED_RANKS = (2, 4, 8, 16, 64)
# Prices that only count cells.
_SURFACE = (1.0, 1.0, 1.0)

Found = dict[FlowTrial, FlowTimes]


def _run_directions(setting: Setting) -> Findings:
    edges = _QUICK_EDGES if setting.is_quick else _EDGES
    sides = _sides_alone(setting, edges)
    cavities: Found = {}
    for edge in edges:
        trials = [
            FlowTrial((edge,) * 3, cut, link=link, is_cavity=True)
            for link in ("", LINK)
            for cut in _CUTS.values()
        ]
        cavities |= _measured(trials, setting)
    ratios = _ratios_here(cavities, edges[-1])
    machine = machine_with_link()
    prices = {
        SHARED: prices_of_sides(machine, is_same_node=True),
        LINK: prices_of_sides(machine, is_same_node=False),
    }
    grids = _measured(_grid_trials(setting), setting)
    return Findings(
        (
            _sides_table(sides),
            _cavity_table(cavities),
            _published(ratios, edges[-1]),
            _prices_table(prices),
            _grids_table(grids, prices),
            _predicted_grids(machine, prices[LINK], setting),
        ),
        (
            *_side_panels(sides),
            *_cavity_panels(cavities),
            _grids_panel(grids),
            _ratios_panel(ratios, edges[-1]),
        ),
        (
            *REMARKS,
            "Which direction is dear: in both codes x is contiguous and populations lie apart "
            "(fzyx). A GPU reads single values of a side across x in whole transactions, a CPU in "
            "whole cache lines: the cause is the same, the factor is not.",
            "The sides of the cavity carry 5 populations a cell and edges none, as nothing lies "
            "beyond them with two blocks. The exchange includes waiting for the other rank.",
            "The paper's only rates by direction are of four blocks of 256³: cut across x and z "
            "(section 6.2.3), and across y and z (section 6.2.1, the same blocks). The GPUPackInfo "
            "of the former is taken for the one with streams, as the context says.",
            "Whether a better process grid helps is what the paper proposes to test on 27 GPUs; "
            "here it is measured on two ranks and predicted for more.",
        ),
    )


def _measured(trials: Sequence[FlowTrial], setting: Setting) -> Found:
    return dict(zip(trials, measure_flows(trials, _RANKS, setting), strict=True))


# transport, edge, axis
Sides = dict[tuple[str, int, str], float]


def _sides_alone(setting: Setting, edges: Sequence[int]) -> Sides:
    """Return the least time in which two ranks exchange a side of one field [s]."""
    settings = replace(bench_settings(setting), sizes=tuple(edges), transports=_TRANSPORTS)
    return {
        (row.transport, row.cells, row.across): row.times.min_s
        for row in halo.BENCHMARK.run(settings)
        if row.across
    }


def _sides_table(sides: Sides) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for transport, edge in dict.fromkeys(key[:2] for key in sides):
        times = [sides[transport, edge, axis] for axis in AXES]
        rows.append(
            (transport, f"{edge}²", *(1e6 * t for t in times), *(t / times[2] for t in times[:2]))
        )
    columns = (
        *("transport", "cells of the side"),
        *("across x [us]", "across y [us]", "across z [us]", "x / z", "y / z"),
    )
    return Table("here: two ranks exchange a side, 8 bytes a cell", columns, tuple(rows))


def _axis_of(trial: FlowTrial) -> str:
    return AXES[trial.blocks.index(_RANKS)]


def _along_z(found: Found, trial: FlowTrial) -> FlowTimes:
    """Return the times of the same blocks cut across z."""
    return found[replace(trial, blocks=_CUTS["z"])]


def _cavity_table(cavities: Found) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            *(place_of(trial), f"{trial.block[0]}³", _axis_of(trial)),
            *(trial.cells / times.step_s / 1e6, 1e6 * times.exchange_s),
            times.exchange_s / _along_z(cavities, trial).exchange_s,
        )
        for trial, times in cavities.items()
    ]
    return Table(
        "here: lid-driven cavity, two cubic blocks, nothing hidden",
        ("between ranks", "block", "cut across", "MLUPS", "exchange [us]", "in terms of z"),
        tuple(rows),
    )


def _paper_ratios() -> dict[str, float]:
    """Return the printed rates with cuts across x and z over those across y and z."""
    return {
        scheme: stated("001", f"weak_xz_{name}") / stated("001", f"worst_{other}_256")
        for scheme, name, other in (
            ("with streams", "packinfo", "asynchronous"),
            ("GPUBufferedScheme", "buffered", "buffered"),
        )
    }


def _ratios_here(cavities: Found, edge: int) -> dict[str, float]:
    """Return the rates of the largest blocks cut across x over those cut across z."""
    return {
        place_of(trial): _along_z(cavities, trial).step_s / times.step_s
        for trial, times in cavities.items()
        if trial.block[0] == edge and _axis_of(trial) == "x"
    }


def _published(here: dict[str, float], edge: int) -> Table:
    rows = [(f"paper: {scheme}, 4 x 256³, xz over yz", r) for scheme, r in _paper_ratios().items()]
    rows += [(f"here: {place}, 2 x {edge}³, x over z", ratio) for place, ratio in here.items()]
    return Table("rate with a cut across x, relative to one without", ("who", "ratio"), tuple(rows))


def _ratios_panel(here: dict[str, float], edge: int) -> Panel:
    paper = _paper_ratios()
    series = (
        Series("paper: 4 x 256³", tuple(paper), tuple(paper.values()), "paper"),
        Series(f"here: 2 x {edge}³", tuple(here), tuple(here.values()), "here"),
    )
    return Panel("rate with a cut across x over one without", "", "", series)


def _extent(shape: tuple[int, ...], cells: int) -> tuple[int, ...]:
    return tuple(cells * n for n in shape)


def _grid_trials(setting: Setting) -> list[FlowTrial]:
    cells = _QUICK_SHORT if setting.is_quick else _SHORT
    return [
        FlowTrial(
            tuple(n // c for n, c in zip(_extent(shape, cells), cut, strict=True)), cut, link=link
        )
        for shape in _DOMAINS.values()
        for link in ("", LINK)
        for cut in _CUTS.values()
    ]


def prices_of_sides(machine: Machine, *, is_same_node: bool) -> tuple[float, ...]:
    """Return what a cell of a side of the periodic flow costs in a step, for each axis [s]."""
    trial = FlowTrial((8, 8, 8), (1, 1, 1))
    flow = trial.flow()
    program = bind(flow.grid, check_steps(flow.steps), 0)
    return side_prices(program, trial.strategy, machine, is_same_node=is_same_node)


def blocks_by(
    prices: tuple[float, ...], extent: tuple[int, ...], ranks: int = _RANKS
) -> tuple[int, ...]:
    """Return the blocks along each axis that prices of sides lead to in a periodic domain."""
    return decompose(extent, (True,) * 3, ranks, prices=prices).shape


def _prices_table(prices: dict[str, tuple[float, ...]]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (place, *(1e9 * price for price in of), of[0] / of[2]) for place, of in prices.items()
    ]
    return Table(
        "what the model says a cell of both sides of a block costs in a step [ns]",
        ("between ranks", "across x", "across y", "across z", "x / z"),
        tuple(rows),
    )


def _grids_table(grids: Found, prices: dict[str, tuple[float, ...]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for trial, times in grids.items():
        choices = {"least surface": _SURFACE, "priced sides": prices[place_of(trial)]}
        words = [
            name for name, of in choices.items() if blocks_by(of, trial.extent) == trial.blocks
        ]
        rows.append(
            (
                *(place_of(trial), _text(trial.extent), _axis_of(trial), ", ".join(words)),
                *(trial.cells / times.step_s / 1e6, 1e6 * times.exchange_s),
            )
        )
    columns = ("between ranks", "domain", "cut across", "chosen by", "MLUPS", "exchange [us]")
    return Table("here: periodic domains on two ranks, nothing hidden", columns, tuple(rows))


def _predicted_grids(machine: Machine, prices: tuple[float, ...], setting: Setting) -> Table:
    cells = 32 if setting.is_quick else int(stated("001", "scaling_cells_a_side"))
    rows: list[tuple[Cell, ...]] = []
    for ranks in _PREDICTED_RANKS[:1] if setting.is_quick else _PREDICTED_RANKS:
        for shape in _DOMAINS.values():
            extent = _extent(shape, cells)
            cuts = [blocks_by(of, extent, ranks) for of in (_SURFACE, prices)]
            found = [_predict(extent, cut, ranks, machine).exchange_s for cut in cuts]
            rows.append((ranks, _text(extent), *map(_text, cuts), *(1e6 * s for s in found)))
    columns = (
        *("ranks", "domain", "least surface", "priced sides"),
        *("exchange, least surface [us]", "exchange, priced [us]"),
    )
    return Table(f"predicted: each rank a node, link '{LINK}'", columns, tuple(rows))


def _predict(
    extent: tuple[int, ...], cut: tuple[int, ...], ranks: int, machine: Machine
) -> FlowTimes:
    block = tuple(n // c for n, c in zip(extent, cut, strict=True))
    return predict_flow(FlowTrial(block, cut), ranks, machine, Placement(1))


def _text(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


def _side_panels(sides: Sides) -> list[Panel]:
    panels = []
    for transport in _TRANSPORTS:
        series = []
        for axis in AXES:
            found = {
                float(e): t for (name, e, a), t in sides.items() if (name, a) == (transport, axis)
            }
            y = tuple(1e6 * t for t in found.values())
            series.append(Series(f"across {axis}", tuple(found), y, "here"))
        panels.append(
            Panel(
                f"a side alone, {transport}",
                "cells along the side's edge",
                "us",
                tuple(series),
                is_log_x=True,
                is_log_y=True,
            )
        )
    return panels


def _cavity_panels(cavities: Found) -> list[Panel]:
    panels = []
    for link in ("", LINK):
        series = []
        for axis, cut in _CUTS.items():
            found = {
                float(trial.block[0]): trial.cells / times.step_s / 1e6
                for trial, times in cavities.items()
                if (trial.link, trial.blocks) == (link, cut)
            }
            series.append(Series(f"cut across {axis}", tuple(found), tuple(found.values()), "here"))
        panels.append(
            Panel(
                f"cavity in two blocks, {link or SHARED}",
                "cells along a block's edge",
                "MLUPS",
                tuple(series),
                is_log_x=True,
            )
        )
    return panels


def _grids_panel(grids: Found) -> Panel:
    series = []
    for axis, cut in _CUTS.items():
        found = {
            _text(trial.extent): 1e6 * times.exchange_s
            for trial, times in grids.items()
            if (trial.link, trial.blocks) == (LINK, cut)
        }
        series.append(Series(f"cut across {axis}", tuple(found), tuple(found.values()), "here"))
    return Panel(f"exchange on two ranks, {LINK}", "domain", "us", tuple(series))


EXPERIMENTS = (
    Experiment(
        "001-directions",
        "001, sections 5.3.2 and 6.2.2, figure 6.5",
        "what the exchange of a side costs across x, y and z, and process grids that heed it",
        1.5,
        _run_directions,
    ),
)
