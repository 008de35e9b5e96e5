"""The command 'halocline': run a case, or show what becomes of it."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated, Any

import typer

from halocline.cli.launch import EXIT_MISTAKE, end_with, run_on_ranks
from halocline.errors import CaseError, HaloclineError, MpiError
from halocline.runtime.launcher import launched_rank, launched_ranks

app = typer.Typer(
    help="Stencil computations on structured grids: write the kernel once, the halo takes care of "
    "itself.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


class Subject(StrEnum):
    """What 'show' can show."""

    kernel = "kernel"
    footprint = "footprint"
    plan = "plan"
    code = "code"


class Measurement(StrEnum):
    """What 'bench' can measure."""

    memory = "memory"
    lbm = "lbm"
    step = "step"


CaseName = Annotated[str, typer.Argument(metavar="CASE", help="lid-cavity, heat, or a .toml file.")]
Cells = Annotated[int | None, typer.Option(help="Cells along each side.")]
Reynolds = Annotated[float | None, typer.Option(help="Reynolds number.")]
Dimensions = Annotated[int | None, typer.Option(help="2 or 3.")]
LidSpeed = Annotated[float | None, typer.Option(help="Cells the lid moves in a step.")]
Collision = Annotated[str | None, typer.Option(help="trt or bgk.")]
DType = Annotated[str | None, typer.Option("--dtype", help="float64 or float32.")]
Tolerance = Annotated[
    float | None, typer.Option(help="Converged when the change per convective time is below.")
]
MaxTimes = Annotated[int | None, typer.Option(help="Convective times after which to give up.")]
Steps = Annotated[int | None, typer.Option(help="Time steps (heat).")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Any parameter of the case; may be repeated."),
]
Ranks = Annotated[int | None, typer.Option(min=1, help="MPI ranks to start.")]
Threads = Annotated[int | None, typer.Option(min=1, help="Threads a rank.")]
Decomposition = Annotated[
    str | None, typer.Option(help="rows, tiles, pencils, or blocks along each axis: 2x2x1.")
]
Overlap = Annotated[str | None, typer.Option(help="core-first, rim-first or none.")]
Neighbours = Annotated[str | None, typer.Option(help="direct or staged.")]
Output = Annotated[str | None, typer.Option(help="Directory of the results.")]


@app.command()
def run(  # noqa: PLR0913 (one parameter an option: that is how typer works)
    case: CaseName,
    *,
    cells: Cells = None,
    reynolds: Reynolds = None,
    dimensions: Dimensions = None,
    lid_speed: LidSpeed = None,
    collision: Collision = None,
    dtype: DType = None,
    tolerance: Tolerance = None,
    max_convective_times: MaxTimes = None,
    steps: Steps = None,
    settings: Settings = None,
    ranks: Ranks = None,
    threads: Threads = None,
    decomposition: Decomposition = None,
    overlap: Overlap = None,
    neighbours: Neighbours = None,
    output: Output = None,
) -> None:
    """Run a case and write fields, log, report and picture into a directory."""
    from halocline.apps.cases import read_case
    from halocline.cli.run import RunChoices, run_case

    parameters = _given(
        cells=cells,
        reynolds=reynolds,
        dimensions=dimensions,
        lid_speed=lid_speed,
        collision=collision,
        dtype=dtype,
        tolerance=tolerance,
        max_convective_times=max_convective_times,
        steps=steps,
    )
    parameters.update(_settings(settings))
    read, from_file = read_case(case, parameters)
    how = {"ranks": ranks, "threads": threads, "output": output}
    split = {"decomposition": decomposition, "overlap": overlap, "neighbours": neighbours}
    choices = RunChoices(**{**from_file, **_given(**how, **split)})
    choices.strategy  # noqa: B018 (refuses a wrong word before any rank is started)
    if launched_rank() is not None:
        _refuse_other_number(choices.ranks)
    elif choices.ranks is not None and choices.ranks > 1:
        sys.exit(run_on_ranks(choices.ranks, sys.argv[1:]))
    run_case(read, choices)


@app.command()
def show(  # noqa: PLR0913 (one parameter an option: that is how typer works)
    what: Annotated[Subject, typer.Argument(help="kernel, footprint, plan or code.")],
    case: CaseName,
    *,
    cells: Cells = None,
    reynolds: Reynolds = None,
    dimensions: Dimensions = None,
    collision: Collision = None,
    dtype: DType = None,
    settings: Settings = None,
    ranks: Annotated[int, typer.Option(min=1, help="Ranks of the machine in mind.")] = 1,
    rank: Annotated[int, typer.Option(help="The rank whose plan is shown.")] = 0,
    decomposition: Decomposition = None,
    overlap: Overlap = None,
    neighbours: Neighbours = None,
) -> None:
    """Show what becomes of a case; needs no MPI and no compiler."""
    from halocline.apps.cases import read_case
    from halocline.cli.run import RunChoices
    from halocline.cli.show import show_subject

    parameters = _given(
        cells=cells, reynolds=reynolds, dimensions=dimensions, collision=collision, dtype=dtype
    )
    parameters.update(_settings(settings))
    read, from_file = read_case(case, parameters)
    chosen = _given(decomposition=decomposition, overlap=overlap, neighbours=neighbours)
    choices = RunChoices(**{**from_file, **chosen})
    typer.echo(show_subject(what.value, read.problem(), choices, (ranks, rank)))


@app.command()
def bench(
    what: Annotated[Measurement, typer.Argument(help="memory, lbm or step.")],
    *,
    size: Annotated[
        list[int] | None, typer.Option(help="Cells a side of the cube; may be repeated.")
    ] = None,
    repetitions: Annotated[int, typer.Option(min=1, help="How often each is timed.")] = 7,
    json_file: Annotated[str, typer.Option("--json", help="Write the figures to a file.")] = "",
) -> None:
    """Measure this machine and what Halocline makes of it, each with a verified result."""
    from halocline.cli.bench import run_bench

    run_bench(what.value, typer.echo, size or [], repetitions, json_file)


def _given(**options: Any) -> dict[str, Any]:
    """Return the options that were given."""
    return {name: value for name, value in options.items() if value is not None}


def _settings(settings: list[str] | None) -> dict[str, Any]:
    """Return 'key=value' words as parameters: numbers where they look like numbers."""
    found: dict[str, Any] = {}
    for setting in settings or ():
        key, equals, value = setting.partition("=")
        if not equals:
            raise CaseError(f"'--set {setting}' was given; expected KEY=VALUE.")
        found[key.strip()] = _number(value.strip())
    return found


def _number(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _refuse_other_number(ranks: int | None) -> None:
    launched = launched_ranks()
    if ranks is not None and launched is not None and ranks != launched:
        raise MpiError(
            f"{ranks} ranks were asked for, but the launcher has started {launched}.",
            hint="Leave out --ranks under mpiexec.",
        )


def main() -> None:
    """Run the command line; a mistake gives one message and exit code 2."""
    try:
        app()
    except HaloclineError as error:
        sys.exit(end_with(error))
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        sys.exit(128 + EXIT_MISTAKE)
