"""Run a case and leave a directory with all that came out."""

from __future__ import annotations

import platform
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from halocline.apps.case import Case, Problem, Result
from halocline.apps.cases import case_file
from halocline.apps.run_options import JOB, RunOptions
from halocline.cli.outputs import (
    begin_in_memory,
    end_in_memory,
    go_on,
    make_recorder,
    movie_tasks,
)
from halocline.errors import OutputError
from halocline.installation import need
from halocline.io.checkpoint import bytes_kept
from halocline.io.constants import on_grid
from halocline.io.log import RunLog
from halocline.io.output import check_unused, create_directory, write_all, write_text
from halocline.io.variable import Variable
from halocline.language.grids.forest import forest_behind
from halocline.launched import launched_rank
from halocline.session.simulation import Simulation


def run_case(case: Case, options: RunOptions) -> Path | None:
    """Run a case on the ranks of this job and write what came out.

    Returns:
        The directory, on rank 0.

    Raises:
        HaloclineError: It cannot be run or its results cannot be written.
    """
    if not launched_rank():
        print(f"{case.name}: planning and compiling ...", flush=True)
    problem = case.problem()
    arguments = {"refine": problem.refine, **problem.blocks(options.simulation)}
    simulation = Simulation(problem.grid, problem.steps, dt=problem.dt, **arguments)
    # Only now: ranks that have joined tell a mistake once.
    options.outputs.check_problem(case, problem)
    memory = options.outputs.checkpoint_memory is not None
    if options.restart is not None:
        go_on(case, simulation, options.restart, memory=memory)
    directory = simulation.on_first(partial(_prepare, case, problem, options, simulation.size))
    if memory and options.restart is None:
        begin_in_memory(simulation, directory or Path())
    log = simulation.on_first(partial(_open_log, directory, goes_on=options.goes_on))
    with log or RunLog(None) as journal:
        journal.note(f"{case.describe()}\n{_setting(simulation)}")
        if options.restart is not None:
            journal.note(f"goes on from '{options.restart}', step {simulation.step}")
        _run_and_write(case, problem, simulation, options, directory, journal)
    if memory:
        end_in_memory(simulation, directory or Path())
    return directory


def _prepare(case: Case, problem: Problem, options: RunOptions, ranks: int) -> Path:
    """Make the directory and write the case into it, before anything is computed.

    Raises:
        InstallationError: What the run writes in the end needs a package that is not installed.
    """
    need("output", "xarray", "zarr")
    need("plot", "matplotlib")
    directory = options.directory(case.name)
    if not options.goes_on:
        check_unused(directory)
    # Pictures, log and report are below a megabyte; a new checkpoint is written beside the old one.
    size_bytes = case.bytes_stored() + 1_000_000
    if options.outputs.checkpoint:
        size_bytes += 2 * bytes_kept(problem.grid, problem.steps)
    create_directory(directory, size_bytes)
    table = {name: value for name, value in options.given.items() if name not in JOB}
    table["ranks"] = ranks
    write_text(directory / "case.toml", case_file(case, table))
    return directory


def _open_log(directory: Path | None, *, goes_on: bool) -> RunLog:
    return RunLog(directory / "run.log" if directory else None, goes_on=goes_on)


def _run_and_write(
    case: Case,
    problem: Problem,
    simulation: Simulation,
    options: RunOptions,
    directory: Path | None,
    journal: RunLog,
) -> None:
    outputs = options.outputs
    place = directory or Path()
    recorder = make_recorder(
        case, problem, simulation, outputs, place, say=journal.note, goes_on=options.goes_on
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
    from halocline.io.dataset import dataset
    from halocline.io.zarr import write_zarr

    about: Mapping[str, Any] = {"title": case.describe().splitlines()[0], **case.parameter_values}
    forest = forest_behind(problem.grid)
    grid = problem.grid if forest is None else forest.level(forest.leaves.finest)
    constants = (on_grid(one, grid, "linear") for one in problem.constants)
    contents = dataset(grid, (*variables, *constants), about, problem.axes)
    write_zarr(directory / "fields.zarr", contents)
