"""Choice: every strategy worth a thought, predicted and measured, and which one 'auto' takes."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.apps.cases import make_case
from halocline.bench.checksum import checksum
from halocline.bench.job import measure_on_ranks
from halocline.bench.ring_shift import several_ranks
from halocline.bench.stepping import step_time
from halocline.bench.table import TIMES, Benchmark, Chart, Column
from halocline.bench.times import Measured, Times
from halocline.errors import HaloclineError, PlanError
from halocline.plan.strategy import Strategy
from halocline.tune.choose import candidates
from halocline.tune.learn import Done, kernel_rates
from halocline.tune.machine_file import machine_path
from halocline.tune.model import predict_step
from halocline.tune.selection import knowledge_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from halocline.bench.settings import Settings
    from halocline.runtime.job import Job
    from halocline.tune.choose import Model

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
_CACHE = "HALOCLINE_CACHE"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceRow(Measured):
    """A strategy in a case.

    Attributes:
        case: What is computed.
        link: The emulated link between the ranks; empty for ranks of one node.
        ranks: Number of ranks.
        strategy: 'default', or what differs from it.
        predicted_s: What the model says of a step, with kernels as fast as the default strategy's
            run beside it says [s].
        against_best: Least time over that of the fastest strategy of the case.
        is_chosen: Whether 'auto' took it.
        auto_s: What the choice cost: planning, and what its trial lost [s].
    """

    case: str
    link: str
    ranks: int
    strategy: str
    predicted_s: float
    against_best: float
    is_chosen: bool
    auto_s: float

    @property
    def deviation(self) -> float:
        """Predicted by measured time, minus one."""
        return self.predicted_s / self.times.median_s - 1


class _Running:
    """A simulation with one of the strategies."""

    def __init__(self, job: Job, settings: Settings, strategy: Strategy | str) -> None:
        self.job = job
        name, parameters = CASES[settings.case]
        if settings.sizes:
            parameters = {**parameters, "cells": settings.sizes[0]}
        problem = make_case(name, parameters).problem()
        self.strategy = strategy
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
        self.prepared_s = time.perf_counter() - started
        self.samples: list[float] = []
        self.steps = 0

    def begin(self, budget_s: float) -> int:
        """Do the first steps; return a checksum of all fields after them."""
        self.simulation.run(_FIRST_STEPS, progress=False)
        crc = checksum(self.simulation)
        rounds = max(1, int(budget_s / (_FIRST_STEPS * self.time(_FIRST_STEPS))))
        self.steps = _FIRST_STEPS * int(self.job.greatest([float(rounds)])[0])
        self.simulation.timers(reset=True)
        return crc

    def time(self, steps: int) -> float:
        """Return the time of a step, on all ranks the same [s]."""
        return self.job.greatest([step_time(self.simulation, steps)])[0]


def measure(job: Job, settings: Settings) -> list[ChoiceRow]:
    """Measure all strategies of a case in turns, and let 'auto' choose.

    Raises:
        HaloclineError: Two strategies gave different bits, or the machine was never probed.
    """
    model = _model(job)
    near = settings.ranks_per_node is None
    wanted = candidates(Strategy(), has_same_node=near, has_other_node=not near)
    running = [one for one in (_start(job, settings, s) for s in wanted) if one]
    checksums = {one.begin(_LONGER * settings.budget_s) for one in running}
    if len(checksums) > 1:
        raise HaloclineError(f"'{settings.case}': strategies gave different bits.")
    auto = _Running(job, settings, "auto")
    for _ in range(_MOST_TURNS):
        auto.simulation.run(_FIRST_STEPS, progress=False)
        if auto.simulation.selection.trial is None:
            break
    for _ in range(settings.repetitions):
        for one in running:
            one.samples.append(one.time(one.steps))
    return _rows(job, settings, running, auto, _taught(job, running[0], settings, model))


@contextmanager
def _nothing_chosen() -> Iterator[None]:
    """Let a job that is started meanwhile have a cache in which nothing was chosen before."""
    before = os.environ.get(_CACHE)
    with tempfile.TemporaryDirectory(prefix="halocline-choice-") as folder:
        if machine_path().exists():
            shutil.copy(machine_path(), folder)
        os.environ[_CACHE] = folder
        try:
            yield
        finally:
            os.environ.pop(_CACHE)
            if before is not None:
                os.environ[_CACHE] = before


def _model(job: Job) -> Model:
    knowledge = knowledge_of(job, 1)
    if knowledge.model is None or not knowledge.model.machine.identity:
        raise HaloclineError(
            "The times of this machine are not known, so nothing can be predicted.",
            hint="Run 'halocline probe' first.",
        )
    return knowledge.model


def _start(job: Job, settings: Settings, strategy: Strategy) -> _Running | None:
    """Return a simulation, or None where the case cannot be planned so."""
    try:
        return _Running(job, settings, strategy)
    except PlanError:
        return None


def _taught(job: Job, default: _Running, settings: Settings, model: Model) -> Model:
    """Return the model with kernels as fast as in the repetitions of the default strategy."""
    simulation = default.simulation
    done = [Done(simulation.plan, default.steps * settings.repetitions)]
    rates = job.from_first(lambda: kernel_rates(done, simulation.timers(), model)) or ()
    return replace(model, machine=model.machine.with_kernels(rates))


def _rows(
    job: Job, settings: Settings, running: list[_Running], auto: _Running, model: Model
) -> list[ChoiceRow]:
    times = [Times.of(one.samples, one.steps) for one in running]
    predicted = job.greatest(
        [
            predict_step(one.simulation.plan, model.machine, model.placement).seconds
            for one in running
        ]
    )
    best = min(t.min_s for t in times)
    selection = auto.simulation.selection
    # The first simulation has compiled the kernels.
    cost = auto.prepared_s - min(one.prepared_s for one in running[1:])
    cost += max(0.0, selection.tried_s - selection.tried_steps * best)
    return [
        ChoiceRow(
            times=t,
            moved_bytes=0,
            case=settings.case,
            link=settings.link or "",
            ranks=job.size,
            strategy=str(one.strategy),
            predicted_s=seconds,
            against_best=t.min_s / best,
            is_chosen=one.strategy == auto.simulation.plan.strategy,
            auto_s=cost,
        )
        for one, t, seconds in zip(running, times, predicted, strict=True)
    ]


def run(settings: Settings) -> list[ChoiceRow]:
    """Measure all cases on one node and over emulated links."""
    rows = []
    links = (settings.link,) if settings.link else _LINKS
    for case in CASES:
        for link in links:
            several = replace(several_ranks(settings, "choice"), case=case)
            apart = replace(several, ranks_per_node=1, link=link) if link else several
            with _nothing_chosen():
                rows += measure_on_ranks(measure, apart)
    return rows


BENCHMARK = Benchmark(
    "choice",
    "Strategies predicted and measured in turns; * marks what 'auto' took, and what that cost.",
    run,
    (
        Column("case", lambda row: row.case),
        Column("link", lambda row: row.link or "one node"),
        Column("ranks", lambda row: str(row.ranks)),
        Column("strategy", lambda row: row.strategy),
        *TIMES,
        Column("predicted us", lambda row: f"{row.predicted_s * 1e6:.4g}"),
        Column("deviation", lambda row: f"{row.deviation:+.0%}"),
        Column("/ best", lambda row: f"{row.against_best:.3f}"),
        Column("auto", lambda row: f"* {row.auto_s:.2f} s" if row.is_chosen else ""),
    ),
    Chart(
        x=lambda row: f"{row.case} {row.link}",
        y=lambda row: row.predicted_s / row.times.median_s,
        series=lambda row: row.strategy,
        x_label="case",
        y_label="predicted by measured time of a step",
    ),
)
