"""What a run writes on its way, and the directory from which it goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halocline.apps.cases import read_case
from halocline.apps.field_file import FieldFile, read_field_files
from halocline.apps.run_options import OUTPUT, OutputOptions, read_probes
from halocline.io.checkpoint import check_exists, check_memory, forget, load, save
from halocline.io.field_series import FieldSeries
from halocline.io.movie import draw_movie
from halocline.io.recorder import Output, Recorder
from halocline.io.time_series import TimeSeries
from halocline.io.vtk import VtkSeries

if TYPE_CHECKING:
    from halocline.apps.case import Case, Problem
    from halocline.apps.run_options import RunOptions
    from halocline.session.simulation import Simulation

CHECKPOINT = "checkpoint.npz"
SERIES = "series.zarr"


def read_run(
    name_or_file: str | None, parameters: Mapping[str, Any], restart: str | None
) -> tuple[Case, dict[str, Any]]:
    """Return a checked case, and what its file says about the run.

    Args:
        name_or_file: A case, see 'read_case'; may be None for the one of the run that goes on.
        parameters: What replaces those of the file or the defaults.
        restart: The directory of a run that is to go on: it says what is computed and written, but
            not how (ranks, threads, strategy), for it may go on elsewhere.

    Raises:
        CaseError: Something is unknown or has no meaning, or there is nothing to go on from.
    """
    if name_or_file is not None:
        return read_case(name_or_file, parameters)
    assert restart is not None
    case, run = read_case(case_file_in(restart), parameters)
    return case, {key: value for key, value in run.items() if key in OUTPUT}


def case_file_in(directory: str) -> str:
    """Return the case file of a run that is to go on.

    Raises:
        CaseError: There is neither a case file nor a checkpoint.
    """
    file = Path(directory) / "case.toml"
    if not file.exists():
        check_exists(Path(directory) / CHECKPOINT)
    return str(file)


def check_can_go_on(options: RunOptions) -> None:
    """Refuse to go on where there is no checkpoint; those in memory are found later, by all ranks.

    Raises:
        CaseError: There is none.
    """
    if options.restart is not None and options.outputs.checkpoint_memory is None:
        check_exists(Path(options.restart) / CHECKPOINT)


class Checkpoints:
    """What writes checkpoints, of which the last is kept; see 'Output'."""

    shows_quantities = False
    keeps_last = True

    def __init__(
        self,
        path: Path,
        interval: int,
        simulation: Simulation,
        about: Mapping[str, Any],
        *,
        memory: bool = False,
    ) -> None:
        self.name = f"{CHECKPOINT} in memory" if memory else CHECKPOINT
        self.interval = interval
        self._write = partial(save, simulation, path, about, memory=memory)

    def write(self, step: int, time: float) -> None:
        """Write a checkpoint in the place of the last."""
        self._write()


def identity(case: Case) -> dict[str, Any]:
    """Return what must be the same when a run of the case goes on."""
    return {"case": case.name, **case.lasting_parameters}


def go_on(case: Case, simulation: Simulation, directory: str, *, memory: bool) -> None:
    """Make a simulation go on from the checkpoint in a directory, or a newer one in memory.

    Raises:
        CaseError: There is none, it is damaged, or it is of another run.
    """
    load(simulation, Path(directory) / CHECKPOINT, identity(case), memory=memory)


def begin_in_memory(simulation: Simulation, directory: Path) -> None:
    """Refuse checkpoints in memory that cannot be kept, and remove those of an earlier run.

    Raises:
        HaloclineError: There is one node, or too little memory.
    """
    check_memory(simulation, directory / CHECKPOINT)
    forget(simulation, directory / CHECKPOINT)


def end_in_memory(simulation: Simulation, directory: Path) -> None:
    """Remove checkpoints in memory at the end of a run."""
    forget(simulation, directory / CHECKPOINT)


def make_recorder(  # noqa: PLR0913 (what it is made of)
    case: Case,
    problem: Problem,
    simulation: Simulation,
    options: OutputOptions,
    directory: Path,
    *,
    say: Callable[[str], None],
    goes_on: bool,
) -> Recorder:
    """Return the simulation with all that is written on its way; collective.

    Args:
        case: What is run.
        problem: Its grid and quantities.
        simulation: What does the steps.
        options: What is to be written.
        directory: Where.
        say: Takes warnings.
        goes_on: Whether the directory has the outputs of the steps done so far.
    """
    from_step = simulation.step if goes_on else None
    path = directory / CHECKPOINT
    outputs: list[Output] = []
    if options.every is not None:
        outputs += _series(case, problem, simulation, options, directory, from_step)
    for name, file in read_field_files(options.write).items():
        outputs.append(_fields(case, problem, simulation, directory / name, file, from_step))
    if options.checkpoint is not None:
        outputs.append(Checkpoints(path, options.checkpoint, simulation, identity(case)))
    if options.checkpoint_memory is not None:
        if len(set(simulation.job.nodes)) > 1:
            interval = options.checkpoint_memory
            outputs.append(Checkpoints(path, interval, simulation, identity(case), memory=True))
        elif simulation.rank == 0:
            say("warning: one node is left: no checkpoints are kept in memory.")
    refresh = (*problem.refresh, *(integral.reduction for integral in problem.integrals))
    return Recorder(simulation, outputs, refresh, say, is_new=not goes_on)


def movie_tasks(options: OutputOptions, directory: Path) -> dict[str, Callable[[], None]]:
    """Return what draws the movie from the series, when it is complete (rank 0)."""
    if options.movie is None:
        return {}
    path = directory / "movie.gif"
    return {path.name: partial(draw_movie, directory / SERIES, options.movie, path)}


def _series(
    case: Case,
    problem: Problem,
    simulation: Simulation,
    options: OutputOptions,
    directory: Path,
    goes_on_from: int | None,
) -> list[Output]:
    """Return the table of numbers and the fields, once or twice."""
    assert options.every is not None
    found: list[Output] = [
        TimeSeries(
            directory / "series.csv",
            options.every,
            simulation,
            problem.integrals,
            problem.quantities,
            read_probes(options.probe),
            axes=problem.axes,
            time_unit=problem.time_unit,
            goes_on_from=goes_on_from,
        ),
        _fields(
            case, problem, simulation, directory / SERIES, FieldFile(options.every), goes_on_from
        ),
    ]
    if options.vtk:
        found.append(
            VtkSeries(
                directory,
                options.every,
                simulation,
                problem.grid,
                problem.quantities,
                goes_on_from=goes_on_from,
            )
        )
    return found


def _fields(
    case: Case,
    problem: Problem,
    simulation: Simulation,
    path: Path,
    file: FieldFile,
    goes_on_from: int | None,
) -> FieldSeries:
    """Return what writes a file of fields."""
    return FieldSeries(
        path,
        file.interval,
        simulation,
        problem.grid,
        file.chosen(problem.quantities),
        time_unit=problem.time_unit,
        about={"title": case.describe().splitlines()[0], **identity(case)},
        axes=problem.axes,
        start=problem.start,
        constants=problem.constants,
        region=file.region,
        mean=file.mean,
        precision=file.precision,
        level=file.of_level,
        prolongation=file.prolongation,
        goes_on_from=goes_on_from,
    )
