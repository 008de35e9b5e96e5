"""Measure how much of the messages between two real nodes is hidden, beside the predictions.

    python tests/cluster/hidden_latency.py [--latency 1e-4]

Two nodes with a rank each are joined by a switch that delays packets ('switch.py'). 'halocline
probe' measures them first; its machine file predicts the same steps. Configurations take turns, and
the shortest of the repetitions counts. They run the proxies of the papers' programs: the split
advection of paper 002, deep halos of paper 004, and strong scaling of paper 000.
"""

from __future__ import annotations

import argparse
import os
import shlex
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any

from linux_nodes import Cluster
from msgspec.structs import replace

from halocline.bench.probe import probe
from halocline.bench.settings import Settings
from halocline.io.results import Row, Table
from halocline.plan.cells.strategy import Strategy
from halocline.runtime.launcher import find_launcher
from halocline.tune.machine import Machine
from halocline.tune.work import Placement
from halocline_reproduction.configuration import Configuration, StepTimes, measure, predict

RATE = "1gbit"
_RANKS = 2
_WAITING = Strategy(overlap="none", transport="two-sided")
_HIDING = replace(_WAITING, overlap="core-first")
_WAYS = {"waiting": _WAITING, "core-first": _HIDING}
# Columns of the report's subdomains, with as many layers as it has.
_SHAPES, _LAYERS = ((60, 60), (40, 40), (24, 40)), 60
# Without and with computing that lasts as long as on the report's processors.
_ADVECTIONS = {"advection": "split-advection-columns", "with uptake": "split-advection-uptake"}
_EDGES, _DEPTHS = (16, 64, 256), (1, 2, 4, 6)
_CUBES = (32, 64, 96)
# Repetitions, and about how long each lasts [s].
_EFFORT = 9, 0.05

# A row of a table: its name as 'case', and configurations by way and as 'base'.
Case = dict[str, Any]
Cases = list[Case]


@contextmanager
def nodes(latency_s: float) -> Iterator[Cluster]:
    """Let jobs that are started within this run on two nodes, one rank each in turn."""
    before = os.environ.get("HALOCLINE_MPIEXEC")
    with Cluster(_RANKS, RATE, latency_s) as cluster:
        start = [*cluster.head.entered(), *cluster.launcher(*find_launcher())]
        words = [*start, "-host", cluster.hosts(_RANKS)]
        os.environ["HALOCLINE_MPIEXEC"] = shlex.join(words)
        try:
            yield cluster
        finally:
            del os.environ["HALOCLINE_MPIEXEC"]
            if before is not None:
                os.environ["HALOCLINE_MPIEXEC"] = before


def advections(shapes: Iterable[tuple[int, int]] = _SHAPES) -> Cases:
    """Return paper 002's split advection, without and with an uptake after each call."""
    return [
        {
            "case": f"{name}, {x}x{y}",
            **_ways(step, (_LAYERS, x, y), (1, 1, _RANKS)),
        }
        for name, step in _ADVECTIONS.items()
        for x, y in shapes
    ]


def depths(edges: Iterable[int] = _EDGES, depths: Iterable[int] = _DEPTHS) -> Cases:
    """Return paper 004's D2Q9 flow with deep halos on blocks; the base has a depth of 1."""
    cases: Cases = []
    for edge, depth in product(edges, depths):
        case = _ways("d2q9", (edge, edge), (1, _RANKS), depth=depth, dtype="float32")
        base = replace(case["waiting"], strategy=_WAITING)
        cases.append({"case": f"{edge}², depth {depth}", "base": base, **case})
    return cases


def cubes(edges: Iterable[int] = _CUBES) -> Cases:
    """Return paper 000's D3Q19 flow on whole grids; the base is one rank."""
    return [
        {
            "case": f"{edge}³",
            "base": Configuration("d3q19", (edge,) * 3, (1, 1, 1), _WAITING),
            **_ways("d3q19", (edge, edge, edge // _RANKS), (1, 1, _RANKS)),
        }
        for edge in edges
    ]


def _ways(step: str, block: tuple[int, ...], blocks: tuple[int, ...], **more: Any) -> Case:
    dtype, depth = more.get("dtype", "float64"), more.get("depth", 1)
    return {
        way: Configuration(step, block, blocks, replace(strategy, depth=depth), dtype=dtype)
        for way, strategy in _WAYS.items()
    }


def rows(cases: Cases, machine: Machine, effort: tuple[int, float] = _EFFORT) -> list[Row]:
    """Measure and predict cases, all in turns.

    Returns:
        Of each case and source the exposed exchange without and with overlap, the share of it that
        overlap hides, and how many times faster a step is than the base: waiting if there is none.
    """
    configurations = [c for case in cases for key, c in case.items() if key != "case"]
    found = measure(configurations, Settings(_RANKS), effort)
    return [
        _row(source, case, times)
        for case in cases
        for source, times in (
            ("measured", found.__getitem__),
            ("predicted", lambda c: predict(c, machine, Placement(1))),
        )
    ]


def _row(source: str, case: Case, times: Callable[[Configuration], StepTimes]) -> Row:
    waiting, hiding = (times(case[way]) for way in _WAYS)
    base = times(case.get("base", case["waiting"]))
    exposed, left = (1e3 * one.least("exchange") for one in (waiting, hiding))
    return {
        "case": case["case"],
        "from": source,
        "computing [ms]": 1e3 * waiting.least("computing"),
        "exposed [ms]": exposed,
        "with overlap [ms]": left,
        "hidden [%]": 100 * (1 - left / exposed),
        "faster": base.least() / waiting.least(),
        "faster, overlap": base.least() / hiding.least(),
    }


TITLES = {
    "paper 002, split advection: a step along x and y": advections,
    "paper 004, deep halos of D2Q9: faster than with depth 1": depths,
    "paper 000, strong scaling of D3Q19: faster than one rank": cubes,
}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--latency", type=float, default=1e-4, help="of each packet [s]")
    options = parser.parse_args()
    with nodes(options.latency) as cluster:
        machine = probe(print, is_quick=True)
        for title, cases in TITLES.items():
            began, spent = time.perf_counter(), cluster.switch_cpu_s()
            table = Table(title, rows(cases(), machine))
            wall, spent = time.perf_counter() - began, cluster.switch_cpu_s() - spent
            print("", table.title, *table.lines(), sep="\n")
            print(f"{wall:.0f} s, of which the switch took {spent:.1f} s of a core", flush=True)


if __name__ == "__main__":
    main()
