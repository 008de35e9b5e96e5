"""Paper 002 once more: the report's runs by the ocean model itself, whose exchanges are derived."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from halocline.bench.settings import Settings
from halocline.io.results import FROM, Row, Table
from halocline.language.steps.tree import Repeat
from halocline.plan.cells.strategy import Strategy
from halocline.plan.value import operations as ops
from halocline.tune.machines import find_machine
from halocline.tune.work import Placement
from halocline_reproduction.configuration import Configuration, StepTimes, measure, plan_of, predict
from halocline_reproduction.experiment import Experiment
from halocline_reproduction.getm import bytes_by_rule
from halocline_reproduction.ocean_box import MICRO_STEPS
from halocline_reproduction.published import printed, stated

_MACHINE, _RANKS_A_NODE, _LINK, _NO_DELAY = "getm-cluster", 4, "gigabit-2011", "L=0,G=0"


def traffic(c: Configuration, rank: int) -> dict[str, dict[str, float]]:
    """Return exchanges, messages and bytes that a rank sends in a 'macro' and a 'micro' step."""
    plan, _ = plan_of(c, rank)
    counted = ("exchanges", "messages", "bytes")
    found = {step: dict.fromkeys(counted, 0.0) for step in ("macro", "micro")}
    # Swaps may take turns: all steps of a round are counted.
    for step in plan.steps:
        for operation, passes, is_inner in _weighted(step):
            if not isinstance(operation, ops.Start):
                continue
            sends = plan.exchanges[operation.exchange].sends
            sent = sum(plan.bytes_of(message.parts) for message in sends)
            share = passes / len(plan.steps) / (MICRO_STEPS if is_inner else 1)
            for name, value in zip(counted, (1, len(sends), sent), strict=True):
                found["micro" if is_inner else "macro"][name] += share * value
    return found


def _weighted(
    operations: Iterable[Any], passes: int = 1, *, is_inner: bool = False
) -> Iterator[tuple[Any, int, bool]]:
    """Yield operations, how often they are done, and whether in a loop."""
    for operation in operations:
        if isinstance(operation, Repeat):
            yield from _weighted(operation.body, passes * operation.count, is_inner=True)
        else:
            yield operation, passes, is_inner


def study_census(experiment: Experiment, _: Settings) -> list[Table]:
    """Return how often a rank exchanges, and what it sends, beside GETM's rule."""
    layers, halo, side = int(stated("002", "layers")), int(stated("002", "halo")), 60
    blocks, rank = (4, 4), 5
    rows: list[Row] = []
    for mode, deep in (("micro step, 2-D", ()), ("macro step, 3-D", (layers,))):
        name = "macro_exchanges" if deep else "micro_exchanges"
        count = stated("002", name)
        printed_row = {"exchanges": count, "messages": 8 * count}
        printed_row["bytes"] = count * bytes_by_rule(side, halo, layers if deep else 1)
        rows.append({FROM: "paper", "mode": mode, "variant": "GETM 2011", **printed_row})
        for said in experiment.variants:
            c = _configuration(said, (side, side), deep, blocks)
            found = traffic(c, rank)["macro" if deep else "micro"]
            rows.append({FROM: "here", "mode": mode, "variant": said["name"], **found})
    title = "a step of a rank with 60x60 cells, eight neighbours, 60 layers in 3-D"
    return [Table(title, rows)]


def _configuration(
    said: Mapping[str, Any],
    shape: tuple[int, ...],
    deep: tuple[int, ...],
    blocks: tuple[int, ...],
    link: str = "",
) -> Configuration:
    """Return a variant on blocks of a shape."""
    step = "ocean-3d" if deep else "ocean-2d"
    strategy = Strategy(**said["strategy"])
    return Configuration(step, (*shape, *deep), (*blocks, *(1 for _ in deep)), strategy, link=link)


def study_runs(experiment: Experiment, settings: Settings) -> list[Table]:
    """Return steps of the report's runs: printed, predicted for its cluster, measured here."""
    layers = 4 if settings.is_quick else int(stated("002", "layers"))
    shapes = tuple(printed("002-A2", "subdomains"))
    rows: list[Row] = []
    for mode, deep in (("2-D", ()), ("3-D", (layers,))):
        rows += _printed_rows(mode, shapes)
        for shape in shapes[-1:] if settings.is_quick else shapes:
            along_x, along_y = map(int, shape.split("x"))
            blocks = (240 // along_x, 240 // along_y)
            for said in experiment.variants:
                c = _configuration(said, (along_x, along_y), deep, blocks)
                times = predict(c, find_machine(_MACHINE), Placement(_RANKS_A_NODE))
                rows.append(
                    _row("model", mode, shape, said["name"], times, times.median("exchange"))
                )
        rows += _measured_rows(experiment, settings, mode, deep)
    return [Table("a step: printed, predicted for the report's cluster, measured here", rows)]


def _printed_rows(mode: str, shapes: Iterable[str]) -> list[Row]:
    """Return the report's times of a step: without hiding, and with it."""
    tables = {"2-D": {"GETM": "A1", "GETM, hidden": "A3"}}
    tables["3-D"] = {"GETM": "A2", "GETM, hidden A": "A4", "GETM, hidden B": "A5"}
    steps = stated("002", "micro_steps_2d" if mode == "2-D" else "macro_steps")
    rows: list[Row] = []
    for variant, table in tables[mode].items():
        total, halo = (printed(f"002-{table}", row) for row in ("TIMERS SUM", "sum halo"))
        for shape in shapes:
            times = StepTimes((total[shape] / steps,))
            rows.append(_row("paper", mode, shape, variant, times, halo[shape] / steps))
    return rows


def _measured_rows(
    experiment: Experiment, settings: Settings, mode: str, deep: tuple[int, ...]
) -> list[Row]:
    """Return what the smallest blocks take here over the emulated link, and over one at once."""
    shape, blocks = (40, 24), (1, settings.ranks)
    variants = {said["name"]: said for said in experiment.variants}
    over = {
        name: [_configuration(said, shape, deep, blocks, link) for link in (_LINK, _NO_DELAY)]
        for name, said in variants.items()
    }
    found = measure([c for pair in over.values() for c in pair], settings)
    rows: list[Row] = []
    for name, (real, undelayed) in over.items():
        exposed = found[real].median() - found[undelayed].median()
        rows.append(_row("here", mode, "40x24", name, found[real], exposed))
    return rows


def _row(source: str, mode: str, shape: str, variant: str, times: StepTimes, exposed: float) -> Row:
    step = times.median()
    return {
        FROM: source,
        "mode": mode,
        "shape": shape,
        "variant": variant,
        "step [ms]": 1e3 * step,
        "exposed [ms]": 1e3 * exposed,
        "exposed [%]": 100.0 * exposed / step,
    }


STUDIES = {"002-census": study_census, "002-runs": study_runs}
