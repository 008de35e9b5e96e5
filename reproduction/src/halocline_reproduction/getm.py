"""Paper 002: latency hiding in GETM, with proxy kernels of the same messages (see 'kernels')."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

from msgspec.structs import replace

from halocline.bench.settings import Settings
from halocline.io.results import FROM, Row, Table
from halocline.plan.cells.strategy import Strategy
from halocline.plan.value import operations as ops
from halocline.tune.machines import find_machine
from halocline.tune.work import Placement
from halocline_reproduction.comparison import Variant, compare
from halocline_reproduction.configuration import (
    Configuration,
    StepTimes,
    measure,
    near_square,
    plan_of,
    predict,
)
from halocline_reproduction.experiment import Experiment
from halocline_reproduction.published import printed, published, stated

LINK = "gigabit-2011"
# A link that brings every message at once: beside it, the real one shows what is left to wait for.
_NO_DELAY = "L=0,G=0"
_MACHINE, _RANKS_A_NODE = "getm-cluster", 4
# Cells of the report's domain along each axis, and the shapes of its subdomains.
_DOMAIN = 240
SHAPES = tuple(printed("002-A2", "subdomains"))
_QUICK_LAYERS = 4
# The ranks of the census; one in the middle has eight neighbours.
_BLOCKS, _RANK, _SIDE, _NEIGHBOURS = (4, 4), 5, 60, 8
_COUNTED = ("exchanges", "messages", "bytes")
# A step of the proxy kernel is a call along x and one along y; the report's timers are of calls.
_CALLS = 2
# The report's tables of the split advection, and its timers.
_TABLES = {"none": "002-A2", "A": "002-A4", "B": "002-A5"}
# Of a call as a whole, and of some of its operations.
_KINDS: dict[str, tuple[str, ...]] = {"call": (), "start": ("start", "poll"), "wait": ("wait",)}
_TIMERS = {
    "call": ("test-00",),
    "computing": ("test-05", "test-06"),
    "start": ("test-01",),
    "wait": ("test-02",),
    "exposed": ("test-02",),
}


def _cells(shape: str) -> tuple[int, int]:
    """Return '60x40' as numbers."""
    along_x, along_y = shape.split("x")
    return int(along_x), int(along_y)


def _shapes(settings: Settings) -> tuple[str, ...]:
    return SHAPES[-1:] if settings.is_quick else SHAPES


def _layers(settings: Settings) -> int:
    return _QUICK_LAYERS if settings.is_quick else int(stated("002", "layers"))


def _configuration(
    said: Mapping[str, Any], shape: str, layers: tuple[int, ...], blocks: tuple[int, ...], link: str
) -> Configuration:
    """Return a variant as the file of experiments says it: 'step', 'strategy', 'columns_first'."""
    step, strategy = said["step"], Strategy(**said["strategy"])
    if said.get("columns_first"):
        # Cut across the last axis first, as a decomposition without being told does: its sides are
        # whole pieces of memory.
        block, cut = (*layers, *_cells(shape)), (1, *reversed(blocks))
    else:
        block, cut = (*_cells(shape), *layers), (*blocks, *(1 for _ in layers))
    return Configuration(step, block, cut, strategy, link=link)


def _there(said: Mapping[str, Any], shape: str, layers: tuple[int, ...]) -> Configuration:
    """Return the same for the report's subdomains."""
    along_x, along_y = _cells(shape)
    return _configuration(said, shape, layers, (_DOMAIN // along_x, _DOMAIN // along_y), "")


def study_modes(experiment: Experiment, settings: Settings) -> list[Table]:
    """Return the exchanges of a micro or macro step beside the report's time of them a step."""
    base, is_deep = experiment.variants[0]["name"], experiment.name == "002-3d"
    layers = (_layers(settings),) if is_deep else ()
    blocks, machine = near_square(settings.ranks), find_machine(_MACHINE)
    variants = []
    for shape, said in product(_shapes(settings), experiment.variants):
        here = _configuration(said, shape, layers, blocks, LINK)
        there = _there(said, shape, layers)
        variants.append(Variant(shape, said["name"], base, here, there, Placement(_RANKS_A_NODE)))
    exchange = {(shape, base): 1e6 * s for shape, s in _reported_halo(is_deep=is_deep).items()}
    return [compare(variants, machine, settings, {"printed exchange [us]": exchange})]


def _reported_halo(*, is_deep: bool) -> dict[str, float]:
    """Return the report's time of exchanges in a step of one of the modes."""
    total = printed("002-A2" if is_deep else "002-A1", "sum halo")
    # The exchanges of the ten micro steps of a macro step belong to the 2-D mode.
    flat = [printed("002-A2", f"{name}-halo") for name in ("momentum", "sealevel") if is_deep]
    steps = stated("002", "macro_steps" if is_deep else "micro_steps_2d")
    return {shape: (s - sum(f[shape] for f in flat)) / steps for shape, s in total.items()}


def bytes_by_rule(side: int, halo: int, layers: int) -> int:
    """Return what GETM sends in an exchange of a square block: all sides and corners, always."""
    return (4 * halo * side + 4 * halo**2) * layers * 8


def study_exchanges(experiment: Experiment, _: Settings) -> list[Table]:
    """Return how often a macro step exchanges, and what is sent (table 7-1)."""
    layers, halo = (int(stated("002", name)) for name in ("layers", "halo"))
    counts = [(row["exchange"], int(row["count"])) for row in published("002-7-1")]
    modes = {
        "2-D": (int(stated("002", "micro_exchanges")), "micro-step", ()),
        "3-D": (dict(counts)["total"], "macro-step", (layers,)),
    }
    rows: list[Row] = []
    for mode, (exchanges, step, deep) in modes.items():
        sent = bytes_by_rule(_SIDE, halo, layers if deep else 1)
        found = {"GETM": (exchanges, exchanges * _NEIGHBOURS, exchanges * sent)}
        for said in experiment.variants:
            c = _configuration({"step": step, **said}, f"{_SIDE}x{_SIDE}", deep, _BLOCKS, "")
            found[said["name"]] = _count(c)
        for name, numbers in found.items():
            source = {FROM: "paper" if name == "GETM" else "here", "mode": mode, "variant": name}
            rows.append(source | dict(zip(_COUNTED, numbers, strict=True)))
    title = "a step of a rank with 60x60 cells, eight neighbours, 60 layers in 3-D"
    report = [{"exchange": name, "count": count} for name, count in counts]
    return [Table("exchanges of a macro step in the report", report), Table(title, rows)]


def _count(c: Configuration) -> tuple[int, int, int]:
    """Return exchanges, messages sent and bytes sent in a step."""
    plan, _ = plan_of(c, _RANK)
    started = [op.exchange for op in ops.walk(plan.steps[0]) if isinstance(op, ops.Start)]
    messages = [message for number in started for message in plan.exchanges[number].sends]
    return len(started), len(messages), sum(plan.bytes_of(m.parts) for m in messages)


# By shape and variant: times of a call [s].
Numbers = dict[tuple[str, str], dict[str, float]]


def study_split_advection(experiment: Experiment, settings: Settings) -> list[Table]:
    """Return the split advection with and without hiding: here, the report's, and predicted."""
    shapes, layers = _shapes(settings), (_layers(settings),)
    said = {variant["name"]: variant for variant in experiment.variants}
    blocks = near_square(settings.ranks)
    here = {
        (shape, name): _configuration(variant, shape, layers, blocks, LINK)
        for shape in shapes
        for name, variant in said.items()
    }
    every = [c for one in here.values() for c in (one, replace(one, link=_NO_DELAY))]
    found = measure(every, settings)
    bases = {name: variant["base"] for name, variant in said.items()}
    sources: dict[str, Numbers] = {
        "here": {
            key: _measured(found[c], found[replace(c, link=_NO_DELAY)]) for key, c in here.items()
        },
        "paper": _reported(),
        "model": {
            (shape, name): _predicted(_there(said[name], shape, layers))
            for shape in shapes
            for name in _TABLES
        },
    }
    rows = [
        {FROM: source, **_row(numbers, shape, name, bases[name])}
        for source, numbers in sources.items()
        for shape, name in numbers
    ]
    return [Table("a call here, the report's (tables 7-2 to 7-4), and predicted", rows)]


def _measured(times: StepTimes, undelayed: StepTimes) -> dict[str, float]:
    """Return the times of a call; those of computing are the least, for they hardly differ."""
    run, core = (
        min(t.least("run", label=label) for t in (times, undelayed)) for label in ("", "core")
    )
    found = {what: times.median(*kinds) for what, kinds in _KINDS.items()}
    found |= {"computing": run, "core": core, "exposed": times.least() - undelayed.least()}
    return {what: seconds / _CALLS for what, seconds in found.items()}


def _reported() -> Numbers:
    calls = stated("002", "u_split_calls")
    return {
        (shape, name): {
            what: sum(printed(table, timer)[shape] for timer in timers) / calls
            for what, timers in _TIMERS.items()
        }
        for name, table in _TABLES.items()
        for shape in SHAPES
    }


def _predicted(c: Configuration) -> dict[str, float]:
    """Return what the model says of the report's cluster."""
    step = predict(c, find_machine(_MACHINE), Placement(_RANKS_A_NODE))
    kinds = {**_KINDS, "computing": ("run",), "exposed": ("wait",)}
    return {what: step.least(*of) / _CALLS for what, of in kinds.items()}


def _row(numbers: Numbers, shape: str, name: str, base: str) -> Row:
    """Return a row: with the share of the exchange that was hidden, and the price of splitting."""
    n, waiting = numbers[shape, name], numbers[shape, base]
    is_base, core = name == base, n.get("core", 0.0)
    names = ("call", "computing", "core", "start", "wait", "exposed")
    hidden = waiting["exposed"] - n["exposed"]
    # No more can be hidden than the core takes.
    possible = min(waiting["exposed"], core)
    return {
        "shape": shape,
        "variant": name,
        **{f"{what} [ms]": 1e3 * n[what] if what in n else None for what in names},
        "hidden [%]": None if is_base else 100 * hidden / waiting["exposed"],
        "of possible [%]": 100 * hidden / possible if core else None,
        "price [%]": None if is_base else 100 * (n["computing"] / waiting["computing"] - 1),
    }


STUDIES = {
    "002-2d": study_modes,
    "002-3d": study_modes,
    "002-exchanges": study_exchanges,
    "002-split-advection": study_split_advection,
}
