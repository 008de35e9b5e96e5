"""Choice: every strategy worth a thought, predicted and measured, and which one 'auto' takes."""

from __future__ import annotations

import shutil
import tempfile
import time
from contextlib import suppress
from itertools import chain, product
from typing import Any

from msgspec.structs import replace

import halocline as hc
from halocline.apps.cases import make_case
from halocline.bench.benchmark import Benchmark, check_ranks
from halocline.bench.job import measure_on_ranks
from halocline.bench.settings import Settings
from halocline.bench.stepping import TimedSteps, take_turns
from halocline.errors import HaloclineError, PlanError
from halocline.io.results import Chart, Row
from halocline.plan.cells.strategy import Strategy
from halocline.runtime.job import Job
from halocline.tune.calibration import CompletedSteps, kernel_rates
from halocline.tune.candidates import candidates
from halocline.tune.machine_file import machine_path
from halocline.tune.model import Model, predict_step
from halocline.tune.predictor import predictor_of

CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "heat 64³": ("heat", {"cells": 64, "sides": "periodic"}),
    "heat 1024²": ("heat", {"cells": 1024, "dimensions": 2}),
    "cavity 32³": ("lid-cavity", {"cells": 32, "reynolds": 100.0}),
    "cavity 64³": ("lid-cavity", {"cells": 64, "reynolds": 100.0}),
}
_LINKS = ("", "qdr-infiniband", "gigabit-2011")
# Each repetition lasts so many times the budget of a benchmark of messages.
_LONGER = 20
# After so many steps, whole rounds of every depth, results are compared.
_FIRST_STEPS = 12
# No trial of 'auto' takes more turns.
_MOST_TURNS = 1000


class _Prepared:
    """A simulation of a case with one of the strategies, and how long its planning took [s]."""

    def __init__(self, settings: Settings, strategy: Strategy | str) -> None:
        name, parameters = CASES[settings.case]
        if settings.sizes:
            parameters = {**parameters, "cells": settings.sizes[0]}
        problem = make_case(name, parameters).problem()
        self.simulation = hc.Simulation(
            problem.grid,
            problem.steps,
            strategy=strategy,
            threads=1,
            check_every=0,
            ranks_per_node=settings.ranks_per_node,
            link=settings.link,
        )
        started = time.perf_counter()
        self.simulation.run(0, progress=False)
        self.seconds = time.perf_counter() - started


def measure(job: Job, settings: Settings) -> list[Row]:
    """Measure all strategies of a case in turns, and let 'auto' choose.

    Raises:
        HaloclineError: Two strategies gave different bits, or the machine was never probed.
    """
    model = _model(job)
    near = settings.ranks_per_node is None
    strategies = candidates(Strategy(), has_same_node=near, has_other_node=not near)
    prepared: dict[Strategy, _Prepared] = {}
    for strategy in strategies:
        # There is none where the case cannot be planned so.
        with suppress(PlanError):
            prepared[strategy] = _Prepared(settings, strategy)
    budget_s = _LONGER * settings.budget_s
    timed = {s: TimedSteps(p.simulation, budget_s, _FIRST_STEPS) for s, p in prepared.items()}
    if len({strategy_run.checksum for strategy_run in timed.values()}) > 1:
        raise HaloclineError(f"'{settings.case}': strategies gave different bits.")
    auto = _Prepared(settings, "auto")
    for _ in range(_MOST_TURNS):
        auto.simulation.run(_FIRST_STEPS, progress=False)
        if auto.simulation.selection.autotuner is None:
            break
    take_turns(list(timed.values()), settings.repetitions)
    # The first simulation has compiled the kernels.
    planning_s = auto.seconds - min(
        strategy_run.seconds for strategy_run in list(prepared.values())[1:]
    )
    return _rows(job, settings, timed, (auto.simulation, planning_s), model)


def _model(job: Job) -> Model:
    predictor = predictor_of(job, 1)
    if predictor.model is None or not predictor.model.machine.identity:
        raise HaloclineError(
            "The times of this machine are not known, so nothing can be predicted.",
            hint="Run 'halocline probe' first.",
        )
    return predictor.model


def _taught(job: Job, default: TimedSteps, model: Model) -> Model:
    """Return the model with kernels as fast as in the repetitions of the default strategy."""
    ran = [CompletedSteps(default.simulation.plan, default.steps * len(default.seconds))]
    timers = list(chain.from_iterable(default.timers))
    rates = job.from_first(lambda: kernel_rates(ran, timers, model)) or ()
    return replace(model, machine=model.machine.with_kernels(rates))


def _rows(
    job: Job,
    settings: Settings,
    timed: dict[Strategy, TimedSteps],
    auto: tuple[hc.Simulation, float],
    model: Model,
) -> list[Row]:
    """Return a row a strategy; with what the choice of 'auto' cost: planning, and a slow trial."""
    taught = _taught(job, next(iter(timed.values())), model)
    plans = [strategy_run.simulation.plan for strategy_run in timed.values()]
    predicted = job.greatest(
        [predict_step(plan, taught.machine, taught.placement).seconds for plan in plans]
    )
    best = min(strategy_run.times.min_s for strategy_run in timed.values())
    simulation, planning_s = auto
    selection = simulation.selection
    cost_s = planning_s + max(0.0, selection.tried_s - selection.tried_steps * best)
    return [
        {
            "case": settings.case,
            "link": settings.link or "one node",
            "ranks": job.size,
            "strategy": str(strategy),
            **strategy_run.times.columns(),
            "predicted [us]": 1e6 * seconds,
            "predicted / measured": seconds / strategy_run.times.median_s,
            "/ best": strategy_run.times.min_s / best,
            "cost of auto [s]": cost_s if strategy == simulation.plan.strategy else None,
        }
        for (strategy, strategy_run), seconds in zip(timed.items(), predicted, strict=True)
    ]


def run(settings: Settings) -> list[Row]:
    """Measure all cases on one node and over emulated links."""
    check_ranks("choice", settings)
    rows: list[Row] = []
    for case, link in product(CASES, (settings.link,) if settings.link else _LINKS):
        several = replace(settings, case=case)
        apart = replace(several, ranks_per_node=1, link=link) if link else several
        # A cache in which nothing was chosen before.
        with tempfile.TemporaryDirectory(prefix="halocline-choice-") as folder:
            if machine_path().exists():
                shutil.copy(machine_path(), folder)
            rows += measure_on_ranks(measure, apart, {"HALOCLINE_CACHE": folder})
    return rows


BENCHMARK = Benchmark(
    "choice",
    "Strategies predicted and measured in turns; what 'auto' took has a cost.",
    run,
    Chart(("case", "link"), "predicted / measured", ("strategy",)),
)
