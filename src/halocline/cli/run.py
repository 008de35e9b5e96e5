"""Run a case and leave a directory with all that came out."""

from __future__ import annotations

import platform
import shlex
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from halocline.apps.case import Case, Problem, Result
from halocline.apps.cases import RUN_KEYS, case_file, parameters_of
from halocline.cli.outputs import OUTPUT_NAMES, OutputChoices, go_on, make_recorder, movie_tasks
from halocline.errors import CaseError, OutputError
from halocline.io.log import RunLog
from halocline.io.output import check_unused, create_directory, write_all, write_text
from halocline.io.variable import Variable
from halocline.plan.strategy import Strategy
from halocline.runtime.device import CPU, parse_device
from halocline.runtime.link import to_link
from halocline.simulation import Simulation

# The choices that make a strategy.
STRATEGY_NAMES = ("overlap", "neighbours", "transport", "messages", "wait", "depth", "tiles")


@dataclass(frozen=True, slots=True)
class RunChoices:
    """How a case is run, apart from what it computes.

    Attributes:
        ranks: None for as many as were launched.
        threads: A rank; None for all cores.
        decomposition: A name, or blocks along each axis as '2x2x1'; None for the cheapest.
        overlap: See 'Strategy', as the next five; if none is given, the strategy is chosen
            automatically, otherwise those not given have their defaults.
        neighbours: See 'Strategy'.
        transport: See 'Strategy'.
        messages: See 'Strategy'.
        wait: See 'Strategy'.
        depth: See 'Strategy'.
        tiles: See 'Strategy'.
        device: Where kernels run, see 'Simulation'; None for the processor.
        ranks_per_node: Ranks said to be on one node; None for the real nodes.
        link: An emulated link between nodes; None for none.
        output: Directory of the results; None for that of 'restart', or a new one in 'output/'.
        restart: Directory of a run that is to go on from its checkpoint; None to begin at step 0.
        every: See 'OutputChoices', as the next four.
        vtk: See 'OutputChoices'.
        probe: See 'OutputChoices'.
        movie: See 'OutputChoices'.
        checkpoint: See 'OutputChoices'.
    """

    ranks: int | None = None
    threads: int | None = None
    decomposition: str | None = None
    overlap: str | None = None
    neighbours: str | None = None
    transport: str | None = None
    messages: str | None = None
    wait: str | None = None
    depth: int | None = None
    tiles: int | None = None
    device: str | None = None
    ranks_per_node: int | None = None
    link: str | None = None
    output: str | None = None
    restart: str | None = None
    every: int | None = None
    vtk: bool | None = None
    probe: list[str] | None = None
    movie: str | None = None
    checkpoint: int | None = None

    @property
    def strategy(self) -> Strategy:
        """The strategy with what was chosen."""
        return Strategy(**self._chosen())

    @property
    def strategy_or_auto(self) -> Strategy | str:
        """The same, or 'auto' if nothing was chosen."""
        return self.strategy if self._chosen() else "auto"

    def check(self) -> None:
        """Refuse a wrong word or number before any rank is started."""
        for name in ("ranks", "threads", "ranks_per_node"):
            number = getattr(self, name)
            if number is not None and number < 1:
                raise CaseError(f"'{name}' was given {number}; expected at least 1.")
        self.strategy  # noqa: B018
        self.outputs.check()
        to_link(self.link)
        parse_device(CPU if self.device is None else self.device)

    def _chosen(self) -> dict[str, Any]:
        found = {name: getattr(self, name) for name in STRATEGY_NAMES}
        return {name: value for name, value in found.items() if value is not None}

    @property
    def shape(self) -> str | tuple[int, ...] | None:
        """The decomposition as a name or as blocks along each axis."""
        text = self.decomposition
        parts = text.split("x") if text else []
        return tuple(map(int, parts)) if all(map(str.isdigit, parts)) and parts else text

    def table(self) -> dict[str, Any]:
        """Return the choices for a case file: all but where this run writes and comes from."""
        return {name: getattr(self, name) for name in RUN_KEYS if name != "output"}

    @property
    def outputs(self) -> OutputChoices:
        """What is written on the way."""
        return OutputChoices(**{name: getattr(self, name) for name in OUTPUT_NAMES})

    @property
    def goes_on(self) -> bool:
        """Whether the directory of the results is the one of the run that goes on."""
        if self.restart is None:
            return False
        return self.output is None or Path(self.output).resolve() == Path(self.restart).resolve()


