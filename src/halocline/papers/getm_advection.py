"""Tables 7-2 to 7-4 of paper 002: the split advection without and with latency hiding."""

from __future__ import annotations

from dataclasses import replace

from halocline.papers.experiment import Cell, Experiment, Findings, Panel, Series, Setting, Table
from halocline.papers.getm_shapes import LINK, SHAPES, getm_blocks, shape_blocks, shape_cells
from halocline.papers.measuring import measure
from halocline.papers.predict import predict
from halocline.papers.published import published, stated
from halocline.papers.trial import Timing, Trial
from halocline.plan.strategy import Strategy
from halocline.tune.machines import find_machine
from halocline.tune.work import Placement

_GETM = Strategy(width="full", overlap="none", transport="two-sided", tiles=1)
_OURS = Strategy(overlap="none", transport="two-sided")
_ROWS, _COLUMNS = "split-advection", "split-advection-columns"
_UPTAKE = "split-advection-uptake"
# What is computed, how, and the way without hiding that it is compared with. GETM computes the rim
# first. Columns: with the layers along the first axis, so that no side cuts through rows of memory.
# Uptake: the same with more to compute, so that the core takes longer than the exchange.
_WAYS = {
    "none": (_ROWS, _GETM, "none"),
    "A": (_ROWS, replace(_GETM, overlap="rim-first"), "none"),
    "B": (_ROWS, replace(_GETM, overlap="rim-first", overlapped=1), "none"),
    "minimal": (_ROWS, _OURS, "minimal"),
    "core-first": (_ROWS, replace(_OURS, overlap="core-first"), "minimal"),
    "postponed": (_ROWS, replace(_OURS, overlap="postponed"), "minimal"),
    "columns": (_COLUMNS, _OURS, "columns"),
    "columns, core-first": (_COLUMNS, replace(_OURS, overlap="core-first"), "columns"),
    "uptake": (_UPTAKE, _OURS, "uptake"),
    "uptake, core-first": (_UPTAKE, replace(_OURS, overlap="core-first"), "uptake"),
}
_TABLES = {"none": "002-A2", "A": "002-A4", "B": "002-A5"}
# A step of the stand-in is a call along x and one along y; the report's timers are of calls.
_CALLS = 2
_RANKS_A_NODE = 4
# A link that brings every message at once: beside it, the real one shows what is left to wait for.
_NO_DELAY = "L=0,G=0"

Numbers = dict[tuple[str, str], dict[str, float]]


def _trial(shape: str, layers: int, way: str, ranks: int, link: str) -> Trial:
    name, strategy, _ = _WAYS[way]
    block, blocks = shape_cells(shape), shape_blocks(ranks)
    if name == _ROWS:
        return Trial(name, (*block, layers), (*blocks, 1), strategy, link=link)
    # Cut across the last axis first, as a decomposition without being told does: its sides are
    # whole pieces of memory.
    return Trial(name, (layers, *block), (1, *reversed(blocks)), strategy, link=link)


def _here(timing: Timing, undelayed: Timing) -> dict[str, float]:
    """Return the times of a call; those of computing are the least, for they hardly differ."""
    return {
        "call": timing.median_s / _CALLS,
        "wait": timing.part("wait") / _CALLS,
        "start": (timing.part("start") + timing.part("poll")) / _CALLS,
        "computing": min(timing.least("run"), undelayed.least("run")) / _CALLS,
        "core": min(timing.least("run", "core"), undelayed.least("run", "core")) / _CALLS,
        "exposed": (timing.least_s - undelayed.least_s) / _CALLS,
    }


def _reported() -> Numbers:
    calls = stated("002", "u_split_calls")
    timers = {
        "call": ("test-00",),
        "wait": ("test-02",),
        "start": ("test-01",),
        "computing": ("test-05", "test-06"),
        "exposed": ("test-02",),
    }
    return {
        (shape, way): {
            name: sum(published(table).row(timer)[shape] for timer in parts) / calls
            for name, parts in timers.items()
        }
        for way, table in _TABLES.items()
        for shape in SHAPES
    }


def _predicted(shapes: tuple[str, ...], layers: int) -> Numbers:
    """Return what the model says of the report's cluster, for GETM's own ways."""
    machine = find_machine("getm-cluster")
    result: Numbers = {}
    for shape in shapes:
        for way in _TABLES:
            block, blocks = (*shape_cells(shape), layers), (*getm_blocks(shape), 1)
            trial = Trial(_ROWS, block, blocks, _WAYS[way][1])
            step = predict(trial, machine, Placement(_RANKS_A_NODE))
            kinds = {"wait": ("wait",), "start": ("start", "poll"), "computing": ("run",)}
            kinds["exposed"] = kinds["wait"]
            result[shape, way] = {"call": step.seconds / _CALLS} | {
                name: sum(line.seconds for line in step.lines if line.kind in kind) / _CALLS
                for name, kind in kinds.items()
            }
    return result


def hidden(numbers: Numbers, shape: str, way: str) -> float:
    """Return the share of the exchange that a way has hidden."""
    return 1.0 - numbers[shape, way]["exposed"] / numbers[shape, _base(way)]["exposed"]


