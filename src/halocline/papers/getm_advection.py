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
# Each beside the way without hiding that it is compared with. GETM computes the rim first.
_WAYS = {
    "none": (_GETM, "none"),
    "A": (replace(_GETM, overlap="rim-first"), "none"),
    "B": (replace(_GETM, overlap="rim-first", overlapped=1), "none"),
    "minimal": (_OURS, "minimal"),
    "core-first": (replace(_OURS, overlap="core-first"), "minimal"),
    "postponed": (replace(_OURS, overlap="postponed"), "minimal"),
}
_TABLES = {"none": "002-A2", "A": "002-A4", "B": "002-A5"}
# A step of the stand-in is a call along x and one along y; the report's timers are of calls.
_CALLS = 2
_RANKS_A_NODE = 4

Numbers = dict[tuple[str, str], dict[str, float]]


def _here(timing: Timing) -> dict[str, float]:
    return {
        "call": timing.median_s / _CALLS,
        "wait": timing.part("wait") / _CALLS,
        "start": (timing.part("start") + timing.part("poll")) / _CALLS,
        "computing": timing.part("run") / _CALLS,
    }


def _reported() -> Numbers:
    calls = stated("002", "u_split_calls")
    timers = {
        "call": ("test-00",),
        "wait": ("test-02",),
        "start": ("test-01",),
        "computing": ("test-05", "test-06"),
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
            trial = Trial("split-advection", block, blocks, _WAYS[way][0])
            step = predict(trial, machine, Placement(_RANKS_A_NODE))
            kinds = {"wait": ("wait",), "start": ("start", "poll"), "computing": ("run",)}
            result[shape, way] = {"call": step.seconds / _CALLS} | {
                name: sum(line.seconds for line in step.lines if line.kind in kind) / _CALLS
                for name, kind in kinds.items()
            }
    return result


def hidden(numbers: Numbers, shape: str, way: str) -> float:
    """Return the share of the wait without hiding that a way has hidden."""
    return 1.0 - numbers[shape, way]["wait"] / numbers[shape, _WAYS[way][1]]["wait"]


def price(numbers: Numbers, shape: str, way: str) -> float:
    """Return how much longer computing takes in core and rim than unsplit."""
    return numbers[shape, way]["computing"] / numbers[shape, _WAYS[way][1]]["computing"] - 1.0


def _table(title: str, numbers: Numbers, mark: str) -> Table:
    columns = (
        *("shape", "way", "", "call [ms]", "computing [ms]", "start [ms]", "wait [ms]"),
        *("hidden [%]", "price of splitting [%]"),
    )
    rows: list[tuple[Cell, ...]] = []
    for (shape, way), n in numbers.items():
        is_base = _WAYS[way][1] == way
        row: tuple[Cell, ...] = (
            shape,
            way,
            mark,
            *(1e3 * n[k] for k in ("call", "computing", "start", "wait")),
        )
        shares: tuple[Cell, Cell] = (None, None)
        if not is_base:
            shares = (100 * hidden(numbers, shape, way), 100 * price(numbers, shape, way))
        rows.append((*row, *shares))
    return Table(title, columns, tuple(rows))


def _run(setting: Setting) -> Findings:
    shapes = SHAPES[-1:] if setting.is_quick else SHAPES
    layers = 4 if setting.is_quick else int(stated("002", "layers"))
    blocks = (*shape_blocks(setting.ranks), 1)
    trials = {
        (shape, way): Trial(
            "split-advection", (*shape_cells(shape), layers), blocks, strategy, link=LINK
        )
        for shape in shapes
        for way, (strategy, _) in _WAYS.items()
    }
    timings = measure(list(trials.values()), setting.ranks, setting)
    here = {key: _here(timing) for key, timing in zip(trials, timings, strict=True)}
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
            "'hidden' compares waits: what is spent on starting an exchange cannot be hidden.",
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

    every, hiding = tuple(_WAYS), ("A", "B", "core-first")
    both = ("A", "B")
    wait = [*series("here", here, (*both, "core-first"), "hidden")]
    wait += [
        *series("paper", reported, both, "hidden"),
        *series("model", predicted, both, "hidden"),
    ]
    cost = [*series("here", here, hiding, "price"), *series("paper", reported, both, "price")]
    return (
        Panel("share of the wait that was hidden", "block", "%", tuple(wait)),
        Panel("price of splitting", "block", "% more computing", tuple(cost)),
        Panel("a call here", "block", "ms", tuple(series("here", here, every, "call"))),
    )


SPLIT_ADVECTION = Experiment(
    "002-split-advection",
    "002, tables 7-2, 7-3, 7-4 and A2, A4, A5",
    "hiding the exchange of the split advection: none, all kernels (A), the last one (B)",
    4.0,
    _run,
)
