"""Paper 002: latency hiding in GETM, with stand-ins of the same messages (see 'kernels')."""

from __future__ import annotations

from halocline.papers.experiment import Experiment, Findings, Panel, Series, Setting, Table
from halocline.papers.getm_advection import SPLIT_ADVECTION
from halocline.papers.getm_census import EXCHANGES
from halocline.papers.getm_shapes import LINK, SHAPES, getm_blocks, shape_blocks, shape_cells
from halocline.papers.measuring import measure
from halocline.papers.predict import predict
from halocline.papers.published import published, stated
from halocline.papers.trial import Timing, Trial
from halocline.plan.strategy import Strategy
from halocline.tune.machines import find_machine
from halocline.tune.work import Placement

# GETM waits for each exchange at once and always sends its whole halo to all neighbours.
AS_GETM = Strategy(width="full", overlap="none", transport="two-sided")
_WAYS = {
    "as GETM": AS_GETM,
    "minimal": Strategy(overlap="none", transport="two-sided"),
    "minimal, overlapped": Strategy(transport="two-sided"),
}
_RANKS_A_NODE = 4

_REMARKS = (
    "The computing: the stand-ins do less in a cell than GETM's routines, on another processor "
    "with another compiler. What is comparable is the exchange.",
    "Traffic: with two ranks only the sides across x are messages and both go to the same rank; "
    "the report's ranks have eight neighbours, of which up to five are on other nodes.",
    "The link: emulated, 0.13 ms and 1 Gbit/s between any two ranks; the report's four ranks of a "
    "node share one link and reach each other without it.",
    "The model's cluster takes the cost of starting an exchange from table 5-1; the rest follows "
    "from ping and bandwidth.",
    "The prediction places consecutive ranks on a node in a row, the report in squares of 2 x 2.",
)


def _exchange_s(timing: Timing) -> float:
    return timing.part("start") + timing.part("wait") + timing.part("poll")


def _run(
    setting: Setting, name: str, layers: tuple[int, ...], halo_s: dict[str, float]
) -> Findings:
    """Measure a stand-in for all shapes and ways beside the published time of exchanges a step."""
    shapes = SHAPES[-1:] if setting.is_quick else SHAPES
    blocks = shape_blocks(setting.ranks) + (1,) * len(layers)
    trials = {
        (shape, way): Trial(name, (*shape_cells(shape), *layers), blocks, strategy, link=LINK)
        for shape in shapes
        for way, strategy in _WAYS.items()
    }
    timings = dict(zip(trials, measure(list(trials.values()), setting.ranks, setting), strict=True))
    machine = find_machine("getm-cluster")
    predicted = {}
    for shape in shapes:
        cut = getm_blocks(shape) + (1,) * len(layers)
        trial = Trial(name, (*shape_cells(shape), *layers), cut, AS_GETM)
        step = predict(trial, machine, Placement(_RANKS_A_NODE))
        predicted[shape] = step.pack + step.overhead + step.wait
    rows = [
        (
            shape,
            way,
            setting.mark(setting.ranks),
            timing.median_s * 1e3,
            timing.part("run") * 1e3,
            _exchange_s(timing) * 1e3,
            timing.part("wait") * 1e3,
            halo_s[shape] * 1e3 if way == "as GETM" else None,
            predicted[shape] * 1e3 if way == "as GETM" else None,
        )
        for (shape, way), timing in timings.items()
    ]
    columns = (
        "shape",
        "way",
        "",
        "step here [ms]",
        "computing [ms]",
        "exchanges [ms]",
        "wait [ms]",
        "exchanges in the report [ms]",
        "predicted for its cluster [ms]",
    )
    series = [
        Series(
            f"here: {way}",
            shapes,
            tuple(_exchange_s(timings[shape, way]) * 1e3 for shape in shapes),
            "here",
        )
        for way in _WAYS
    ]
    series += [
        Series("the report", shapes, tuple(halo_s[shape] * 1e3 for shape in shapes), "paper"),
        Series("predicted, as GETM", shapes, tuple(predicted[s] * 1e3 for s in shapes), "model"),
    ]
    steps = [
        Series(
            f"here: {way}", shapes, tuple(timings[s, way].median_s * 1e3 for s in shapes), "here"
        )
        for way in _WAYS
    ]
    return Findings(
        (Table(f"{name}, link '{LINK}', a step", columns, tuple(rows)),),
        (
            Panel("time of the exchanges in a step", "block of a rank", "ms", tuple(series)),
            Panel("time of a step here", "block of a rank", "ms", tuple(steps)),
        ),
        _REMARKS,
    )


def _run_2d(setting: Setting) -> Findings:
    halo = published("002-A1").row("sum halo")
    steps = stated("002", "micro_steps_2d")
    return _run(setting, "micro-step", (), {shape: s / steps for shape, s in halo.items()})


def _run_3d(setting: Setting) -> Findings:
    table = published("002-A2")
    steps = stated("002", "macro_steps")
    total, *flat = (table.row(name) for name in ("sum halo", "momentum-halo", "sealevel-halo"))
    # The exchanges of the ten micro steps belong to the 2-D mode.
    halo = {shape: (total[shape] - sum(f[shape] for f in flat)) / steps for shape in total}
    layers = 4 if setting.is_quick else int(stated("002", "layers"))
    return _run(setting, "macro-step", (layers,), halo)


EXPERIMENTS = (
    Experiment(
        "002-2d",
        "002, table 5-1 and A1",
        "the three exchanges of a micro step: as GETM, only what is read, overlapped",
        1.5,
        _run_2d,
    ),
    Experiment(
        "002-3d",
        "002, table 5-2 and A2",
        "the exchanges of a macro step with 60 layers",
        4.0,
        _run_3d,
    ),
    EXCHANGES,
    SPLIT_ADVECTION,
)