def possible(numbers: Numbers, shape: str, way: str) -> float:
    """Return the share of what could be hidden, which is no more than the core takes."""
    n, exchange = numbers[shape, way], numbers[shape, _base(way)]["exposed"]
    return (exchange - n["exposed"]) / min(exchange, n["core"])


def price(numbers: Numbers, shape: str, way: str) -> float:
    """Return how much longer computing takes in core and rim than unsplit."""
    return numbers[shape, way]["computing"] / numbers[shape, _base(way)]["computing"] - 1.0


def _base(way: str) -> str:
    return _WAYS[way][2]


def _table(title: str, numbers: Numbers, mark: str) -> Table:
    columns = (
        *("shape", "way", "", "call [ms]", "computing [ms]", "core [ms]", "start [ms]"),
        *("wait [ms]", "exposed [ms]", "hidden [%]", "of possible [%]"),
        "price of splitting [%]",
    )
    rows: list[tuple[Cell, ...]] = []
    for (shape, way), n in numbers.items():
        names = ("call", "computing", "core", "start", "wait", "exposed")
        times = tuple(1e3 * n[name] if name in n else None for name in names)
        is_base, has_core = _base(way) == way, n.get("core", 0.0) > 0.0
        rows.append(
            (
                *(shape, way, mark, *times),
                None if is_base else 100 * hidden(numbers, shape, way),
                100 * possible(numbers, shape, way) if has_core else None,
                None if is_base else 100 * price(numbers, shape, way),
            )
        )
    return Table(title, columns, tuple(rows))


def _run(setting: Setting) -> Findings:
    shapes = SHAPES[-1:] if setting.is_quick else SHAPES
    layers = 4 if setting.is_quick else int(stated("002", "layers"))
    keys = [(shape, way) for shape in shapes for way in _WAYS]
    trials = [
        _trial(shape, layers, way, setting.ranks, link)
        for shape, way in keys
        for link in (LINK, _NO_DELAY)
    ]
    timings = measure(trials, setting.ranks, setting)
    here = {key: _here(*timings[2 * n : 2 * n + 2]) for n, key in enumerate(keys)}
    reported, predicted = _reported(), _predicted(shapes, layers)
    return Findings(
        (
            _table(f"here, link '{LINK}'", here, setting.mark(setting.ranks)),
            _table("the report (none: table 7-2, A: 7-3, B: 7-4)", reported, ""),
            _table("predicted for the report's cluster", predicted, ""),
        ),
        _panels(shapes, here, reported, predicted),
        (
            "The computing: part A and part B are of the report's form, but another processor, "
            "compiler and language; shares and prices can be compared, seconds cannot.",
            "The link: emulated between any two ranks; with two ranks half of the sides are "
            "copies within the rank, and no other rank shares the link.",
            "The report times calls along x only; here a step is a call along x and one along y, "
            "and times are means of the two.",
            "'exposed' is here what a call takes longer than over a link that brings everything at "
            "once; the report has no such run, and there it is the wait. 'of possible' compares "
            "what is hidden with the exchange or the core, whichever takes less time.",
            "The model's cluster takes its speed of computing from table 7-2; waits and variants A "
            "and B are predicted.",
            "The model knows nothing of cache misses in zones; its price of splitting counts "
            "cache lines, boxes and rows.",
        ),
    )


def _panels(
    shapes: tuple[str, ...], here: Numbers, reported: Numbers, predicted: Numbers
) -> tuple[Panel, ...]:
    def series(kind: str, numbers: Numbers, ways: tuple[str, ...], what: str) -> list[Series]:
        names = {"here": "here", "paper": "report", "model": "predicted"}
        of = {"hidden": hidden, "price": price}.get(what)
        values = {
            way: tuple(
                100 * of(numbers, s, way) if of else 1e3 * numbers[s, way][what] for s in shapes
            )
            for way in ways
        }
        return [Series(f"{names[kind]}: {way}", shapes, v, kind) for way, v in values.items()]

    hiding = tuple(way for way in _WAYS if _base(way) != way and way != "postponed")
    ours = tuple(way for way in _WAYS if _base(way) != "none" and way != "postponed")
    both = ("A", "B")
    wait = [*series("here", here, hiding, "hidden")]
    wait += [
        *series("paper", reported, both, "hidden"),
        *series("model", predicted, both, "hidden"),
    ]
    cost = [*series("here", here, hiding, "price"), *series("paper", reported, both, "price")]
    return (
        Panel("share of the exchange that was hidden", "block", "%", tuple(wait)),
        Panel("price of splitting", "block", "% more computing", tuple(cost)),
        Panel("a call here", "block", "ms", tuple(series("here", here, ours, "call"))),
    )


SPLIT_ADVECTION = Experiment(
    "002-split-advection",
    "002, tables 7-2, 7-3, 7-4 and A2, A4, A5",
    "hiding the exchange of the split advection: none, all kernels (A), the last one (B)",
    4.0,
    _run,
)
