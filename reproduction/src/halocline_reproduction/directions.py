"""Paper 001, the imbalance of directions: what a side across x, y or z costs, and what helps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

from msgspec.structs import replace

from halocline.bench.benchmarks import BENCHMARKS
from halocline.bench.settings import Settings
from halocline.geometry import AXES, by_axes
from halocline.io.results import FROM, Row, Table
from halocline.language.steps.steps import check_steps
from halocline.plan.blocks.shapes import decompose
from halocline.plan.cells.strategy import Strategy
from halocline.plan.pipeline import bound
from halocline.tune.machine import Machine
from halocline.tune.sides import side_prices
from halocline.tune.work import Placement
from halocline_reproduction.configuration import Configuration, Found, measure, predict
from halocline_reproduction.experiment import Experiment
from halocline_reproduction.published import stated
from halocline_reproduction.worst_case import EFFORT, LINK, SHARED, machine_with_link, place

_RANKS = 2
CUTS = {"x": (2, 1, 1), "y": (1, 2, 1), "z": (1, 1, 2)}
_EDGES, _QUICK_EDGES = (16, 32, 64, 128), (8,)
_TRANSPORTS = ("shared", "two-sided")
# The shortest edge of the domains that are measured, in the place of the paper's 256 cells.
_SHORT, _QUICK_SHORT, _QUICK_PREDICTED = 64, 8, 32
# As the paper's strong scaling (a cube) and its weak scaling along x (cubes in a row).
_DOMAINS = ((1, 1, 1), (2, 1, 1), (4, 1, 1))
_PREDICTED_RANKS = (2, 4, 8, 16, 64)
_WAITING = Strategy(overlap="none")

Prices = tuple[float, ...]


def study(_: Experiment, settings: Settings) -> list[Table]:
    """Return sides alone, cavities cut across each axis, and process grids chosen by prices."""
    edges = _QUICK_EDGES if settings.is_quick else _EDGES
    cavities: Found = {}
    for edge in edges:
        cavities |= measure(_cut("cavity", (), edge), settings, EFFORT)
    machine, short = machine_with_link(), _QUICK_SHORT if settings.is_quick else _SHORT
    domains = [tuple(short * n for n in shape) for shape in _DOMAINS]
    grids = measure((c for extent in domains for c in _cut("flow", extent)), settings, EFFORT)
    prices = {
        SHARED: prices_of_sides(machine, is_same_node=True),
        LINK: prices_of_sides(machine, is_same_node=False),
    }
    return [
        Table("here: two ranks exchange a side, 8 bytes a cell", _sides(settings, edges)),
        Table("here: lid-driven cavity, two cubic blocks, nothing hidden", _rows(cavities)),
        Table("rate cut across x, relative to one without", _ratios(cavities, edges[-1])),
        Table(
            "what the model says a cell of both sides of a block costs in a step", _costs(prices)
        ),
        Table("here: periodic domains on two ranks, nothing hidden", _rows(grids, prices)),
        Table(
            f"predicted: each rank a node, link '{LINK}'",
            _predicted(machine, prices[LINK], is_quick=settings.is_quick),
        ),
    ]


def _cut(step: str, extent: tuple[int, ...], edge: int | None = None) -> list[Configuration]:
    """Return two blocks across each axis, inside a node and over the link.

    Args:
        step: A proxy kernel.
        extent: Cells of the whole domain, if the blocks are no cubes.
        edge: That of a cubic block; None for blocks of the domain.
    """
    found = []
    for link, cut in product(("", LINK), CUTS.values()):
        block = (edge,) * 3 if edge else tuple(n // c for n, c in zip(extent, cut, strict=True))
        found.append(Configuration(step, block, cut, _WAITING, link=link))
    return found


def _sides(settings: Settings, edges: Iterable[int]) -> list[Row]:
    """Return the least time in which two ranks exchange a side of one field."""
    alone = replace(settings, ranks=2, sizes=tuple(edges), transports=_TRANSPORTS)
    rows = [row for row in BENCHMARKS["halo"].run(alone) if row["across"]]
    along_z = {(r["transport"], r["cells"]): r["min [us]"] for r in rows if r["across"] == "z"}
    return [
        {
            "transport": row["transport"],
            "edge": row["cells"],
            "across": row["across"],
            "exchange [us]": row["min [us]"],
            "in terms of z": row["min [us]"] / along_z[row["transport"], row["cells"]],
        }
        for row in rows
    ]


def _rows(found: Found, prices: Mapping[str, Prices] | None = None) -> list[Row]:
    """Return a row a flow, with what would choose its blocks if there are prices."""
    rows: list[Row] = []
    for c, times in found.items():
        choices = _choices(prices[c.link or SHARED]) if prices else {}
        chosen = [name for name, of in choices.items() if blocks_by(of, c.extent) == c.blocks]
        exchange = times.least("exchange")
        same = next(one for one in found if _is_same(one, c) and _axis(one) == "z")
        rows.append(
            {
                **place(c),
                "domain": by_axes(c.extent) if prices else None,
                "edge": None if prices else c.block[0],
                "cut across": _axis(c),
                "chosen by": ", ".join(chosen),
                "MLUPS": c.cells / times.least() / 1e6,
                "exchange [us]": 1e6 * exchange,
                "in terms of z": exchange / found[same].least("exchange"),
            }
        )
    return rows


def _axis(c: Configuration) -> str:
    return AXES[c.blocks.index(_RANKS)]


def _is_same(a: Configuration, b: Configuration) -> bool:
    """Return whether two flows differ at most in the cut, for a cavity of the same blocks."""
    size = (a.block, b.block) if a.step == "cavity" else (a.extent, b.extent)
    return a.link == b.link and size[0] == size[1]


def _ratios(cavities: Found, edge: int) -> list[Row]:
    """Return the rate of the largest blocks cut across x over that cut across z; and printed."""
    rows: list[Row] = []
    for scheme, name, other in (
        ("with streams", "packinfo", "asynchronous"),
        ("GPUBufferedScheme", "buffered", "buffered"),
    ):
        ratio = stated("001", f"weak_xz_{name}") / stated("001", f"worst_{other}_256")
        rows.append({FROM: "paper", "who": scheme, "of": "4 x 256³, xz over yz", "ratio": ratio})
    for c, times in cavities.items():
        if c.block[0] == edge and _axis(c) == "x":
            ratio = cavities[replace(c, blocks=CUTS["z"])].least() / times.least()
            of = f"2 x {edge}³, x over z"
            rows.append({FROM: "here", "who": c.link or SHARED, "of": of, "ratio": ratio})
    return rows


def prices_of_sides(machine: Machine, *, is_same_node: bool) -> Prices:
    """Return what a cell of a side of the periodic flow costs in a step, for each axis [s]."""
    flow = Configuration("flow", (8, 8, 8), (1, 1, 1)).make()
    program = bound(flow.grid, check_steps(flow.steps))
    return side_prices(program, _WAITING, machine, is_same_node=is_same_node)


def blocks_by(prices: Prices, extent: tuple[int, ...], ranks: int = _RANKS) -> tuple[int, ...]:
    """Return the blocks along each axis that prices of sides lead to in a periodic domain."""
    return decompose(extent, (True,) * 3, ranks, prices=prices).shape


def _choices(prices: Prices) -> dict[str, Prices]:
    """Return what leads to a decomposition; equal prices only count cells."""
    return {"least surface": (1.0, 1.0, 1.0), "priced sides": prices}


def _costs(prices: Mapping[str, Prices]) -> list[Row]:
    return [
        {
            "between ranks": where,
            **{f"across {axis} [ns]": 1e9 * p for axis, p in zip(AXES, of, strict=True)},
            "x / z": of[0] / of[2],
        }
        for where, of in prices.items()
    ]


def _predicted(machine: Machine, prices: Prices, *, is_quick: bool) -> list[Row]:
    """Return the exchanges of both choices on more ranks than there are here."""
    cells = _QUICK_PREDICTED if is_quick else int(stated("001", "scaling_cells_a_side"))
    ranks_of = _PREDICTED_RANKS[:1] if is_quick else _PREDICTED_RANKS
    rows: list[Row] = []
    for ranks, shape in product(ranks_of, _DOMAINS):
        extent = tuple(cells * n for n in shape)
        row: dict[str, Any] = {"ranks": ranks, "domain": by_axes(extent)}
        for name, of in _choices(prices).items():
            cut = blocks_by(of, extent, ranks)
            block = tuple(n // c for n, c in zip(extent, cut, strict=True))
            step = predict(Configuration("flow", block, cut, _WAITING), machine, Placement(1))
            row |= {name: by_axes(cut), f"exchange, {name} [us]": 1e6 * step.least("exchange")}
        rows.append(row)
    return rows


STUDIES = {"001-directions": study}
