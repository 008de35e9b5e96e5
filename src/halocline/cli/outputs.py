"""What a run writes on its way, and the directory from which it goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halocline.apps.case import lasting_parameters
from halocline.apps.cases import known_cases, read_case
from halocline.errors import CaseError, nearest
from halocline.io.checkpoint import check_exists, load, save
from halocline.io.movie import draw_movie
from halocline.io.recorder import Output, Recorder
from halocline.io.time_series import Probe, TimeSeries
from halocline.io.vtk import VtkSeries
from halocline.io.zarr_series import ZarrSeries

if TYPE_CHECKING:
    from halocline.apps.case import Case, Problem
    from halocline.simulation import Simulation

CHECKPOINT = "checkpoint.npz"
SERIES = "series.zarr"
_PLANE = 2
# The choices of output, as the command line and case files name them.
OUTPUT_NAMES = ("every", "vtk", "probe", "movie", "checkpoint")


@dataclass(frozen=True, slots=True)
class OutputChoices:
    """What is written on the way.

    Attributes:
        every: Steps between two times of all series; None for no series.
        vtk: Whether fields are written as VTK files, too.
        probe: Points as 'X,Y,Z' whose values are written into the table.
        movie: The variable that a movie shows; None for no movie.
        checkpoint: Steps between two checkpoints; None for none.
    """

    every: int | None = None
    vtk: bool | None = None
    probe: list[str] | None = None
    movie: str | None = None
    checkpoint: int | None = None

    @property
    def probes(self) -> tuple[Probe, ...]:
        """The points."""
        return tuple(map(_probe, self.probe or ()))

    def check(self) -> None:
        """Raise a CaseError for choices that have no meaning."""
        for name in ("every", "checkpoint"):
            interval = getattr(self, name)
            if interval is not None and interval < 1:
                raise CaseError(f"'{name}' was given {interval}; expected at least 1 step.")
        for name in ("vtk", "probe", "movie"):
            if getattr(self, name) and self.every is None:
                raise CaseError(
                    f"'--{name}' was given without '--every'.",
                    hint="Add --every N, the steps between two times.",
                )
        self.probes  # noqa: B018 (reads them)

    def check_problem(self, case: Case, problem: Problem) -> None:
        """Raise a CaseError for what this problem does not have."""
        if self.every is None:
            return
        names = [quantity.name for quantity in problem.quantities]
        if not names:
            raise CaseError(
                f"The case '{case.name}' names nothing that could be written on its way.",
                hint="Leave out --every.",
            )
        if self.movie is not None and self.movie not in names:
            raise CaseError(
                f"The case '{case.name}' has no variable '{self.movie}' for a movie.",
                hint=nearest(self.movie, names),
            )
        if self.movie is not None and problem.grid.dimensions < _PLANE:
            raise CaseError("A movie was asked for of a grid with one axis; expected two or three.")
        for probe in self.probes:
            probe.check(problem.grid)


def read_run(
    name_or_file: str | None, parameters: Mapping[str, Any], restart: str | None
) -> tuple[Case, dict[str, Any]]:
    """Return a checked case, and what its file says about the run.

    Args:
        name_or_file: A case, see 'read_case'; None for the one of the run that goes on.
        parameters: What replaces those of the file or the defaults.
        restart: The directory of a run that is to go on: it says what is computed and written, but
            not how (ranks, threads, strategy), for it may go on elsewhere.

    Raises:
        CaseError: Something is unknown or has no meaning, or there is nothing to go on from.
    """
    if restart is not None:
        check_exists(Path(restart) / CHECKPOINT)
    if name_or_file is not None:
        return read_case(name_or_file, parameters)
    if restart is None:
        raise CaseError("No case was given.", hint=f"Known are: {', '.join(known_cases())}.")
    case, run = read_case(str(Path(restart) / "case.toml"), parameters)
    return case, {key: value for key, value in run.items() if key in OUTPUT_NAMES}


def _probe(text: str) -> Probe:
    try:
        return Probe(tuple(float(part) for part in text.split(",")))
    except ValueError:
        raise CaseError(
            f"The probe '{text}' was given; expected coordinates as 'X,Y' or 'X,Y,Z'."
        ) from None


class Checkpoints:
    """What writes checkpoints, of which the last is kept; see 'Output'."""

    name = CHECKPOINT
    shows_quantities = False

    def __init__(
        self, path: Path, interval: int, simulation: Simulation, about: Mapping[str, Any]
    ) -> None:
        self.interval = interval
        self._write = partial(save, simulation, path, about)

    def write(self, step: int, time: float) -> None:
        """Write a checkpoint in the place of the last."""
        self._write()


def identity(case: Case) -> dict[str, Any]:
    """Return what must be the same when a run of the case goes on."""
    return {"case": case.name, **lasting_parameters(case)}


def go_on(case: Case, simulation: Simulation, directory: str) -> None:
    """Make a simulation go on from the checkpoint in a directory.

    Raises:
        CaseError: There is none, it is damaged, or it is of another run.
    """
    load(simulation, Path(directory) / CHECKPOINT, identity(case))


def make_recorder(  # noqa: PLR0913 (what it is made of)
    case: Case,
    problem: Problem,
    simulation: Simulation,
    choices: OutputChoices,
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
        choices: What is to be written.
        directory: Where.
        say: Takes warnings.
        goes_on: Whether the directory has the outputs of the steps done so far.
    """
    from_step = simulation.step if goes_on else None
    outputs: list[Output] = []
    if choices.every is not None:
        outputs += _series(case, problem, simulation, choices, directory, from_step)
    if choices.checkpoint is not None:
        path = directory / CHECKPOINT
        outputs.append(Checkpoints(path, choices.checkpoint, simulation, identity(case)))
    refresh = (*problem.refresh, *(integral.reduction for integral in problem.integrals))
    return Recorder(simulation, outputs, refresh, say, is_new=not goes_on)


def movie_tasks(choices: OutputChoices, directory: Path) -> dict[str, Callable[[], None]]:
    """Return what draws the movie from the series, when it is complete (rank 0)."""
    if choices.movie is None:
        return {}
    path = directory / "movie.gif"
    return {path.name: partial(draw_movie, directory / SERIES, choices.movie, path)}


def _series(
    case: Case,
    problem: Problem,
    simulation: Simulation,
    choices: OutputChoices,
    directory: Path,
    goes_on_from: int | None,
) -> list[Output]:
    """Return the table of numbers and the fields, once or twice."""
    assert choices.every is not None
    found: list[Output] = [
        TimeSeries(
            directory / "series.csv",
            choices.every,
            simulation,
            problem.integrals,
            problem.quantities,
            choices.probes,
            time_unit=problem.time_unit,
            goes_on_from=goes_on_from,
        ),
        ZarrSeries(
            directory / SERIES,
            choices.every,
            simulation,
            problem.grid,
            problem.quantities,
            time_unit=problem.time_unit,
            about={"title": case.describe().splitlines()[0], **identity(case)},
            goes_on_from=goes_on_from,
        ),
    ]
    if choices.vtk:
        found.append(
            VtkSeries(
                directory,
                choices.every,
                simulation,
                problem.grid,
                problem.quantities,
                dt=problem.dt,
                goes_on_from=goes_on_from,
            )
        )
    return found