def run_case(case: Case, choices: RunChoices) -> Path | None:
    """Run a case on the ranks of this job and write what came out.

    Returns:
        The directory, on rank 0.

    Raises:
        HaloclineError: It cannot be run or its results cannot be written.
    """
    problem = case.problem()
    simulation = Simulation(
        problem.grid,
        problem.steps,
        dt=problem.dt,
        strategy=choices.strategy_or_auto,
        decomposition=choices.shape,
        threads=choices.threads,
        device=choices.device or CPU,
        ranks_per_node=choices.ranks_per_node,
        link=choices.link,
    )
    # Only now: ranks that have joined tell a mistake once.
    choices.outputs.check_problem(case, problem)
    if choices.restart is not None:
        go_on(case, simulation, choices.restart)
    directory = simulation.on_first(partial(_prepare, case, problem, choices, simulation.size))
    log = simulation.on_first(partial(_open_log, directory, goes_on=choices.goes_on))
    with log or RunLog(None) as journal:
        journal.note(f"{case.describe()}\n{_setting(simulation)}")
        if choices.restart is not None:
            journal.note(f"goes on from '{choices.restart}', step {simulation.step}")
        _run_and_write(case, problem, simulation, choices, directory, journal)
    return directory


def _prepare(case: Case, problem: Problem, choices: RunChoices, ranks: int) -> Path:
    """Make the directory and write the case into it, before anything is computed."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    directory = Path(choices.output or choices.restart or f"output/{case.name}-{stamp}")
    if not choices.goes_on:
        check_unused(directory)
    # Pictures, log and report are below a megabyte; a new checkpoint is written beside the old one.
    checkpoints = 2 * _bytes_held(problem) if choices.outputs.checkpoint else 0
    create_directory(directory, case.bytes_stored() + checkpoints + 1_000_000)
    table = {**choices.table(), "ranks": ranks}
    write_text(directory / "case.toml", case_file(case, table))
    return directory


def _bytes_held(problem: Problem) -> int:
    """Return how much a checkpoint takes at most [bytes]."""
    fields = problem.grid.fields.values()
    values = sum(f.components * np.dtype(f.dtype).itemsize for f in fields)
    return int(values * problem.grid.domain.cells)


def _open_log(directory: Path | None, *, goes_on: bool) -> RunLog:
    return RunLog(directory / "run.log" if directory else None, goes_on=goes_on)


def _run_and_write(
    case: Case,
    problem: Problem,
    simulation: Simulation,
    choices: RunChoices,
    directory: Path | None,
    journal: RunLog,
) -> None:
    outputs = choices.outputs
    place = directory or Path()
    recorder = make_recorder(
        case, problem, simulation, outputs, place, say=journal.note, goes_on=choices.goes_on
    )
    result = case.run(recorder, problem, journal.progress)
    variables = result.variables()
    text = _results(case, simulation, result, variables, str(simulation.report()))
    journal.note(result.summary())
    if recorder.outputs:
        journal.note(f"{recorder.seconds:.2f} s of this were spent on output on the way")
    if directory is not None:
        journal.note(result.findings(variables))
    simulation.on_first(
        lambda: write_all(
            _tasks(place, case, problem, result, variables, text)
            | recorder.tasks()
            | movie_tasks(outputs, place)
        )
    )
    if directory is not None:
        journal.note(f"results in {directory}")


def _setting(simulation: Simulation) -> str:
    ranks = f"{simulation.size} rank(s) with {simulation.threads} thread(s) each"
    return ", ".join(filter(None, (ranks, simulation.device.where)))


def _results(
    case: Case,
    simulation: Simulation,
    result: Result,
    variables: Sequence[Variable],
    report: str,
) -> str:
    """Return the text of the report: what, how, what came out, where the time went (rank 0)."""
    if simulation.rank > 0:
        return ""
    command = shlex.join(["halocline", *sys.argv[1:]])
    parts = [
        f"{case.describe()}\n{_setting(simulation)} on {platform.node()}\n{command}",
        f"{result.summary()}\n{result.findings(variables)}",
        report,
        f"plan of rank 0\n{simulation.plan}",
    ]
    return "\n\n".join(parts)


def _tasks(
    directory: Path,
    case: Case,
    problem: Problem,
    result: Result,
    variables: Sequence[Variable],
    report: str,
) -> dict[str, Callable[[], None]]:
    """Return by its name what writes each file (rank 0)."""
    tasks: dict[str, Callable[[], None]] = {
        "report.txt": partial(_write_report, directory / "report.txt", report),
        "fields.zarr": partial(_write_fields, directory, case, problem, variables),
    }
    for name, draw in result.pictures(variables).items():
        tasks[name] = partial(draw, directory / name)
    return tasks


def _write_report(path: Path, report: str) -> None:
    """Write the report, or print it where it cannot be written: the numbers must not be lost."""
    try:
        write_text(path, report)
    except OutputError:
        print(report)
        raise


def _write_fields(
    directory: Path, case: Case, problem: Problem, variables: Sequence[Variable]
) -> None:
    from halocline.io.zarr import dataset, write_zarr

    about: Mapping[str, Any] = {"title": case.describe().splitlines()[0], **parameters_of(case)}
    contents = dataset(problem.grid, variables, about)
    write_zarr(directory / "fields.zarr", contents)
